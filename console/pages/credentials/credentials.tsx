import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { Choice, Field, Filters, useQuery } from '../../frame/filters.tsx'
import { useLoad } from '../../frame/load.ts'
import { Curl, Heading, Shown, State, Time } from '../../frame/parts.tsx'
import { go, Link, pathOf, withQuery } from '../../frame/router.tsx'
import { api } from '../../frame/session.ts'
import { type Column, Empty, PAGE_SIZE, Paging, Table } from '../../frame/table.tsx'
import { useTexts } from '../../texts/index.ts'
import { FORMATS, type Format } from './formats.ts'

type Summary = Schemas['CredentialSummaryOut']
type StateName = Summary['state']

/** The example of the README's quick tour. */
const EXAMPLE = {
  proofType: 'eddsa-rdfc-2022',
  revocable: true,
  tag: 'tour',
  payload: {
    '@context': ['https://www.w3.org/ns/credentials/v2', { course: 'https://schema.org/courseCode' }],
    type: ['VerifiableCredential'],
    name: 'First course',
    issuer: { id: 'did:key:…', name: 'Example University' },
    credentialSubject: { id: 'did:example:student', course: 'CS-101' },
  },
}

const isFormat = (name: string | undefined): name is Format => name !== undefined && Object.hasOwn(FORMATS, name)

const named = (values: Record<string, string | undefined>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value))

export const typesOf = ({ types }: Summary): string => types.join(', ') || 'VerifiableCredential'

export const issuerOf = ({ issuer, document_signer_id: signer }: Summary): string => issuer ?? signer ?? ''

function columnsOf(texts: ReturnType<typeof useTexts>): Column<Summary>[] {
  const { credentials } = texts
  return [
    [credentials.type, (row) => <Link href={pathOf('credentials', row.id)}>{typesOf(row)}</Link>],
    [credentials.state, ({ state }) => <State name={state}>{credentials.states[state]}</State>],
    [credentials.format, ({ format }) => format],
    [credentials.tag, ({ tag }) => <bdi>{tag ?? ''}</bdi>],
    [credentials.issuer, (row) => <code class="cut">{issuerOf(row)}</code>],
    [credentials.issued, ({ issuance_date: at }) => <Time at={at} />],
  ]
}

export function CredentialsPage() {
  const texts = useTexts()
  const { credentials } = texts
  const { query, page, filter, turn, reset } = useQuery(pathOf('credentials'))
  /** In memory alone: of a person, and in no address. */
  const [subject, setSubject] = useState('')
  const states = Object.entries(credentials.states)
  const state = (Object.keys(credentials.states) as StateName[]).find((name) => name === query.state)
  const { tag, type, templateId, batchId, issuer } = query
  const asked = {
    ...named({ tag, type, templateId, batchId, issuer }),
    ...(isFormat(query.format) && { format: query.format }),
    ...(state && { state }),
  }
  const body = { ...asked, subject, limit: PAGE_SIZE, page }
  const loaded = useLoad(JSON.stringify([asked, subject, page]), () =>
    subject
      ? api.post('/v1/credentials/search', { body })
      : api.get('/v1/credentials', { params: { query: { ...asked, limit: PAGE_SIZE, page } } }),
  )
  const search = (form: FormData) => {
    const id = String(form.get('id') ?? '').trim()
    if (id) return go(pathOf('credentials', id))
    setSubject(String(form.get('subject') ?? '').trim())
    form.delete('subject')
    filter(form)
  }
  return (
    <>
      <Heading title={credentials.heading}>{credentials.heading}</Heading>
      <Filters
        state={JSON.stringify([query, subject])}
        onFilter={search}
        onReset={() => {
          setSubject('')
          reset()
        }}
        search={credentials.search}
      >
        <Field label={credentials.id} name="id" title={credentials.exact} />
        <Choice
          label={credentials.format}
          name="format"
          value={query.format}
          choices={Object.keys(FORMATS).map((name) => [name, name])}
        />
        <Choice label={credentials.state} name="state" value={query.state} choices={states} />
        <Field label={credentials.tag} name="tag" value={tag} title={credentials.exact} />
        <Field label={credentials.type} name="type" value={type} title={credentials.exact} />
        <Field label={credentials.issuer} name="issuer" value={issuer} title={credentials.exact} />
        <Field label={credentials.subject} name="subject" value={subject} title={credentials.subjectHint} />
        <Field label={credentials.template} name="templateId" value={templateId} title={credentials.idHint} />
        <Field label={credentials.batch} name="batchId" value={batchId} title={credentials.idHint} />
      </Filters>
      <Shown loaded={loaded}>
        {({ data, total_count: total, total_pages: pages }) =>
          total === 0 ? (
            Object.keys(asked).length > 0 || subject ? (
              <Empty title={credentials.empty} hint={credentials.exactHint} />
            ) : (
              <Empty title={credentials.none} hint={credentials.emptyHint}>
                <Curl open method="POST" path="/v1/credentials/web-semantic/sign" body={EXAMPLE} />
              </Empty>
            )
          ) : (
            <>
              <Table label={credentials.heading} columns={columnsOf(texts)} rows={data} keyOf={({ id }) => id} />
              <Paging of={credentials.heading} page={page} pages={pages} total={total} go={turn} />
            </>
          )
        }
      </Shown>
      {subject ? (
        <Curl method="POST" path="/v1/credentials/search" body={body} />
      ) : (
        <Curl path={withQuery('/v1/credentials', { ...asked, limit: String(PAGE_SIZE), page: String(page) })} />
      )}
    </>
  )
}
