import test from 'ava'
import { makeForeignIaca } from '../support/credentials/mobile.issuers.ts'
import { refusal } from '../support/credentials/templates.ts'
import { type TrustListAnswer, trustListsOf } from '../support/trust-lists/lists.ts'
import { inHours, loteOf, openListOperator, PID_ISSUANCE, PID_REVOCATION } from '../support/trust-lists/lote.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let pem: string
let other: string
let operator: Awaited<ReturnType<typeof openListOperator>>
test.before(async () => {
  world = await openWorld()
  pem = (await makeForeignIaca()).certificatePem
  other = (await makeForeignIaca({ commonName: 'Another' })).certificatePem
  operator = await openListOperator()
})
test.after.always(() => world?.close())

/** In a tenant of its own, which has room for it. */
async function importing(document: string, more: object = {}, source: object = {}) {
  const lists = trustListsOf(world, await world.tokenOf(await world.addTenant()))
  const of = { format: 'ts-119-602', document, signers: [operator.signer], serviceTypes: [PID_ISSUANCE], ...source }
  return { lists, reply: await lists.create({ name: 'PID', formats: ['mobile'], source: of, ...more }) }
}

test('a signed list is imported: services of the types, with names, certificates and what the list says of itself', async (t) => {
  const list = loteOf([
    { certificates: [pem] },
    { name: 'Revocation', type: PID_REVOCATION, certificates: [other] },
    { name: 'A company', ids: ['did:web:company.example', 'a number'] },
  ])
  const { lists, reply } = await importing(await operator.sign(list))
  t.is(reply.status, 201, reply.text)
  const created = reply.json<TrustListAnswer>()
  t.deepEqual(
    created.entries.map(({ name, certificate, identifier }) => [name, certificate === null, identifier]),
    [
      ['The ministry', false, null],
      ['A company', true, 'did:web:company.example'],
    ],
  )
  t.like(created, {
    state: 'current',
    entryCount: 2,
    imported: { type: 'http://uri.etsi.org/19602/LoTEType/EUPIDProvidersList', sequenceNumber: 7, skipped: 1 },
    source: { format: 'ts-119-602', url: null, serviceTypes: [PID_ISSUANCE], refreshHours: 6, graceHours: 24 },
    failure: null,
  })
  t.deepEqual((await lists.read(created.id)).json(), reply.json())
  t.is(refusal(await lists.refresh(created.id), 409), 'trust_list.no_url')
  const typed = await lists.update(created.id, { entries: [{ certificate: other }] })
  t.like(typed.json<TrustListAnswer>(), {
    ...{ source: null, imported: null, fetchedAt: null, staleAt: null, entryCount: 1 },
  })
  const source = { format: 'ts-119-602', document: JSON.stringify(list), serviceTypes: [PID_REVOCATION] }
  const again = await lists.update(created.id, { source })
  t.like(again.json<TrustListAnswer>(), { entryCount: 1, source: { signers: [] } }, 'the caller vouches for it')
})

test('a document takes the place of a newer one: it is what its sender sends (D-1006)', async (t) => {
  const signed = (sequence: number) =>
    operator.sign(
      loteOf([{ certificates: [pem] }], { LoTESequenceNumber: sequence, ListIssueDateTime: inHours(-sequence) }),
    )
  const { lists, reply } = await importing(await signed(7))
  const { id } = reply.json<TrustListAnswer>()
  const of = { format: 'ts-119-602', signers: [operator.signer], serviceTypes: [PID_ISSUANCE] }
  for (const sequence of [6, 9]) {
    const updated = await lists.update(id, { source: { ...of, document: await signed(sequence) } })
    t.is(updated.json<TrustListAnswer>().imported?.sequenceNumber, sequence, updated.text)
  }
})

test('a signer of the source that has expired is told from others, through the API too', async (t) => {
  const [document, signers] = [await operator.sign(good()), [(await openListOperator()).signer, operator.expiredSigner]]
  const { reply } = await importing(document, {}, { signers })
  t.is(refusal(reply, 400), 'trust_list.source_signature')
  t.regex(reply.json<{ detail: string }>().detail, /whose certificate is not valid now/)
})

test('services count that are in force alone', async (t) => {
  const status = (name: string) => `http://uri.etsi.org/19602/PubEAAProvidersList/SvcStatus/${name}`
  const list = loteOf([
    { certificates: [pem], status: status('notified'), since: inHours(-1) },
    { certificates: [other], status: status('withdrawn'), since: inHours(-1) },
  ])
  const { reply } = await importing(await operator.sign(list))
  t.is(reply.json<TrustListAnswer>().entryCount, 1, reply.text)
  const later = loteOf([{ certificates: [pem], status: status('notified'), since: inHours(1) }])
  t.is(refusal((await importing(await operator.sign(later))).reply, 400), 'trust_list.source_empty')
})

/** Lists of before the standard, as the first sandbox of a member state publishes them. */
test('a list without the root LoTE and without a next update is read, and never stale', async (t) => {
  const { ListAndSchemeInformation: scheme, TrustedEntitiesList } = loteOf([{ certificates: [pem] }]).LoTE
  const { NextUpdate: _, ListIssueDateTime, LoTESequenceNumber: __, ...rest } = scheme
  const old = { ListAndSchemeInformation: { ...rest, ListIssueDatetime: ListIssueDateTime }, TrustedEntitiesList }
  const { reply } = await importing(await operator.sign(old, { typ: 'trustlist+jwt' }))
  t.like(
    reply.json<TrustListAnswer>(),
    { staleAt: null, imported: { nextUpdate: null, sequenceNumber: 0 } },
    reply.text,
  )
})

test('an identifier that is no text is one that nobody reads, and an end of all times is one', async (t) => {
  const list = loteOf([{ certificates: [pem] }], { NextUpdate: '9999-12-31T23:59:59Z' })
  const others = '[{"valueOf":{}},[[null]],7,"did:web:a.example"]'
  const document = JSON.stringify(list).replace('"X509Certificates"', `"OtherIds":${others},"X509Certificates"`)
  const { reply } = await importing(document, {}, { signers: [], graceHours: 720 })
  t.is(reply.status, 201, reply.text)
  t.like(reply.json<TrustListAnswer>(), { entryCount: 2, staleAt: '9999-12-31T23:59:59.999Z' })
  t.like(reply.json<TrustListAnswer>(), { imported: { skipped: 1 } }, 'each kind once')
})

test('identities of one service are read a few at a time, each once, and no more than bounded', async (t) => {
  const many = (count: number) =>
    JSON.stringify(loteOf([{ certificates: [pem] }])).replace(
      '"X509Certificates":[',
      `"X509Certificates":[${Array.from({ length: count }, (_, at) => `{"val":"${Buffer.from(`${at}`).toString('base64')}"},`).join('')}`,
    )
  const unsigned = { signers: [] }
  const accepted = (await importing(many(3_999), {}, unsigned)).reply
  t.is(accepted.status, 201, accepted.text)
  t.like(accepted.json<TrustListAnswer>(), { entryCount: 1, imported: { skipped: 3_999 } })
  t.is(refusal((await importing(many(4_000), {}, unsigned)).reply, 400), 'trust_list.source_too_large')
  const same = JSON.stringify(loteOf([{ certificates: Array.from({ length: 500 }, () => pem) }]))
  const begun = process.cpuUsage()
  t.is((await importing(same, {}, unsigned)).reply.status, 201)
  const { user } = process.cpuUsage(begun)
  t.true(user < 500_000, `one certificate many times took ${user} µs`)
})

const good = () => loteOf([{ certificates: [pem] }])

const changed = async (part: 0 | 1 | 2) => {
  const parts = (await operator.sign(good())).split('.')
  const bytes = Buffer.from(parts[part] ?? '', 'base64url')
  if (part === 1)
    return parts
      .with(1, Buffer.from(bytes.toString().replace('The ministry', 'The impostor')).toString('base64url'))
      .join('.')
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
  return parts.with(part, bytes.toString('base64url')).join('.')
}

const unsigned = () => {
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${encoded({ alg: 'none' })}.${encoded(good())}.`
}

const REFUSED: [what: string, document: () => string | Promise<string>, code: string, source?: () => object][] = [
  ['another content than its signature', () => changed(1), 'source_signature'],
  ['a changed signature', () => changed(2), 'source_signature'],
  ['no signature', unsigned, 'source_signature'],
  [
    'a signature of somebody who brings the certificate along',
    async () => (await openListOperator()).sign(good()),
    'source_signature',
  ],
  [
    'a critical parameter that nobody knows',
    () => operator.sign(good(), { crit: ['unknown'], unknown: 1 }),
    'source_signature',
  ],
  ['JSON in place of a JWS', () => JSON.stringify(good()), 'source_signature'],
  [
    'a signer whose certificate has expired',
    () => operator.sign(good()),
    'source_signature',
    () => ({ signers: [operator.expiredSigner] }),
  ],
  ['no scheme information', () => operator.sign({ LoTE: {} }), 'source_invalid'],
  ['a list in place of an object', () => operator.sign([]), 'source_invalid'],
  [
    'entities that are none',
    () => operator.sign({ LoTE: { ...good().LoTE, TrustedEntitiesList: [1] } }),
    'source_invalid',
  ],
  [
    'a time that no database holds',
    () => operator.sign(loteOf([], { NextUpdate: '9999-12-31T23:59:59-23:59' })),
    'source_invalid',
  ],
  [
    'a critical extension of the scheme that nobody knows',
    () => operator.sign(loteOf([{ certificates: [pem] }], { SchemeExtensions: [{ Other: 1, critical: true }] })),
    'source_extension',
  ],
  ['a time that is none', () => operator.sign(loteOf([], { NextUpdate: 'tomorrow' })), 'source_invalid'],
  [
    'an issue in the future',
    () => operator.sign(loteOf([{ certificates: [pem] }], { ListIssueDateTime: inHours(2) })),
    'source_invalid',
  ],
  ['a sequence number that is none', () => operator.sign(loteOf([], { LoTESequenceNumber: -1 })), 'source_invalid'],
  [
    'a next update that was due two days ago',
    () => operator.sign(loteOf([{ certificates: [pem] }], { NextUpdate: inHours(-48) })),
    'source_expired',
  ],
  ['no entity', () => operator.sign(loteOf([])), 'source_empty'],
  [
    'services of other types alone',
    () => operator.sign(loteOf([{ type: PID_REVOCATION, certificates: [pem] }])),
    'source_empty',
  ],
  [
    'identifiers alone, for mobile credentials',
    () => operator.sign(loteOf([{ ids: ['did:web:a.example'] }])),
    'source_empty',
  ],
  ['certificates that cannot be read', () => operator.sign(loteOf([{ certificates: ['AAAA'] }])), 'source_empty'],
  ['deep nesting', () => `${'['.repeat(10_000)}${']'.repeat(10_000)}`, 'source_invalid', () => ({ signers: [] })],
  ['a member twice', () => '{"LoTE":1,"LoTE":2}', 'source_invalid', () => ({ signers: [] })],
  ['an object that no text can be', () => '{"LoTE":{"toString":1}}', 'source_invalid', () => ({ signers: [] })],
]

for (const [what, document, code, source] of REFUSED)
  test(`a list with ${what} is refused (${code})`, async (t) => {
    const { lists, reply } = await importing(await document(), {}, source?.())
    t.is(refusal(reply, 400), `trust_list.${code}`)
    t.is((await lists.list()).json<{ totalCount: number }>().totalCount, 0)
  })

/** Each with the place that is named. */
const SOURCES: [what: string, source: object, place: string][] = [
  ['neither URL nor document', { document: null }, 'source'],
  ['both URL and document', { url: 'https://lists.example/a' }, 'source'],
  ['a URL without signers', { document: null, url: 'https://lists.example/a', signers: [] }, 'source.signers'],
  ['a URL of http', { document: null, url: 'http://lists.example/a' }, 'source.url'],
  ['a URL of this machine', { document: null, url: 'https://localhost/a' }, 'source.url'],
  ['what is no certificate', { signers: ['none'] }, 'source.signers.0'],
  ['no type of services', { serviceTypes: [] }, 'source.serviceTypes'],
  ['a type that is no URI', { serviceTypes: ['PID'] }, 'source.serviceTypes.0'],
  ['a type twice', { serviceTypes: [PID_ISSUANCE, PID_ISSUANCE] }, 'source.serviceTypes.1'],
  ['no hours', { refreshHours: 0 }, 'source.refreshHours'],
  ['too long a grace', { graceHours: 721 }, 'source.graceHours'],
]

for (const [what, source, place] of SOURCES)
  test(`a source with ${what} is refused at its place`, async (t) => {
    const { reply } = await importing('{}', {}, source)
    t.is(refusal(reply, 400), 'trust_list.invalid')
    t.deepEqual(
      reply.json<{ errors: { path: string }[] }>().errors.map(({ path }) => path),
      [place],
    )
  })

test('entries and a source together are refused, and so is neither', async (t) => {
  const entries = [{ certificate: pem }]
  t.is(refusal((await importing('{}', { entries })).reply, 400), 'trust_list.invalid')
  t.is(refusal((await importing('{}', { source: null })).reply, 400), 'trust_list.invalid')
})

test('a list of many certificates of one subject is refused', async (t) => {
  const many = await Promise.all(Array.from({ length: 21 }, () => makeForeignIaca()))
  const pems = many.map(({ certificatePem }) => certificatePem)
  const some = await importing(await operator.sign(loteOf([{ certificates: pems.slice(1) }])))
  t.is(some.reply.status, 201, some.reply.text)
  const { reply } = await importing(await operator.sign(loteOf([{ certificates: pems }])))
  t.is(refusal(reply, 400), 'trust_list.source_too_large')
})

test('the lists of a tenant have no more than 10,000 entries in all', async (t) => {
  const ids = (list: number, count: number) => Array.from({ length: count }, (_, at) => `did:web:${list}.${at}.example`)
  const of = (list: number, count: number) => JSON.stringify(loteOf([{ certificates: [pem], ids: ids(list, count) }]))
  const { lists } = await importing(of(0, 1_999), {}, { signers: [] })
  const source = (list: number, count: number) => ({
    ...{ format: 'ts-119-602', serviceTypes: [PID_ISSUANCE], document: of(list, count) },
  })
  const create = (list: number, count: number) =>
    lists.create({ name: 'More', formats: ['mobile'], source: source(list, count) })
  for (const list of [1, 2, 3]) t.is((await create(list, 1_999)).status, 201)
  const last = await create(4, 1_998)
  t.is(last.status, 201, last.text)
  t.is((await create(5, 0)).status, 201)
  t.is(refusal(await create(6, 0), 409), 'trust_list.too_many_entries')
  const { id } = last.json<TrustListAnswer>()
  t.is(refusal(await lists.update(id, { source: source(4, 1_999) }), 409), 'trust_list.too_many_entries')
  t.is((await lists.update(id, { source: source(4, 1_997) })).status, 200)
  t.is((await create(6, 0)).status, 201)
})
