import { randomBytes, randomUUID } from 'node:crypto'
import test from 'ava'
import { createTypeMetadata } from '../../../activities/sd-jwt-credentials/type-metadata.ts'
import { Exhausted, Refusal } from '../../../protocol/errors.ts'
import { openWorldBeside, type WorldBeside } from '../../support/parts/elsewhere.ts'

/** Two documents of one domain in ten seconds. */
const PER_MINUTE = 12

let beside: WorldBeside
let calls = 0
test.before(async () => {
  const listener: Parameters<typeof openWorldBeside>[1] = (_request, response) => {
    calls += 1
    response.writeHead(404).end()
  }
  const env = { OUTBOUND_READS_PER_MINUTE: String(PER_MINUTE) }
  beside = await openWorldBeside('issuer.acme.test', listener, { env })
})
test.after.always(() => beside?.close())

const part = (value: object | string) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

/** A JWS of a DID that nobody has met before. */
function jws(host: string) {
  const kid = `did:web:${host}:${randomUUID()}#key`
  return `${part({ alg: 'EdDSA', kid })}.${part({ iss: 'x' })}.${randomBytes(64).toString('base64url')}`
}

const verifyOf = (token: string) => (host: string) =>
  beside.world.ask('/v1/messaging/verify', { token, body: { jws: jws(host) } })

/** The host of the listener, as a did:web has it. */
const host = () => beside.authority.replace(':', '%3A')

async function newTenant() {
  return beside.world.tokenOf(await beside.world.addTenant())
}

test.serial('a tenant makes the platform read so many documents of a host, and no more of them', async (t) => {
  const verify = verifyOf(await newTenant())
  calls = 0
  const replies = await Promise.all(Array.from({ length: 20 }, () => verify(host())))
  t.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 200, ...Array.from({ length: 18 }, () => 429)])
  t.is(calls, 2, 'the others are not sent')
  const refused = replies.find(({ status }) => status === 429)
  t.like(refused?.json(), { type: '/problems#outbound.too_many_reads', status: 429 })
  const seconds = Number(refused?.headers.get('retry-after'))
  t.true(seconds >= 1 && seconds <= 10, String(seconds))
  for (const reply of replies.filter(({ status }) => status === 200))
    t.false(reply.json<{ verified: boolean }>().verified)
})

test.serial('another tenant, another domain and what is known already cost nothing of it', async (t) => {
  const [mine, others] = [verifyOf(await newTenant()), verifyOf(await newTenant())]
  while ((await mine(host())).status === 200);
  t.is((await others(host())).status, 200)
  t.is((await mine('elsewhere.example')).status, 200)
  // names below one registered domain, and its ports, are one
  t.is((await mine(`a${randomUUID()}.acme.test`)).status, 429)
  t.is((await mine('acme.test%3A8443')).status, 429)
})

test.serial('every operation that reads for a caller is refused alike, and none makes a verdict of it', async (t) => {
  const token = await newTenant()
  const { ask } = beside.world
  while ((await verifyOf(token)(host())).status === 200);
  const did = `did:web:${host()}:${randomUUID()}`
  const credential = {
    '@context': ['https://www.w3.org/ns/credentials/v2'],
    type: ['VerifiableCredential'],
    issuer: did,
    credentialSubject: { id: 'did:example:a' },
    proof: {
      type: 'DataIntegrityProof',
      cryptosuite: 'eddsa-rdfc-2022',
      proofPurpose: 'assertionMethod',
      verificationMethod: `${did}#key`,
      created: '2026-01-01T00:00:00Z',
      proofValue: `z${'2'.repeat(86)}`,
    },
  }
  const context = beside.urlOf(`${randomUUID()}.jsonld`)
  const requests: [path: string, body: object][] = [
    ['/v1/credentials/web-semantic/verify', { payload: credential }],
    ['/v1/messaging/encrypt', { payload: 'x', recipientDidUrls: [did] }],
    ['/v1/messaging/send', { to: did, message: { type: 'https://example.com/ping', body: {} } }],
    ['/v1/credentials/web-semantic/contexts', { url: context }],
  ]
  for (const [path, body] of requests) {
    const reply = await ask(path, { token, body })
    t.is(reply.status, 429, `${path}: ${reply.text}`)
    t.is(reply.json<{ type: string }>().type, '/problems#outbound.too_many_reads', path)
  }
})

test('Type Metadata is read by a budget of its own, which takes nothing of what keys need, nor they of it (D-877)', async (t) => {
  const { dependencies, addTenant, tokenOf } = beside.world
  const { outbound, now, config } = dependencies
  const types = createTypeMetadata({ outbound, now, config, sdJwtPublished: { typeMetadata: async () => '' } })
  const isTypeRead = async (tenantId: string) => {
    const check = types.check(tenantId, {} as never, beside.urlOf(randomUUID()), undefined)
    const error = await t.throwsAsync<Error>(check)
    if (error instanceof Exhausted) return false
    t.is(error instanceof Refusal ? error.code : error?.message, 'type_metadata.unavailable')
    return true
  }
  const [one, other] = [await addTenant(), await addTenant()]
  while (await isTypeRead(one.tenantId));
  t.is((await verifyOf(await tokenOf(one))(host())).status, 200, 'a key')
  const verify = verifyOf(await tokenOf(other))
  while ((await verify(host())).status === 200);
  t.true(await isTypeRead(other.tenantId))
})
