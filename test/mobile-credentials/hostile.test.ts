import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { rootCertificates } from 'node:tls'
import { LockMode } from '@mikro-orm/core'
import test, { type ExecutionContext } from 'ava'
import { Iaca } from '../../entities/mobile-credentials.ts'
import { inTenant } from '../../entities/orm.ts'
import { type Cbor, type CborMap, decodeCbor, encodeCbor, Tag } from '../../protocol/cose/cbor.ts'
import { countElements } from '../../protocol/credentials/certificate.elements.ts'
import { MAX_ELEMENTS, readCertificate } from '../../protocol/mobile-credentials/certificates.read.ts'
import { embed, MAX_SIGNED_BYTES } from '../../protocol/mobile-credentials/issuer-signed.ts'
import { MDOC } from '../../protocol/mobile-credentials/read.ts'
import { certificateWith, element, issueElsewhere, makeForeignIaca } from '../support/credentials/mobile.issuers.ts'
import { IACAS, makeIaca, makeSigner, SIGN, SIGNERS } from '../support/credentials/mobile.ts'
import { longestTurn, processorMs } from '../support/parts/processor-time.ts'
import { openWorld, type World } from '../support/world.ts'

type ForeignIaca = Awaited<ReturnType<typeof makeForeignIaca>>

let world: World
let trusted: ForeignIaca
test.before(async () => {
  world = await openWorld()
  await makeIaca(world)
  await makeSigner(world, { active: true })
  trusted = await trust()
})
test.after.always(() => world?.close())

async function trust(subject?: Parameters<typeof makeForeignIaca>[0]): Promise<ForeignIaca> {
  const iaca = await makeForeignIaca(subject)
  const { certificatePem } = iaca
  const reply = await world.ask(IACAS, { token: world.token, body: { certificatePem } })
  if (reply.status !== 201) throw new Error(`the import answered ${reply.status} ${reply.text}`)
  return iaca
}

/** The verdict on a credential, as types of reasons. */
async function verdictOn(t: ExecutionContext, payload: string, session?: object): Promise<string[]> {
  const body = { payload, ...(session && { session }) }
  const reply = await world.ask('/v1/credentials/mobile/verify', { token: world.token, body })
  t.is(reply.status, 200, reply.text)
  const { verified, reason } = reply.json<{ verified: boolean; reason: { type: string }[] }>()
  return verified ? ['verified'] : reason.map(({ type }) => type)
}

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
const signWith = (itemsToSign: object) =>
  world.ask(SIGN, { token: world.token, body: { payload: { docType: 'example.document', itemsToSign } } })

/** The answer to a request to sign: status, code, and the code of each error. */
async function outcomeOf(itemsToSign: object): Promise<unknown[]> {
  const { status, text: body } = await signWith(itemsToSign)
  const { type = '', errors = [] } = JSON.parse(body) as { type?: string; errors?: { code: string }[] }
  return status === 200 ? [200] : [status, type.split('#')[1], ...errors.map(({ code }) => code)]
}

const [MDL, PID] = ['org.iso.18013.5.1', 'eu.europa.ec.eudi.pid.1']
const listOf = (item: string, count: number, end = '') => `[${Array(count).fill(item).join(',')}${end}]`

test.serial('texts that are JSON have no more values than a body, and take no turn of 50 ms (D-329)', async (t) => {
  const privilege = '{"vehicle_category_code":"B"}'
  const licence = (driving_privileges: unknown) => outcomeOf({ [MDL]: { driving_privileges } })
  const most = () => licence(listOf(privilege, 6_400))
  t.deepEqual(await most(), [200])
  t.true((await longestTurn(t, most)) < 50)
  const members = [400, 'credential.invalid', 'members']
  const attacks: [string, () => Promise<unknown[]>][] = [
    ['30,000 privileges', () => licence(listOf(privilege, 30_000))],
    ['60,000 codes', () => licence(`[{"vehicle_category_code":"B","codes":${listOf('{"code":"a"}', 60_000)}}]`)],
    ['200,000 empty maps', () => licence(listOf('{}', 200_000, ',1'))],
    ['250,000 numbers', () => outcomeOf({ [PID]: { nationality: listOf('1', 250_000) } })],
    ['60 texts of 1,000 values', () => licence(Array(60).fill(`{"codes":${listOf('1', 1_000)}}`))],
  ]
  for (const [title, attack] of attacks) t.deepEqual((await attack()).slice(0, 3), members, title)
  for (const [title, attack] of attacks) t.true((await longestTurn(t, attack)) < 50, title)
  const wrong = await licence(listOf('{}', 3_000))
  t.deepEqual(wrong, [400, 'credential.invalid', ...Array(50).fill('required')])
  t.deepEqual(await licence('[{"vehicle_category_code":"A","vehicle_category_code":"B"}]'), [
    400,
    'credential.invalid',
    'member',
  ])
  t.deepEqual(await licence(`${'['.repeat(100_000)}`), [400, 'credential.invalid', 'depth'])
  t.deepEqual(await licence('[no JSON'), [400, 'credential.invalid', 'array'])
})

test('a document signer has the country and the state of its IACA, and lives for 457 days (D-330)', async (t) => {
  const of = async (iaca: ForeignIaca, subject: Parameters<ForeignIaca['signer']>[0], days?: number) =>
    verdictOn(t, await issueElsewhere(await iaca.signer(subject, days)))
  t.deepEqual(await of(trusted, { country: 'NL' }), ['verified'])
  t.deepEqual(await of(trusted, { country: 'DE' }), ['Certificate'])
  t.deepEqual(await of(trusted, { country: 'NL', stateOrProvinceName: 'NL-ZH' }), ['verified'])
  t.deepEqual(await of(trusted, { country: 'NL' }, 456), ['verified'])
  t.deepEqual(await of(trusted, { country: 'NL' }, 457), ['Certificate'])
  const state = await trust({ country: 'NL', stateOrProvinceName: 'NL-ZH' })
  t.deepEqual(await of(state, { country: 'NL', stateOrProvinceName: 'NL-ZH' }), ['verified'])
  t.deepEqual(await of(state, { country: 'NL', stateOrProvinceName: 'NL-NH' }), ['Certificate'])
})

test('values of any tag are shown, and device keys of any kind are answered', async (t) => {
  const signer = await trusted.signer()
  const withValue = (value: Cbor) => issueElsewhere(signer, { nameSpaces: new Map([['x', new Map([['y', value]])]]) })
  const big = (2n ** 60n) as unknown as Cbor
  const shown = String(2n ** 60n)
  for (const [value, expected] of [
    [new Tag(0, big), shown],
    [new Tag(1004, new Tag(0, big)), shown],
    [new Tag(0, [big]), [shown]],
    [new Tag(0, new Map([['a', big]])), { a: shown }],
  ] as const) {
    const body = { payload: await withValue(value) }
    const reply = await world.ask('/v1/credentials/mobile/verify', { token: world.token, body })
    t.is(reply.status, 200, reply.text)
    t.deepEqual(reply.json<{ documents: { namespaces: object }[] }>().documents[0]?.namespaces, { x: { y: expected } })
  }
  const readers = ['x25519', 'ed25519'].map((type) => generateKeyPairSync(type as 'x25519').privateKey)
  const points = [new Uint8Array(32), Uint8Array.of(1, ...new Uint8Array(31)), new Uint8Array(32).fill(9)]
  for (const [at, crv] of [4, 6].entries())
    for (const x of points) {
      const deviceKey = new Map<number, Cbor>([[1, 1], [-1, crv], [-2, x]]) // biome-ignore format: one line
      const issuerSigned = decodeCbor(Buffer.from(await issueElsewhere(signer, { deviceKey }), 'base64url'), MDOC)
      const mac = [encodeCbor(new Map([[1, 5]])), new Map(), null, new Uint8Array(32)]
      const deviceSigned = new Map<string, Cbor>([
        ['nameSpaces', embed(new Map())],
        ['deviceAuth', new Map([['deviceMac', mac]])],
      ])
      const document = new Map<string, Cbor>([
        ['docType', 'example.document'],
        ['issuerSigned', issuerSigned],
        ['deviceSigned', deviceSigned],
      ])
      const response = new Map<string, Cbor>([['version', '1.0'], ['documents', [document]], ['status', 0]]) // biome-ignore format: one line
      const session = {
        transcript: text(encodeCbor([null, null, 'x'])),
        readerPrivateKey: readers[at]?.export({ format: 'jwk' }),
      }
      t.deepEqual(await verdictOn(t, text(encodeCbor(response)), session), ['Device'])
    }
})

test('times of an MSO are those of RFC 3339, and in their order (ISO/IEC 18013-5, 9.1.2.4)', async (t) => {
  const signer = await trusted.signer()
  const now = Math.floor(Date.now() / 1000) * 1000
  const at = (seconds: number) => new Date(now + seconds * 1000)
  const of = async (signed: number, validFrom: number, validUntil: number) =>
    verdictOn(
      t,
      await issueElsewhere(signer, {
        validity: { signed: at(signed), validFrom: at(validFrom), validUntil: at(validUntil) },
      }),
    )
  t.deepEqual(await of(0, 0, 100), ['verified'])
  t.deepEqual(await of(0, 50, 50), ['Syntax'])
  t.deepEqual(await of(0, 50, 40), ['Syntax'])
  t.deepEqual(await of(3_600, 0, 7_200), ['NotYetValid'])
  const encoded = await issueElsewhere(signer)
  const mdoc = decodeCbor(Buffer.from(encoded, 'base64url'), MDOC) as CborMap
  const [header, chain, payload, signature] = mdoc.get('issuerAuth') as [Uint8Array, CborMap, Uint8Array, Uint8Array]
  const mso = decodeCbor((decodeCbor(payload, MDOC) as Tag).contents as Uint8Array, MDOC) as CborMap
  for (const time of ['2099', 'Dec 1 2098', '2099-01-01', '2099-01-01T00:00:00', '2099-02-30T00:00:00Z']) {
    const validityInfo = new Map([...(mso.get('validityInfo') as Map<string, Cbor>), ['validUntil', new Tag(0, time)]])
    const changed = embed(new Map([...(mso as Map<string, Cbor>), ['validityInfo', validityInfo]]))
    const issuerAuth = [header, chain, encodeCbor(changed), signature]
    const forged = encodeCbor(new Map([...(mdoc as Map<string, Cbor>), ['issuerAuth', issuerAuth]]))
    t.deepEqual(await verdictOn(t, text(forged)), ['Syntax'], time)
  }
})

const [SUBJECT_NAMES, USAGES] = ['2.5.29.17', '2.5.29.37']
const names = (count: number): [string, Uint8Array] => [
  SUBJECT_NAMES,
  element(0x30, Buffer.concat(Array(count).fill(element(0x82, new Uint8Array())))),
]

test.serial('a certificate with more elements of DER than are read is none, and costs nothing (D-1180)', async (t) => {
  const roots = rootCertificates.map((pem) => countElements(new X509Certificate(pem).raw, MAX_ELEMENTS))
  t.true(roots.length > 100 && Math.max(...roots) < MAX_ELEMENTS / 2, String(Math.max(...roots)))
  const ordinary = await certificateWith([names(100)])
  const read = readCertificate(ordinary)
  t.is(read?.native.subjectAltName?.split(',').length, 100)
  t.is(readCertificate(new Uint8Array(ordinary)), read) // not read again
  t.is(readCertificate(Uint8Array.of(...ordinary, 0)), undefined)
  const long = (tag: number, byte: number) => element(0x30, element(tag, Buffer.alloc(15_000, byte)))
  const cases: [string, Uint8Array][] = [
    ['6,500 names', await certificateWith([names(6_500)])],
    ['600 names', await certificateWith([names(600)])],
    ['300 extensions', await certificateWith(Array(300).fill(names(1)))],
    ['a long usage', await certificateWith([[USAGES, long(0x06, 0x11)]])],
    [
      'names behind bytes that are no DER',
      await certificateWith([['1.2.3', Buffer.from('04ff00', 'hex')], names(600)]),
    ],
    ['names in an octet string', await certificateWith([['1.2.3', element(0x04, names(600)[1])]])],
  ]
  for (const [title, der] of cases) {
    t.true(new X509Certificate(der).raw.equals(der), title)
    t.true(processorMs(() => t.is(readCertificate(der), undefined, title)) < 5, title)
  }
})

test.serial('the certificates of an answer are bounded together, and take no turn of 50 ms (D-1180)', async (t) => {
  const signer = await trusted.signer()
  const mdoc = decodeCbor(Buffer.from(await issueElsewhere(signer), 'base64url'), MDOC) as Map<string, Cbor>
  const [header, , ...more] = mdoc.get('issuerAuth') as [Uint8Array, CborMap, Uint8Array, Uint8Array]
  const others = await Promise.all(Array.from({ length: 15 }, () => certificateWith([names(440)])))
  const beside = (from: number, to: number) => {
    const issuerAuth = [header, new Map([[33, [signer.certificate, ...others.slice(from, to)]]]), ...more]
    return text(encodeCbor(new Map<string, Cbor>([...mdoc, ['issuerAuth', issuerAuth]])))
  }
  t.true(others.every((each) => countElements(each, MAX_ELEMENTS) <= MAX_ELEMENTS))
  t.deepEqual(await verdictOn(t, beside(0, 0)), ['verified'])
  let run = 0 // others each time: what was read is known afterwards
  const answer = async () => {
    run += 5
    t.deepEqual(await verdictOn(t, beside(run - 5, run)), ['verified'])
  }
  t.true((await longestTurn(t, answer)) < 50)
  t.deepEqual(await verdictOn(t, beside(0, 8)), ['Syntax'])
})

test('no credential is signed that is too long to be sent for verification (D-331)', async (t) => {
  const value = (length: number) => ({ 'example.1': { text: 'x'.repeat(length) } })
  const reply = await signWith(value(MAX_SIGNED_BYTES - 2_000))
  t.is(reply.status, 200, reply.text.slice(0, 200))
  t.deepEqual(await verdictOn(t, reply.json<{ encoded: string }>().encoded), ['verified'])
  t.deepEqual(await outcomeOf(value(MAX_SIGNED_BYTES)), [400, 'credential.invalid', 'too_long'])
})

test('an IACA that is being deleted certifies no signer', async (t) => {
  const tenant = await world.addTenant()
  const token = await world.tokenOf(tenant)
  const { id } = await makeIaca(world, {}, token)
  const { database, systemSql } = world.dependencies
  const waiters = async () => {
    const { rows } = await systemSql.query<{ count: number }>({
      text: 'select count(*)::int as count from pg_locks where not granted',
      values: [],
    })
    return rows[0]?.count ?? 0
  }
  let creation: ReturnType<World['ask']> | undefined
  await inTenant(database.tenants, tenant.tenantId, async (em) => {
    const row = await em.findOneOrFail(Iaca, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
    row.deletedAt = new Date()
    await em.flush()
    creation = world.ask(SIGNERS, { token, body: { iacaId: id } })
    while ((await waiters()) === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  })
  const reply = await creation
  t.is(reply?.status, 404, reply?.text)
  t.is((await world.ask(SIGNERS, { token })).json<{ totalCount: number }>().totalCount, 0)
})
