import test from 'ava'
import { readEtsiList } from '../../protocol/trust-lists/etsi/read.ts'
import { codeOf } from '../support/parts/keys.ts'
import { loteOf, PID_ISSUANCE } from '../support/trust-lists/lote.ts'

const DID = 'did:web:a.example'

const read = (list: unknown) => readEtsiList({ format: 'ts-119-602', text: JSON.stringify(list), signers: undefined })

const withScheme = (scheme: object) => loteOf([{ ids: [DID] }], scheme)

/** The list with another value in place of a member of its entity or service. */
const changed = (member: string, value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(loteOf([{ ids: [DID], status: 'urn:any', since: '2026-01-01T00:00:00Z' }])),
    (name, old: unknown) => (name === member ? value : old),
  )

test('what a list in JSON says of itself is read, in each form that the standard has', async (t) => {
  const issued = { ListIssueDateTime: '2026-11-01T10:00:00.123456789+02:00', NextUpdate: '9999-12-31T23:59:59Z' }
  const list = await read(withScheme({ ...issued, LoTESequenceNumber: 0, LoTEType: 'urn:type' }))
  t.like(list, { type: 'urn:type', sequence: 0, isClosed: false, issuedAt: new Date('2026-11-01T08:00:00.123Z') })
  t.deepEqual(list.nextUpdate, new Date('9999-12-31T23:59:59Z'))
  const older = { ListIssueDateTime: undefined, ListIssueDatetime: '2026-11-01T10:00:00Z', NextUpdate: undefined }
  const least = await read(withScheme({ ...older, LoTEType: undefined, LoTESequenceNumber: undefined }))
  t.like(least, { type: undefined, sequence: 0, isClosed: false, nextUpdate: undefined })
  t.deepEqual(least.issuedAt, new Date('2026-11-01T10:00:00Z'))
  t.like(await read(withScheme({ NextUpdate: null })), { isClosed: true, nextUpdate: undefined })
  const bare: unknown = withScheme({}).LoTE
  t.deepEqual((await read(bare)).services[0]?.identifiers, [DID], 'without the root')
})

test('a service has its type, status and identities, and its entity the English name', async (t) => {
  const { services } = await read(changed('any', 0))
  t.like(services[0], { entity: 'The ministry', type: PID_ISSUANCE, status: 'urn:any', identifiers: [DID] })
  t.deepEqual(services[0]?.statusSince, new Date('2026-01-01T00:00:00Z'))
  const [plain] = (await read(loteOf([{ ids: [DID] }]))).services
  t.deepEqual([plain?.status, plain?.statusSince], [undefined, undefined])
  const names: [unknown, string | undefined][] = [
    [[{ lang: 'de', value: ' Das Amt ' }, 5, null], 'Das Amt'],
    [
      [
        { lang: 'de', value: 'Das Amt' },
        { lang: 'en', value: 'The office' },
      ],
      'The office',
    ],
    [[{ lang: 'en', value: 5 }], undefined],
    [[], undefined],
    ['The office', undefined],
  ]
  for (const [value, name] of names) t.is((await read(changed('TEName', value))).services[0]?.entity, name)
  t.is((await read(changed('TrustedEntityInformation', 1))).services[0]?.entity, undefined)
  t.is((await read(changed('ServiceTypeIdentifier', undefined))).services[0]?.type, '')
  t.deepEqual((await read(changed('ServiceDigitalIdentity', 'none'))).services[0]?.identifiers, [])
  t.deepEqual((await read(changed('TrustedEntitiesList', undefined))).services, [])
})

test('a list in JSON with a member of another form is malformed, whichever it is', async (t) => {
  const times = [
    'now',
    1_800_000_000,
    '2026-11-01',
    '2026-11-01T10:00:00',
    '2026-11-01 10:00:00Z',
    '2026-13-01T10:00:00Z',
  ]
  const more = ['+010000-01-01T00:00:00Z', ' 2026-11-01T10:00:00Z', '2026-11-01T10:00:00Z ', '2026-11-01T10:00:00.Z']
  for (const time of [...times, ...more]) {
    for (const name of ['ListIssueDateTime', 'NextUpdate'])
      t.is(await codeOf(read(withScheme({ [name]: time }))), 'trust_list.source_invalid', `${name} ${time}`)
    t.is(await codeOf(read(changed('StatusStartingTime', time))), 'trust_list.source_invalid', `since ${time}`)
  }
  t.is(await codeOf(read(withScheme({ ListIssueDateTime: undefined }))), 'trust_list.source_invalid')
  for (const sequence of [-1, 1.5, '7', null, 2 ** 53])
    t.is(
      await codeOf(read(withScheme({ LoTESequenceNumber: sequence }))),
      'trust_list.source_invalid',
      String(sequence),
    )
  for (const text of ['', 5, null, 'x'.repeat(2_049)]) {
    t.is(await codeOf(read(withScheme({ LoTEType: text }))), 'trust_list.source_invalid')
    for (const name of ['ServiceTypeIdentifier', 'ServiceStatus'])
      t.is(await codeOf(read(changed(name, text))), 'trust_list.source_invalid', name)
  }
  t.is(await codeOf(read(withScheme({ LoTEType: 'x'.repeat(2_048) }))), 'none')
  for (const value of [1, 'text', null, {}, [1], [null]])
    for (const name of ['TrustedEntitiesList', 'TrustedEntityServices', 'X509Certificates'])
      t.is(await codeOf(read(changed(name, value))), 'trust_list.source_invalid', `${name} ${JSON.stringify(value)}`)
  for (const value of [1, 'text', null, []]) {
    t.is(await codeOf(read(changed('ListAndSchemeInformation', value))), 'trust_list.source_invalid')
    t.is(await codeOf(read(changed('ServiceInformation', value))), 'trust_list.source_invalid')
  }
  for (const list of [1, 'text', null, [], {}]) t.is(await codeOf(read(list)), 'trust_list.source_invalid')
})

test('an extension that says that it is critical is refused, wherever it is and however it says so', async (t) => {
  const entity = (extensions: unknown) => {
    const list = loteOf([{ ids: [DID] }])
    for (const each of list.LoTE.TrustedEntitiesList)
      Object.assign(each.TrustedEntityInformation, { TEInformationExtensions: extensions })
    return list
  }
  const service = (extensions: unknown) => {
    const list = loteOf([{ ids: [DID] }])
    for (const each of list.LoTE.TrustedEntitiesList)
      for (const { ServiceInformation: information } of each.TrustedEntityServices)
        Object.assign(information, { ServiceInformationExtensions: extensions })
    return list
  }
  for (const place of [(extensions: unknown) => withScheme({ SchemeExtensions: extensions }), entity, service]) {
    for (const critical of [true, 'true', 1, null, {}])
      for (const name of ['Critical', 'critical'])
        t.is(await codeOf(read(place([{ [name]: false }, { [name]: critical }]))), 'trust_list.source_extension')
    for (const harmless of [undefined, null, [], [{}], [{ Critical: false }], [{ critical: 'false' }]])
      t.is(await codeOf(read(place(harmless))), 'none', JSON.stringify(harmless))
    for (const value of [1, {}, ['text']]) t.is(await codeOf(read(place(value))), 'trust_list.source_invalid')
  }
})
