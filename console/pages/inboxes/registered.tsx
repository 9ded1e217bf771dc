import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { Outcome, useActs } from '../../frame/acts.tsx'
import { Confirm } from '../../frame/dialogs/confirm.tsx'
import { Form, TextEntry, textOf } from '../../frame/form.tsx'
import { useLoad } from '../../frame/load.ts'
import { Curl, Shown, Time } from '../../frame/parts.tsx'
import { api } from '../../frame/session.ts'
import { type Column, Empty, PAGE_SIZE, Paging, Table } from '../../frame/table.tsx'
import { useTexts } from '../../texts/index.ts'

type Registered = Schemas['RegisteredDidOut']

function Register({ inboxId, done }: { inboxId: string; done: (text: string) => void }) {
  const { inboxes } = useTexts()
  const register = async (form: FormData) => {
    const jwt = textOf(form, 'jwt')
    const body = { did: textOf(form, 'did') ?? '', ...(jwt && { jwt }) }
    await api.post('/v1/messaging/inboxes/{id}/dids', { params: { path: { id: inboxId } }, body })
    done(inboxes.registered)
  }
  return (
    <details>
      <summary>{inboxes.register}</summary>
      <Form submit={inboxes.register} onSubmit={register}>
        <TextEntry label={inboxes.did} name="did" placeholder="did:key:…" required />
        <TextEntry label={inboxes.jwt} name="jwt" hint={inboxes.jwtHint} lines={4} />
      </Form>
    </details>
  )
}

/** The DIDs whose messages come into an inbox. */
export function RegisteredDids({ inboxId, mayWrite }: { inboxId: string; mayWrite: boolean }) {
  const { inboxes } = useTexts()
  const [page, setPage] = useState(1)
  const params = { path: { id: inboxId }, query: { limit: PAGE_SIZE, page } }
  const loaded = useLoad(`${inboxId} ${page}`, () => api.get('/v1/messaging/inboxes/{id}/dids', { params }))
  const acts = useActs(loaded.reload)
  const unregister = async (did: string) => {
    await api.delete('/v1/messaging/inboxes/{id}/dids/{did}', { params: { path: { id: inboxId, did } } })
    acts.done(inboxes.unregistered)
  }
  const columns: Column<Registered>[] = [
    [inboxes.did, ({ did }) => <code class="wrap">{did}</code>],
    [inboxes.since, ({ registeredAt }) => <Time at={registeredAt} />],
    ...(mayWrite
      ? [
          [
            inboxes.unregister,
            ({ did }: Registered) => (
              <Confirm
                action={inboxes.unregister}
                question={inboxes.unregisterAsk}
                text={inboxes.unregisterText}
                run={() => unregister(did)}
              />
            ),
          ] satisfies Column<Registered>,
        ]
      : []),
  ]
  return (
    <>
      <Shown loaded={loaded}>
        {({ dids, totalCount, totalPages }) =>
          totalCount === 0 ? (
            <Empty title={inboxes.noDids} hint={inboxes.noDidsHint} />
          ) : (
            <>
              <Table label={inboxes.dids} columns={columns} rows={dids} keyOf={({ did }) => did} />
              <Paging of={inboxes.dids} page={page} pages={totalPages} total={totalCount} go={setPage} />
            </>
          )
        }
      </Shown>
      <Outcome acts={acts} />
      {mayWrite && <Register inboxId={inboxId} done={acts.done} />}
      <Curl path={`/v1/messaging/inboxes/${inboxId}/dids?limit=${PAGE_SIZE}&page=${page}`} />
    </>
  )
}
