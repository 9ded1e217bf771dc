import test from 'ava'
import { loadConfig } from '../../config.ts'
import { payload } from '../support/credentials/credentials.ts'
import { rawClient } from '../support/parts/raw.ts'
import { openWorld, type World } from '../support/world.ts'

type Json = Record<string, unknown>

let world: World
test.before(async () => {
  world = await openWorld({ env: { VC_API: 'true' } })
})
test.after.always(() => world?.close())

const KEY = 'z6MktKwz7Ge1Yxzr4JHavN33wiwa8y81QdcMRLXQsrH9T53b'
const DID = `did:key:${KEY}`
const AGREEMENT = `${DID}#z6LSfHfAMAopsuBxaBzvp51GXrPf38Az13j2fmwqadbwwrzJ`

const resolve = (did: string, query = '') => world.ask(`/1.0/identifiers/${encodeURIComponent(did)}${query}`)

test('a DID resolves, and a DID URL to its verification method (DID Resolution 0.3)', async (t) => {
  const reply = await resolve(DID)
  t.is(reply.status, 200)
  t.regex(String(reply.headers.get('content-type')), /^application\/ld\+json/)
  t.like(reply.json(), { didDocument: { id: DID }, didResolutionMetadata: { contentType: 'application/did+ld+json' } })
  for (const [url, type] of [
    [`${DID}#${KEY}`, 'Multikey'],
    [AGREEMENT, 'X25519KeyAgreementKey2020'],
  ] as const)
    t.like((await resolve(url)).json(), {
      didDocument: { id: url, type, controller: DID },
      didDereferencingMetadata: { contentType: 'application/did+ld+json' },
    })
  const jwk = (await resolve(DID, '?publicKeyFormat=JsonWebKey2020')).json<{
    didDocument: { verificationMethod: Json[] }
  }>()
  t.is(jwk.didDocument.verificationMethod[0]?.type, 'JsonWebKey2020')
})

const FAILURES: [did: string, query: string, status: number, error: string][] = [
  [DID.replace('did:', 'notDid:'), '', 400, 'invalidDid'],
  [`did:key:-4:${KEY}`, '', 400, 'invalidDid'],
  [`did:key:${KEY.slice(1)}`, '', 400, 'invalidDid'],
  ['did:key:@', '', 400, 'invalidDid'],
  ['did:key:zTjsVPtY', '', 400, 'invalidPublicKeyLength'],
  [`did:experimental:${KEY}`, '', 501, 'methodNotSupported'],
  [`${DID}/^bar^/?query=\`#${KEY}`, '', 400, 'invalidDidUrl'],
  [`${DID}#nobody`, '', 404, 'notFound'],
  ['did:web:127.0.0.1', '', 400, 'invalidDid'],
  ['did:web:nobody.invalid', '', 404, 'notFound'],
  [DID, '?publicKeyFormat=unknown', 400, 'unsupportedPublicKeyType'],
  [AGREEMENT, '?publicKeyFormat=Ed25519VerificationKey2018', 400, 'invalidPublicKeyType'],
]

for (const [did, query, status, error] of FAILURES)
  test(`${did}${query} is ${error} (did:key draft, section 3.1; DID Resolution 0.3, section 10)`, async (t) => {
    const reply = await resolve(did, query)
    t.is(reply.status, status, reply.text)
    const { didDocument, didResolutionMetadata, didDereferencingMetadata } = reply.json<Record<string, Json>>()
    t.deepEqual(didDocument, {})
    t.is((didResolutionMetadata ?? didDereferencingMetadata)?.error, error)
  })

test('VC_API opens it without a token: to the first tenant under its own host name alone', async (t) => {
  const created = await world.ask('/v1/dids', {
    token: world.token,
    body: { method: 'KEY', options: { keyType: 'ed25519' } },
  })
  const body = { credential: payload(created.json<{ did: string }>().did) }
  t.is((await world.ask('/vc-api/credentials/issue', { body })).status, 201)
  t.is((await world.ask('/vc-api/credentials/issue', { body, token: 'a.b.c' })).status, 401)
  t.is((await world.ask('/v1/credentials/web-semantic')).status, 401)
  const client = rawClient(world.url)
  const { subdomain } = await world.addTenant()
  for (const host of ['evil.example', `${subdomain}.localhost`, '127.0.0.1']) {
    const reply = await client.ask({ path: `/1.0/identifiers/${DID}`, headers: { host } })
    t.is(reply.status, 401, host)
  }
  client.close()
})

test('VC_API opens nothing to what came through a proxy: that speaks from loopback for anybody (D-093)', async (t) => {
  const path = `/1.0/identifiers/${DID}`
  t.is((await world.ask(path)).status, 200)
  for (const name of ['x-forwarded-for', 'forwarded'])
    for (const value of ['127.0.0.1', 'for=127.0.0.1', ''])
      t.is((await world.ask(path, { headers: { [name]: value } })).status, 401, `${name}: ${value}`)
})

test('VC_API is refused at start unless HOST is a loopback address', (t) => {
  const usable = {
    DATABASE_URL: 'postgresql://owner@db.example/countersign',
    TEMPORAL_ADDRESS: 'temporal.example:7233',
    KEY_STORE_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
    VC_API: 'true',
  }
  for (const HOST of ['127.0.0.1', '127.1.2.3', 'localhost', '::1']) t.true(loadConfig({ ...usable, HOST }).vcApi)
  for (const HOST of ['0.0.0.0', '::', '192.168.1.2', 'localhost.example', '127.0.0.1.example'])
    t.throws(() => loadConfig({ ...usable, HOST }), { message: /VC_API/ })
  t.false(loadConfig({ ...usable, VC_API: 'false', HOST: '0.0.0.0' }).vcApi)
  t.throws(() => loadConfig({ ...usable, TRUSTED_PROXIES: '127.0.0.1' }), { message: /VC_API/ })
})
