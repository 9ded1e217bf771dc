import { randomUUID, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import test from 'ava'
import { compactVerify, decodeJwt, importX509 } from 'jose'
import { createActivities } from '../../activities/index.ts'
import { MOBILE_SIGN_EXAMPLE } from '../../api/mobile-credentials/answers.ts'
import { decodeCbor, encodeCbor } from '../../protocol/cose/cbor.ts'
import { coseSign1Of, HEADER, signCoseSign1 } from '../../protocol/cose/sign1.ts'
import { readCertificate } from '../../protocol/mobile-credentials/certificates.read.ts'
import { MDOC } from '../../protocol/mobile-credentials/read.ts'
import { mobileListCwt, readMobileList } from '../../protocol/mobile-credentials/status.ts'
import { setBits } from '../../protocol/status-list/index.ts'
import type { UnsignedToken } from '../../protocol/status-list/token.ts'
import { makeForeignIssuer } from '../support/credentials/mobile.issuers.ts'
import { IACAS, makeIaca, makeSigner, SIGN, SIGNERS, type SignedMobile } from '../support/credentials/mobile.ts'
import { openWorldBeside, type WorldBeside } from '../support/parts/elsewhere.ts'
import { signSdJwt, verifySdJwt } from '../support/sd-jwt/credentials.ts'
import type { Reply, World } from '../support/world.ts'

const MOBILE = '/v1/credentials/mobile'
const REVOCATIONS = '/v1/credentials/web-semantic/revocations'
const lists = new Map<string, { status?: number; body: Uint8Array | string }>()

let world: World
let beside: WorldBeside
test.before(async () => {
  beside = await openWorldBeside('mobile-lists.test', ({ url = '' }, response) => {
    const { status = 200, body } = lists.get(url) ?? { status: 404, body: '' }
    response.writeHead(status, { 'content-type': 'application/statuslist+cwt' }).end(body)
  })
  world = beside.world
})
test.after.always(() => beside?.close())

const typeOf = ({ status, text }: Reply) => [status, (JSON.parse(text) as { type: string }).type.split('#')[1]]

async function newIssuer() {
  const token = await world.tokenOf(await world.addTenant())
  const iaca = await makeIaca(world, {}, token)
  const signer = await makeSigner(world, { active: true }, token)
  const sign = async (more: object = { revocable: true }): Promise<SignedMobile> =>
    (await world.ask(SIGN, { token, body: { ...MOBILE_SIGN_EXAMPLE, revocable: false, ...more } })).json<SignedMobile>()
  const reasons = async (payload: string) => {
    const reply = await world.ask(`${MOBILE}/verify`, { token, body: { payload } })
    return reply.json<{ reason: { type: string }[] }>().reason.map(({ type }) => type)
  }
  const revoke = (id: string, isRevoked: boolean) =>
    world.ask(`${MOBILE}/${id}/revocation-status`, { token, body: { isRevoked } })
  return { token, iaca, signer, sign, reasons, revoke }
}

/** A published list as a reader elsewhere gets it, by its address in the credential. */
async function listAt(uri: string, accept: string) {
  const { host, pathname } = new URL(uri)
  const { port } = new URL(world.url)
  const [response] = (await once(
    get({ host: '127.0.0.1', port, path: pathname, headers: { accept, host } }),
    'response',
  )) as [IncomingMessage]
  const bytes = new Uint8Array(Buffer.concat(await response.toArray()))
  return { status: response.statusCode, type: response.headers['content-type'], bytes }
}

const fresh = { now: new Date(), toleranceMs: 60_000 }

test('a revocable mobile credential names its list, and a revocation shows at once in a verification', async (t) => {
  const { token, sign, reasons, revoke } = await newIssuer()
  const [signed, other] = [await sign(), await sign()]
  t.deepEqual(await reasons(signed.encoded), [])
  t.is((await revoke(signed.id, true)).status, 200)
  t.deepEqual(await reasons(signed.encoded), ['Revoked'])
  t.deepEqual(await reasons(other.encoded), [])
  const read = await world.ask(`${MOBILE}/${signed.id}`, { token })
  t.like(read.json(), { revocable: true, isRevoked: true })
  t.deepEqual((await world.ask(`${MOBILE}/${signed.id}/revocation-status`, { token })).json(), { isRevoked: true })
  await revoke(signed.id, false)
  t.deepEqual(await reasons(signed.encoded), [])
  const filter = { categories: [], types: ['MOBILE_CREDENTIAL_REVOCATION_SET_STATUS_SUCCESS'] }
  const times = { dateFrom: '2020-01-01T00:00:00Z', dateTo: '2999-01-01T00:00:00Z' }
  const log = await world.ask('/v1/analytics/events', { token, body: { ...filter, ids: [], requestIds: [], ...times } })
  t.is(log.json<{ data: object[] }>().data.length, 2)
})

test('without revocable there is no status, and nothing to revoke', async (t) => {
  const { sign, revoke } = await newIssuer()
  const { id, decoded } = await sign({ revocable: false })
  t.is(decoded.status, undefined)
  t.deepEqual(typeOf(await revoke(id, true)), [400, 'credential.not_revocable'])
  t.deepEqual(typeOf(await revoke(randomUUID(), true)), [404, 'credential.not_found'])
})

test('the published list is a token in CWT and JWT by a document signer, also by another one of its IACA (D-279)', async (t) => {
  const { token, iaca, signer, sign, revoke } = await newIssuer()
  const credential = await sign()
  const { idx, uri } = credential.decoded.status?.status_list ?? { idx: -1, uri: '' }
  await revoke(credential.id, true)
  t.is((await listAt(uri, '*/*')).status, 200) // signed by the one that is revoked then (D-1181)
  const second = await makeSigner(world, { active: true }, token)
  await world.ask(`${SIGNERS}/${signer.id}/revoke`, { method: 'POST', token })
  const trusted = readCertificate(new X509Certificate(iaca.certificatePem).raw)
  if (!trusted) return t.fail()
  const trust = { iaca: trusted, isRevoked: () => false }
  const cwt = await listAt(uri, '*/*')
  t.deepEqual([cwt.status, cwt.type], [200, 'application/statuslist+cwt'])
  const list = await readMobileList(cwt.bytes, uri, trust, fresh)
  t.deepEqual([list.isSet(idx), list.isSet(idx === 0 ? 1 : idx - 1)], [true, false])
  const jwt = await listAt(uri, 'application/statuslist+jwt')
  t.is(jwt.type, 'application/statuslist+jwt')
  const { payload, protectedHeader } = await compactVerify(jwt.bytes, await importX509(second.certificatePem, 'ES256'))
  t.is(protectedHeader.typ, 'statuslist+jwt')
  t.is((JSON.parse(Buffer.from(payload).toString()) as { sub: string }).sub, uri)
  const {
    protectedBytes,
    unprotected,
    payload: signed = null,
    signature,
  } = coseSign1Of(decodeCbor(cwt.bytes, MDOC), MDOC)
  const certificate = unprotected.get(HEADER.x5chain) as Uint8Array
  const listBy = (chain: Uint8Array[]) =>
    encodeCbor([protectedBytes, new Map([[HEADER.x5chain, chain]]), signed, signature])
  await t.notThrowsAsync(readMobileList(listBy(Array(10).fill(certificate)), uri, trust, fresh))
  const tooMany = readMobileList(listBy(Array(11).fill(certificate)), uri, trust, fresh)
  await t.throwsAsync(tooMany, { code: 'status_list.malformed', message: /more than 10 certificates/ })
  const stranger = { ...trust, isRevoked: () => true }
  await t.throwsAsync(readMobileList(cwt.bytes, uri, stranger, fresh), { code: 'status_list.not_verified' })
})

test.serial(
  'a list ends with the certificate of its signer, and is renewed in the last half of that (D-1181)',
  async (t) => {
    const token = await world.tokenOf(await world.addTenant())
    await makeIaca(world, {}, token)
    const notAfter = new Date(Math.floor(Date.now() / 1_000) * 1_000 + 4 * 3_600_000)
    await makeSigner(world, { active: true, notAfter: notAfter.toISOString() }, token)
    const validity = { validUntil: new Date(notAfter.getTime() - 3_600_000).toISOString() }
    const payload = { ...MOBILE_SIGN_EXAMPLE.payload, validityInfo: validity }
    const signed = await world.ask(SIGN, { token, body: { ...MOBILE_SIGN_EXAMPLE, payload, revocable: true } })
    const { uri } = signed.json<SignedMobile>().decoded.status?.status_list ?? { uri: '' }
    const times = async (hours: number) => {
      const now = () => new Date(Date.now() + hours * 3_600_000)
      await createActivities({ ...world.dependencies, now }).publishChangedLists()
      const { bytes } = await listAt(uri, 'application/statuslist+jwt')
      const { exp = 0, iat = 0 } = decodeJwt(Buffer.from(bytes).toString())
      return { exp, iat }
    }
    await listAt(uri, '*/*')
    const first = await times(0)
    t.is(first.exp, notAfter.getTime() / 1_000)
    t.deepEqual(await times(1), first)
    const { exp, iat } = await times(3)
    t.is(exp, first.exp)
    t.true(iat >= first.iat + 3 * 3_600 - 60)
  },
)

test('a list without a valid document signer is away, and comes back with a new one', async (t) => {
  const { token, signer, sign } = await newIssuer()
  const { uri } = (await sign()).decoded.status?.status_list ?? { uri: '' }
  t.is((await listAt(uri, '*/*')).status, 200)
  await world.ask(`${SIGNERS}/${signer.id}/revoke`, { method: 'POST', token })
  t.is((await listAt(uri, '*/*')).status, 503)
  await makeSigner(world, { active: true }, token)
  t.is((await listAt(uri, '*/*')).status, 200)
})

test('the list of another IACA or tenant is no status of the credential', async (t) => {
  const [one, other] = [await newIssuer(), await newIssuer()]
  const { uri } = (await other.sign()).decoded.status?.status_list ?? { uri: '' }
  const foreign = await makeForeignIssuer()
  await world.ask(IACAS, { token: one.token, body: { certificatePem: foreign.certificatePem } })
  t.deepEqual(await one.reasons(await foreign.sign({ index: 0, url: uri })), ['Status'])
})

/** Publishes a list elsewhere; returns its address. */
async function publish(
  signer: Awaited<ReturnType<typeof makeForeignIssuer>>,
  more: Partial<UnsignedToken> = {},
  change: (bytes: Uint8Array) => Uint8Array = (bytes) => bytes,
): Promise<string> {
  const path = randomUUID()
  const url = beside.urlOf(path)
  const [issuedAt, expiresAt] = [new Date(), new Date(Date.now() + 3_600_000)]
  const list = { url, bits: setBits(131_072, [7]), issuedAt, expiresAt, ttlSeconds: 3, ...more }
  const bytes = await signCoseSign1(mobileListCwt(list, signer.certificate), signer.key)
  lists.set(`/${path}`, { body: change(bytes) })
  return url
}

test('a list elsewhere is fetched and verified against the IACA of the credential', async (t) => {
  const { token, reasons } = await newIssuer()
  const [issuer, stranger] = [await makeForeignIssuer(), await makeForeignIssuer('Other IACA')]
  for (const { certificatePem } of [issuer, stranger]) await world.ask(IACAS, { token, body: { certificatePem } })
  const verdict = async (index: number, url: string) => reasons(await issuer.sign({ index, url }))
  const url = await publish(issuer)
  t.deepEqual([await verdict(6, url), await verdict(7, url)], [[], ['Revoked']])
  t.deepEqual(await verdict(131_072, url), ['Status'], 'an index outside of the list')
  t.deepEqual(await verdict(6, await publish(stranger)), ['Status'], 'a list of another trusted IACA')
  t.deepEqual(await verdict(6, await publish(issuer, { url })), ['Status'], 'a list of another address')
  t.deepEqual(await verdict(6, await publish(issuer, { expiresAt: new Date(0) })), ['Status'])
  const flipped = (bytes: Uint8Array) => bytes.with(-1, (bytes.at(-1) ?? 0) ^ 1)
  t.deepEqual(await verdict(6, await publish(issuer, {}, flipped)), ['Status'])
  t.deepEqual(await verdict(6, await publish(issuer, {}, () => new Uint8Array([1, 2]))), ['Status'])
  t.deepEqual(await verdict(6, beside.urlOf('missing')), ['StatusUnavailable'])
  t.deepEqual(await verdict(6, 'https://nobody.test/list'), ['StatusUnavailable'])
  t.deepEqual(await verdict(6, 'http://mobile-lists.test/list'), ['StatusUnavailable'], 'no https')
})

test('nobody makes the platform fetch a list by a credential that is not genuine', async (t) => {
  const { token, reasons } = await newIssuer()
  const issuer = await makeForeignIssuer()
  const encoded = await issuer.sign({ index: 0, url: beside.urlOf('never') })
  t.deepEqual(await reasons(encoded), ['UntrustedIssuer'])
  await world.ask(IACAS, { token, body: { certificatePem: issuer.certificatePem } })
  t.deepEqual(await reasons(encoded), ['StatusUnavailable'])
})

/** Begins a bulk revocation of all that a document signer issued, and does its first pass. */
async function revokeSigner(token: string, signerId: string, more: object = {}): Promise<string> {
  const body = { by: 'issuer', id: signerId, is_revoked: true, ...more }
  const reply = await world.ask(REVOCATIONS, { token, body })
  if (reply.status !== 202) throw new Error(reply.text)
  const { id } = reply.json<{ id: string }>()
  const { rows } = await world.dependencies.systemSql.query<{ tenant_id: string }>({
    text: 'select tenant_id from credential_revocations where id = $1',
    values: [id],
  })
  const activities = createActivities(world.dependencies)
  const subject = { tenantId: rows[0]?.tenant_id ?? '', revocationId: id }
  for (let phase = 'more'; phase !== 'done' && phase !== 'wait'; ) phase = (await activities.revokeSlice(subject)).phase
  return id
}

test('a document signer is revoked with all that it issued, mdocs and SD-JWT VCs, or the formats named (D-1085)', async (t) => {
  const { token, signer, sign, reasons } = await newIssuer()
  const mobile = await sign()
  const payload = { vct: 'https://credentials.example/identity', name: 'Ada' }
  const request = { payload, issued_as: 'x5c', document_signer_id: signer.id, revocable: true }
  const [first, second] = [await signSdJwt(world, request, token), await signSdJwt(world, request, token)]
  const codes = async (encoded: string) => (await verifySdJwt(world, encoded, {}, token)).reason.map(({ code }) => code)
  t.deepEqual(await codes(first.encoded), [])
  const named = await revokeSigner(token, signer.id, { formats: ['sd-jwt-vc', 'web-semantic'] })
  t.deepEqual([await codes(first.encoded), await reasons(mobile.encoded)], [['sd_jwt.revoked'], []])
  t.like((await world.ask(`${REVOCATIONS}/${named}`, { token })).json(), { formats: ['sd-jwt-vc'], revoked: 2 })
  const timeline = await world.ask(`/v1/credentials/${second.id}/timeline`, { token })
  const { data } = timeline.json<{ data: { type: string; details: object }[] }>()
  t.deepEqual(
    data.find(({ type }) => type === 'credential.revoked')?.details,
    { by: 'issuer', revocation_id: named },
    timeline.text,
  )
  const third = await signSdJwt(world, request, token)
  const all = await revokeSigner(token, signer.id)
  t.deepEqual([await codes(third.encoded), await reasons(mobile.encoded)], [['sd_jwt.revoked'], ['Revoked']])
  t.like((await world.ask(`${REVOCATIONS}/${all}`, { token })).json(), { formats: ['mobile', 'sd-jwt-vc'], revoked: 2 })
  const body = { by: 'issuer', id: signer.id, is_revoked: true, formats: ['compact'] }
  t.deepEqual(typeOf(await world.ask(REVOCATIONS, { token, body })), [400, 'request.invalid'])
})

test('without formats, the token needs the scope of each that a document signer signs (D-1085)', async (t) => {
  await makeIaca(world)
  const { id } = await makeSigner(world, { active: true })
  const statusOf = async (scope: string, formats?: string[]) => {
    const token = await world.tokenOf(world.first, `semantic-credentials:write ${scope}`)
    const body = { by: 'issuer', id, is_revoked: true, formats }
    return (await world.ask(REVOCATIONS, { token, body })).status
  }
  t.is(await statusOf('mobile-credentials:write'), 403)
  t.is(await statusOf('sd-jwt-credentials:write'), 403)
  t.is(await statusOf('mobile-credentials:write', ['mobile']), 202)
  t.is(await statusOf('mobile-credentials:write sd-jwt-credentials:write'), 202)
})

test('all credentials of a document signer are revoked at once, with the scope of mobile credentials', async (t) => {
  const { token, signer, sign, reasons } = await newIssuer()
  const [first, second, without] = [await sign(), await sign(), await sign({ revocable: false })]
  await makeSigner(world, { active: true }, token)
  const other = await sign()
  const id = await revokeSigner(token, signer.id)
  for (const { encoded } of [first, second]) t.deepEqual(await reasons(encoded), ['Revoked'])
  for (const { encoded } of [without, other]) t.deepEqual(await reasons(encoded), [])
  t.like((await world.ask(`${REVOCATIONS}/${id}`, { token })).json(), { subject: signer.id, checked: 3, revoked: 2 })
  const { clientId, clientSecret } = world.first
  const scoped = { clientId, clientSecret, grantType: 'client_credentials', scope: 'semantic-credentials:write' }
  await makeIaca(world)
  const own = await makeSigner(world, { active: true })
  const narrow = (await world.ask('/v1/auth/token', { body: scoped })).json<{ access_token: string }>().access_token
  t.deepEqual(
    typeOf(await world.ask(REVOCATIONS, { token: narrow, body: { by: 'issuer', id: own.id, is_revoked: true } })),
    [403, 'token.insufficient_scope'],
  )
})
