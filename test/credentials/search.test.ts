import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createSubjectIndex, indexMissingSubjects } from '../../activities/credentials/subjects.ts'
import { COURSE, create, lines } from '../support/credentials/batches.ts'
import { createCompactTemplate, signCompact, signCompactSemantic } from '../support/credentials/compact.ts'
import { createDid, sign } from '../support/credentials/credentials.ts'
import { createIaca, createSigner, signMobile } from '../support/credentials/mobile.ts'
import { refusal } from '../support/credentials/templates.ts'
import { platformOf } from '../support/parts/platform.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let issuer: string
let signerId: string
/** One of each format, by format. */
const ids = new Map<string, string>()
test.before(async () => {
  world = await openWorld()
  issuer = await createDid(world, 'P-256')
  await createIaca(world)
  signerId = await createSigner(world)
  const other = await createDid(world)
  const semantic = await sign(world, other, {
    tag: 'spring',
    revocable: true,
    more: {
      '@context': [
        'https://www.w3.org/ns/credentials/v2',
        { course: 'https://schema.org/courseCode', CourseCredential: 'https://schema.org/Course' },
      ],
      type: ['VerifiableCredential', 'CourseCredential'],
    },
  })
  ids.set('web-semantic', semantic.id)
  const compact = await signCompact(world, { iss: issuer, type: 'Course', exp: 2_000_000_000 }, { revocable: true })
  ids.set('compact', uuidOf(compact.id))
  const both = await signCompactSemantic(world, issuer, { revocable: true })
  ids.set('compact-semantic', both.id.replace('urn:uuid:', ''))
  ids.set('mobile', (await signMobile(world)).mobileId)
})
test.after.always(() => world?.close())

interface Summary {
  id: string
  format: string
  url: string
  types: string[]
  state: string
  issuer?: string
  document_signer_id?: string
}

interface Page {
  data: Summary[]
  limit: number
  total_count: number
  total_pages: number
}

const PATH = '/v1/credentials'
const ask = (path: string, token = world.token) => world.ask(`${PATH}${path}`, { token })
const find = async (query: string, token?: string): Promise<Page> => {
  const reply = await ask(query, token)
  if (reply.status !== 200) throw new Error(reply.text)
  return reply.json<Page>()
}
const formats = async (query: string, token?: string) =>
  (await find(query, token)).data.map(({ format }) => format).toSorted()
const uuidOf = (jti: string) => {
  const hex = Buffer.from(jti, 'base64url').toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
const idOf = (format: string) => ids.get(format) ?? ''
const set = (statement: string, ...values: unknown[]) => world.dependencies.systemSql.query({ text: statement, values })

const ALL = ['compact', 'compact-semantic', 'mobile', 'web-semantic']

test.serial(
  'credentials of all formats are one list, newest first, each with the path of its document (D-307)',
  async (t) => {
    const { data, ...totals } = await find('')
    t.deepEqual(totals, { limit: 20, total_count: 4, total_pages: 1 })
    t.deepEqual(
      data.map(({ format }) => format),
      ['mobile', 'compact-semantic', 'compact', 'web-semantic'],
    )
    for (const { id, format, url } of data) {
      t.is(id, idOf(format))
      t.is((await world.ask(url, { token: world.token })).status, 200, url)
    }
    t.deepEqual([...(await find('?limit=2')).data, ...(await find('?limit=2&page=2')).data], data)
    t.deepEqual(await find('?limit=0'), { data: [], limit: 0, total_count: 4, total_pages: 0 })
  },
)

test.serial('a subject is found by POST with all other filters, exactly, page by page (D-787)', async (t) => {
  const search = async (body: object, token = world.token) =>
    (await world.ask(`${PATH}/search`, { token, body })).json<Page>()
  const found = async (body: object, token?: string) => (await search(body, token)).data.map(({ format }) => format)
  const subject = 'did:example:holder'
  t.deepEqual(await found({ subject }), ['compact-semantic', 'web-semantic'])
  const first = await search({ subject, limit: 1 })
  t.like(first, { limit: 1, total_count: 2, total_pages: 2 })
  t.deepEqual([...first.data, ...(await search({ subject, limit: 1, page: 2 })).data], (await search({ subject })).data)
  t.deepEqual(await found({ subject, tag: 'spring', state: 'active' }), ['web-semantic'])
  t.deepEqual(await found({ subject, type: 'CourseCredential' }), ['compact-semantic', 'web-semantic'])
  t.deepEqual(await found({ subject, type: 'Course' }), [])
  t.deepEqual(await found({ subject, type: 'VerifiableCredential' }), ['compact-semantic', 'web-semantic'])
  t.deepEqual(await found({ subject, format: 'compact-semantic', issuer }), ['compact-semantic'])
  t.deepEqual(await found({ subject, state: 'revoked' }), [])
  for (const other of ['did:example:holde', 'did:example:holder2', 'DID:example:holder', 'did:example:%', '__proto__'])
    t.deepEqual(await found({ subject: other }), [], other)
  t.deepEqual(
    await found({ subject: null, tag: null, limit: null }),
    (await find('')).data.map(({ format }) => format),
  )
  t.deepEqual(
    await found({}),
    (await find('')).data.map(({ format }) => format),
  )
  const theirs = await world.tokenOf(await world.addTenant())
  t.deepEqual(await found({ subject }, theirs), [], 'of another tenant')
  for (const body of [
    { subject: '' },
    { subject: 1 },
    { subject: 'x'.repeat(2_049) },
    { limit: 1_001 },
    { page: -1 },
    { x: 1 },
  ])
    t.is(
      (await world.ask(`${PATH}/search`, { token: world.token, body })).status,
      400,
      JSON.stringify(body).slice(0, 40),
    )
  const { systemSql } = world.dependencies
  const stored = await systemSql.query<{ text: string }>({
    text: `select row_to_json(l)::text as text from logs l where type = 'CREDENTIAL_SEARCH_SUCCESS'`,
    values: [],
  })
  t.true(stored.rows.length > 0)
  for (const { text } of stored.rows) t.false(text.includes(subject), 'no entry of the log names it')
})

test.serial('credentials of an earlier release are found once the maintenance has indexed them (D-820)', async (t) => {
  const { systemSql, config } = world.dependencies
  const found = async () => {
    const body = { subject: 'did:example:holder' }
    return (await world.ask(`${PATH}/search`, { token: world.token, body })).json<Page>().total_count
  }
  const digests = async () =>
    (await systemSql.query<object>({ text: 'select id, subjects from credentials order by id', values: [] })).rows
  const before = await digests()
  await set('update credentials set subjects = null')
  t.is(await found(), 0)
  const index = createSubjectIndex(config)
  t.is(await indexMissingSubjects(systemSql, index), 3, 'of the mobile one there is no document in JSON')
  t.is(await found(), 2)
  const empty = (row: object) => ({ ...row, subjects: Reflect.get(row, 'subjects') ?? [] })
  t.deepEqual((await digests()).map(empty), before.map(empty), 'as signing keeps them')
  t.is(await indexMissingSubjects(systemSql, index), 0, 'once')
})

test.serial('what a batch has signed is found by its subject', async (t) => {
  const { id } = await create(world, lines(2), { issuer, proofType: 'ecdsa-rdfc-2019', context: COURSE })
  const chunk = { tenantId: world.first.tenantId, batchId: id, from: 1, to: 2 }
  await platformOf(world).batchSigning.signBatchChunk(chunk)
  const body = { subject: 'did:example:holder-2', batchId: id }
  const { data } = (await world.ask(`${PATH}/search`, { token: world.token, body })).json<
    Page & Record<string, unknown>
  >()
  t.deepEqual(
    data.map((each) => Reflect.get(each, 'batch_row')),
    [2],
  )
  await set('delete from credentials where batch_id = $1', id)
})

test.serial('a summary names the credential and holds nothing of its document', async (t) => {
  const summary = (await ask(`/${idOf('compact')}`)).json<Summary>()
  t.like(summary, {
    id: idOf('compact'),
    format: 'compact',
    types: ['Course'],
    state: 'active',
    issuer,
    revocable: true,
    suspendable: false,
    expiration_date: '2033-05-18T03:33:20.000Z',
  })
  t.deepEqual((await find('?format=compact')).data, [summary])
  t.like((await ask(`/${idOf('mobile')}`)).json(), { document_signer_id: signerId, types: ['org.iso.18013.5.1.mDL'] })
  const { text } = await ask('')
  for (const claim of ['CS-101', 'did:example:holder', 'encoded']) t.false(text.includes(claim), claim)
})

test.serial('each filter finds its credentials, and together they find what all of them find', async (t) => {
  const [batch, template] = [randomUUID(), (await createCompactTemplate(world)).id]
  await set('update credentials set batch_id = $1, batch_row = 7 where id = $2', batch, idOf('web-semantic'))
  await set('update credentials set template_id = $1, template_version = 1 where id = $2', template, idOf('compact'))
  for (const [query, expected] of [
    ['format=mobile', ['mobile']],
    ['tag=spring', ['web-semantic']],
    ['tag=winter', []],
    ['type=CourseCredential', ['compact-semantic', 'web-semantic']],
    ['type=Course', ['compact']],
    ['type=org.iso.18013.5.1.mDL', ['mobile']],
    ['type=VerifiableCredential', ['compact-semantic', 'web-semantic']],
    ['type=VerifiableCredential&format=mobile', []],
    [`templateId=${template}`, ['compact']],
    [`batchId=${batch.toUpperCase()}`, ['web-semantic']],
    [`issuer=${encodeURIComponent(issuer)}`, ['compact', 'compact-semantic']],
    [`issuer=${signerId}`, ['mobile']],
    ['issuer=did:example:nobody', []],
    [`issuer=${encodeURIComponent(issuer)}&type=Course`, ['compact']],
    ['state=active', ALL],
  ] as const) {
    t.deepEqual(await formats(`?${query}`), [...expected], query)
    t.is((await find(`?${query}&limit=0`)).total_count, expected.length, query)
  }
  t.like((await find(`?batchId=${batch}`)).data[0], { batch_id: batch, batch_row: 7 })
})

test.serial('lists of the W3C formats find all of theirs by VerifiableCredential, which no row repeats', async (t) => {
  for (const format of ['web-semantic', 'compact-semantic'])
    t.deepEqual((await find(`/${format}?type=VerifiableCredential`)).data.length, 1, format)
  t.is((await find('/compact?type=VerifiableCredential')).total_count, 0)
})

test.serial('the state is the first that applies of revoked, suspended, expired and active (D-308)', async (t) => {
  const past = "set expiration_date = now() - interval '1 minute'"
  await set(`update credentials ${past} where id = $1`, idOf('compact-semantic'))
  await set(`update credentials ${past}, suspended = true where id = $1`, idOf('mobile'))
  await set(`update credentials ${past}, suspended = true, revoked = true where id = $1`, idOf('compact'))
  for (const [state, format] of [
    ['revoked', 'compact'],
    ['suspended', 'mobile'],
    ['expired', 'compact-semantic'],
    ['active', 'web-semantic'],
  ] as const) {
    t.deepEqual(await formats(`?state=${state}`), [format], state)
    t.is((await ask(`/${idOf(format)}`)).json<Summary>().state, state)
  }
})

test.serial('a token finds the credentials whose format it may read, and no other tenant finds any', async (t) => {
  const client = await world.addTenant()
  t.is((await find('', await world.tokenOf(client))).total_count, 0)
  t.is(refusal(await ask(`/${idOf('compact')}`, await world.tokenOf(client)), 404), 'credential.not_found')
  const compact = await world.tokenOf(world.first, 'compact-credentials:read')
  t.deepEqual(await formats('', compact), ['compact', 'compact-semantic'])
  t.is((await ask(`/${idOf('compact')}`, compact)).status, 200)
  for (const path of [`/${idOf('mobile')}`, `/${idOf('mobile')}/timeline`, '?format=web-semantic'])
    t.is(refusal(await ask(path, compact), 403), 'token.insufficient_scope', path)
  const none = await world.tokenOf(world.first, 'dids:read')
  for (const path of ['', `/${idOf('mobile')}`, `/${randomUUID()}`, `/${idOf('mobile')}/timeline`])
    t.is(refusal(await ask(path, none), 403), 'token.insufficient_scope', path)
  t.is((await world.ask(PATH)).status, 401)
})

test.serial('filters that are none are refused by their name, and so are ids of nothing', async (t) => {
  for (const [query, field] of [
    ['format=jwt', 'format'],
    ['state=lost', 'state'],
    ['batchId=7', 'batchId'],
    ['templateId=x', 'templateId'],
    ['limit=1001', 'limit'],
  ] as const) {
    const reply = await ask(`?${query}`)
    t.is(reply.status, 400, reply.text)
    t.deepEqual(
      reply.json<{ errors: { path: string }[] }>().errors.map(({ path }) => path),
      [field],
    )
  }
  t.is((await ask('/nothing')).status, 400)
  for (const path of [`/${randomUUID()}`, `/${randomUUID()}/timeline`])
    t.is(refusal(await ask(path), 404), 'credential.not_found')
})

test('a credential and its timeline are found by the id that signing returned, whatever the format (D-282)', async (t) => {
  const compact = await signCompact(world, { iss: issuer, type: 'Pass' })
  const both = await signCompactSemantic(world, issuer)
  for (const [id, uuid] of [
    [compact.id, uuidOf(compact.id)],
    [uuidOf(compact.id).toUpperCase(), uuidOf(compact.id)],
    [both.id.replace('urn:uuid:', ''), both.id.replace('urn:uuid:', '')],
  ] as const) {
    t.is((await ask(`/${id}`)).json<Summary>().id, uuid)
    t.is((await ask(`/${id}/timeline`)).json<{ data: { type: string }[] }>().data[0]?.type, 'credential.issued')
  }
  t.is(refusal(await ask(`/${'A'.repeat(22)}`), 404), 'credential.not_found')
  t.is(refusal(await ask('/nobody'), 400), 'request.invalid')
})
