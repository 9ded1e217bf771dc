import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { Asked } from '../../frame/dialogs/asked.tsx'
import { Form, SelectEntry, TextEntry, textOf } from '../../frame/form.tsx'
import { useLoad } from '../../frame/load.ts'
import { Curl, Facts, Shown, State, Time } from '../../frame/parts.tsx'
import { api } from '../../frame/session.ts'
import { type Column, Empty, PAGE_SIZE, Paging, Table } from '../../frame/table.tsx'
import { useTexts } from '../../texts/index.ts'

type Subject = 'userId' | 'subjectDid' | 'credentialId'
const SUBJECTS: readonly Subject[] = ['userId', 'subjectDid', 'credentialId']
const STATUSES = ['keep', 'revoke', 'suspend'] as const
type Status = (typeof STATUSES)[number]

function Erasure({ id }: { id: string }) {
  const { settings, frame } = useTexts()
  const loaded = useLoad(id, () => api.get('/v1/privacy/erasures/{id}', { params: { path: { id } } }))
  return (
    <>
      <Shown loaded={loaded}>
        {({ state, step, erased, mentioned, createdAt, endedAt }) => (
          <Facts
            facts={[
              [settings.erasureId, <code>{id}</code>],
              [
                settings.state,
                <State name={state === 'ERASED' ? 'COMPLETED' : 'PROCESSING'}>
                  {settings.states[state]} {step}
                </State>,
              ],
              [settings.credentials, erased.credentials],
              [settings.users, erased.users],
              [settings.mentioned, mentioned],
              [settings.begun, <Time at={createdAt} />],
              [settings.ended, endedAt ? <Time at={endedAt} /> : undefined],
            ]}
          />
        )}
      </Shown>
      <div class="actions">
        <button type="button" onClick={loaded.reload}>
          {frame.reload}
        </button>
      </div>
      <Curl path={`/v1/privacy/erasures/${id}`} />
    </>
  )
}

/** The erasures of the tenant, newest first: they do not say whom they were about. */
function Begun({ turn, onOpen }: { turn: string; onOpen: (id: string) => void }) {
  const { settings, frame } = useTexts()
  const [page, setPage] = useState(1)
  const params = { query: { limit: PAGE_SIZE, page } }
  const loaded = useLoad(`${turn} ${page}`, () => api.get('/v1/privacy/erasures', { params }))
  const columns: Column<Schemas['ErasureLineOut']>[] = [
    [settings.erasureId, ({ id }) => <code>{id}</code>],
    [settings.what, ({ by }) => settings.by[by]],
    [
      settings.state,
      ({ state }) => <State name={state === 'ERASED' ? 'COMPLETED' : 'PROCESSING'}>{settings.states[state]}</State>,
    ],
    [settings.credentials, ({ erased }) => erased.credentials],
    [settings.begun, ({ createdAt }) => <Time at={createdAt} />],
    [
      settings.look,
      ({ id }) => (
        <button type="button" onClick={() => onOpen(id)}>
          {frame.show}
        </button>
      ),
    ],
  ]
  return (
    <>
      <Shown loaded={loaded}>
        {({ data, totalCount, totalPages }) =>
          totalCount === 0 ? (
            <Empty title={settings.noErasures} />
          ) : (
            <>
              <Table label={settings.begunList} columns={columns} rows={data} keyOf={({ id }) => id} />
              <Paging of={settings.begunList} page={page} pages={totalPages} total={totalCount} go={setPage} />
            </>
          )
        }
      </Shown>
      <Curl path={`/v1/privacy/erasures?limit=${PAGE_SIZE}&page=${page}`} />
    </>
  )
}

/** A person or a credential is erased for good, and how far that is. */
export function Erasures({ mayWrite }: { mayWrite: boolean }) {
  const { settings } = useTexts()
  const [id, setId] = useState('')
  const [asked, setAsked] = useState<{ subject: Subject; value: string; credentialStatus: Status }>()
  const ask = async (form: FormData) => {
    const subject = SUBJECTS.find((each) => each === textOf(form, 'subject')) ?? 'userId'
    const credentialStatus = STATUSES.find((each) => each === textOf(form, 'credentialStatus')) ?? 'keep'
    setAsked({ subject, value: textOf(form, 'value') ?? '', credentialStatus })
  }
  const erase = async ({ subject, value, credentialStatus }: NonNullable<typeof asked>) => {
    const body = { [subject]: value, credentialStatus }
    setId((await api.post('/v1/privacy/erasures', { body })).id)
  }
  return (
    <>
      <h2>{settings.erasures}</h2>
      {mayWrite && (
        <Form submit={settings.erase} onSubmit={ask} isDangerous>
          <SelectEntry
            label={settings.subject}
            name="subject"
            choices={SUBJECTS.map((each) => [each, settings.subjects[each]])}
          />
          <TextEntry label={settings.value} name="value" required />
          <SelectEntry
            label={settings.status}
            name="credentialStatus"
            choices={STATUSES.map((each) => [each, settings.statuses[each]])}
          />
        </Form>
      )}
      <Begun turn={id} onOpen={setId} />
      {id && <Erasure key={id} id={id} />}
      <Curl method="POST" path="/v1/privacy/erasures" body={{ subjectDid: 'did:example:holder' }} />
      {asked && (
        <Asked
          question={settings.eraseAsk}
          action={settings.erase}
          isDangerous
          onClose={() => setAsked(undefined)}
          run={() => erase(asked)}
        >
          <Facts
            facts={[
              [settings.subject, settings.subjects[asked.subject]],
              [settings.value, <code class="wrap">{asked.value}</code>],
              [settings.status, settings.statuses[asked.credentialStatus]],
            ]}
          />
          <p>{settings.eraseTexts[asked.subject]}</p>
        </Asked>
      )}
    </>
  )
}
