import type { Schemas } from '../../../client/index.ts'
import { Outcome, useActs } from '../../frame/acts.tsx'
import { Confirm } from '../../frame/dialogs/confirm.tsx'
import { Form, TextEntry, textOf } from '../../frame/form.tsx'
import { useLoad } from '../../frame/load.ts'
import { Curl, Facts, Heading, Shown } from '../../frame/parts.tsx'
import { go, pathOf } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'
import { Messages } from './messages.tsx'
import { RegisteredDids } from './registered.tsx'

function Change({ inbox: { id, name }, done }: { inbox: Schemas['InboxOut']; done: (text: string) => void }) {
  const { inboxes } = useTexts()
  const path = { params: { path: { id } } }
  const rename = async (form: FormData) => {
    await api.put('/v1/messaging/inboxes/{id}', { ...path, body: { name: textOf(form, 'name') ?? '' } })
    done(inboxes.renamed)
  }
  const remove = async () => {
    await api.delete('/v1/messaging/inboxes/{id}', path)
    go(pathOf('inboxes'))
  }
  return (
    <>
      <div class="actions">
        <Confirm
          isDangerous
          action={inboxes.delete}
          question={inboxes.deleteAsk}
          text={inboxes.deleteText}
          run={remove}
        />
      </div>
      <details>
        <summary>{inboxes.rename}</summary>
        <Form submit={inboxes.save} onSubmit={rename}>
          <TextEntry label={inboxes.name} name="name" value={name} hint={inboxes.nameHint} required />
        </Form>
      </details>
    </>
  )
}

/** An inbox: the DIDs that are registered with it, and its messages. */
export function InboxPage({ id, standing }: { id: string; standing: Standing }) {
  const { inboxes } = useTexts()
  const loaded = useLoad(id, () => api.get('/v1/messaging/inboxes/{id}', { params: { path: { id } } }))
  const mayWrite = standing.scopes.has('messaging:write')
  const acts = useActs(loaded.reload)
  return (
    <>
      <Heading title={`${inboxes.inbox} ${id}`}>{inboxes.inbox}</Heading>
      <Shown loaded={loaded}>
        {(inbox) => (
          <>
            <Facts
              facts={[
                [inboxes.name, <bdi>{inbox.name}</bdi>],
                [inboxes.id, <code>{id}</code>],
              ]}
            />
            {mayWrite && <Change inbox={inbox} done={acts.done} />}
            <Outcome acts={acts} />
            <Curl path={`/v1/messaging/inboxes/${id}`} />
            <h2>{inboxes.messages}</h2>
            <Messages inboxId={id} />
            <h2>{inboxes.dids}</h2>
            <RegisteredDids inboxId={id} mayWrite={mayWrite} />
          </>
        )}
      </Shown>
    </>
  )
}
