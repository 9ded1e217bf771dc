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

const DRAFT = 'application/ld+json;profile="https://w3id.org/did-resolution"'
const RESULT = 'application/did-resolution'
const DEREFERENCED = 'application/did-url-dereferencing'
const METHOD = `${DID}#${KEY}`

const resolve = (did: string, { query = '', accept }: { query?: string; accept?: string } = {}) =>
  world.ask(`/1.0/identifiers/${encodeURIComponent(did)}${query}`, { headers: accept === undefined ? {} : { accept } })

test('a DID resolves to a result, whose contentType is that of its document (DID Resolution 1.0, HTTP(S) Binding)', async (t) => {
  for (const accept of [RESULT, `text/plain, ${RESULT}`, `application/did;q=0.5, ${RESULT}`, '*/*']) {
    const reply = await resolve(DID, { accept })
    t.is(reply.status, 200)
    t.is(reply.headers.get('content-type'), RESULT, accept)
    t.regex(String(reply.headers.get('vary')), /accept/i)
    const { didDocument, ...rest } = reply.json<{ didDocument: Json }>()
    t.is(didDocument.id, DID)
    t.deepEqual(rest as Json, { didResolutionMetadata: { contentType: 'application/did' }, didDocumentMetadata: {} })
  }
  const jwk = (await resolve(DID, { query: '?publicKeyFormat=JsonWebKey2020' })).json<{
    didDocument: { verificationMethod: Json[] }
  }>()
  t.is(jwk.didDocument.verificationMethod[0]?.type, 'JsonWebKey2020')
})

for (const accept of [
  'application/did',
  'application/did+ld+json',
  'application/did+json',
  'application/json',
  'application/ld+json',
])
  test(`${accept} asks for the DID document, or for the resource of a DID URL, alone (DID Resolution 1.0)`, async (t) => {
    const [document, method] = [await resolve(DID, { accept }), await resolve(METHOD, { accept })]
    for (const [reply, id] of [
      [document, DID],
      [method, METHOD],
    ] as const) {
      t.is(reply.status, 200)
      t.is(reply.headers.get('content-type'), accept)
      t.is(reply.json<Json>().id, id)
    }
    t.truthy(document.json<Json>().verificationMethod)
    const unknown = await resolve(`${DID}#nobody`, { accept })
    t.is(unknown.status, 404)
    t.is(unknown.headers.get('content-type'), DEREFERENCED)
    const unsupported = await resolve('did:experimental:1', { accept })
    t.is(unsupported.headers.get('content-type'), RESULT)
    t.is(unsupported.json<{ didDocument: unknown }>().didDocument, null)
  })

test('a DID URL is dereferenced to its verification method, a DID to its document (DID Resolution 1.0, DID URL Dereferencing)', async (t) => {
  for (const [url, type, accept] of [
    [METHOD, 'Multikey', DEREFERENCED],
    [AGREEMENT, 'X25519KeyAgreementKey2020', '*/*'],
    [DID, undefined, DEREFERENCED],
  ] as const) {
    const reply = await resolve(url, { accept })
    t.is(reply.status, 200)
    t.is(reply.headers.get('content-type'), DEREFERENCED)
    const { contentStream, ...rest } = reply.json<{ contentStream: Json }>()
    t.like(contentStream, { id: url, type })
    t.deepEqual(rest as Json, { dereferencingMetadata: { contentType: 'application/did' }, contentMetadata: {} })
  }
  const onlyDids = await resolve(METHOD, { accept: RESULT })
  t.is(onlyDids.status, 400)
  t.like(onlyDids.json(), { didResolutionMetadata: { error: { type: 'https://www.w3.org/ns/did#INVALID_DID' } } })
})

test('drafts of DID Resolution have a form of their own, which the did:key draft names its errors in (D-237)', async (t) => {
  const reply = await resolve(DID, { accept: DRAFT })
  t.is(reply.headers.get('content-type'), DRAFT)
  t.like(reply.json(), {
    '@context': 'https://w3id.org/did-resolution/v1',
    didDocument: { id: DID },
    didResolutionMetadata: { contentType: 'application/did+ld+json' },
  })
  t.like((await resolve(METHOD, { accept: DRAFT })).json(), {
    didDocument: { id: METHOD, type: 'Multikey', controller: DID },
    didDereferencingMetadata: { contentType: 'application/did+ld+json' },
  })
})

test('a media type that there is not is a 406, before anything is resolved (DID Resolution 1.0, HTTP(S) Binding)', async (t) => {
  const type = 'https://www.w3.org/ns/did#REPRESENTATION_NOT_SUPPORTED'
  for (const accept of ['text/plain', 'application/did;q=0', 'application/ld+json;profile="https://example.org/"']) {
    const reply = await resolve('did:web:nobody.invalid', { accept })
    t.is(reply.status, 406, accept)
    t.is(reply.headers.get('content-type'), RESULT)
    t.like(reply.json(), { didDocument: null, didDocumentMetadata: {}, didResolutionMetadata: { error: { type } } })
  }
  const url = await resolve(METHOD, { accept: 'text/plain' })
  t.is(url.status, 406)
  t.like(url.json(), { contentStream: null, contentMetadata: {}, dereferencingMetadata: { error: { type } } })
})

const FAILURES: [did: string, query: string, status: number, keyword: string, type: string][] = [
  [DID.replace('did:', 'notDid:'), '', 400, 'invalidDid', 'INVALID_DID'],
  [`did:key:-4:${KEY}`, '', 400, 'invalidDid', 'INVALID_DID'],
  [`did:key:${KEY.slice(1)}`, '', 400, 'invalidDid', 'INVALID_DID'],
  ['did:key:@', '', 400, 'invalidDid', 'INVALID_DID'],
  ['did:key:zTjsVPtY', '', 400, 'invalidPublicKeyLength', 'INVALID_DID'],
  [`did:experimental:${KEY}`, '', 501, 'methodNotSupported', 'METHOD_NOT_SUPPORTED'],
  [`${DID}/^bar^/?query=\`#${KEY}`, '', 400, 'invalidDidUrl', 'INVALID_DID_URL'],
  [`${DID}#nobody`, '', 404, 'notFound', 'NOT_FOUND'],
  [`${DID}/path`, '', 404, 'notFound', 'NOT_FOUND'],
  [`${DID}?service=files`, '', 501, 'featureNotSupported', 'FEATURE_NOT_SUPPORTED'],
  [DID, '?versionId=2', 501, 'featureNotSupported', 'FEATURE_NOT_SUPPORTED'],
  ['did:web:127.0.0.1', '', 400, 'invalidDid', 'INVALID_DID'],
  ['did:web:nobody.invalid', '', 404, 'notFound', 'NOT_FOUND'],
  [DID, '?publicKeyFormat=unknown', 400, 'unsupportedPublicKeyType', 'INVALID_OPTIONS'],
  [AGREEMENT, '?publicKeyFormat=Ed25519VerificationKey2018', 400, 'invalidPublicKeyType', 'INVALID_OPTIONS'],
]

for (const [did, query, status, keyword, type] of FAILURES)
  test(`${did}${query} is ${keyword} and ${type} (did:key draft, section 3.1; DID Resolution 1.0, Errors)`, async (t) => {
    const [reply, draft] = [await resolve(did, { query }), await resolve(did, { query, accept: DRAFT })]
    t.deepEqual([reply.status, draft.status], [status, status], reply.text)
    const isUrl = /[/?#]/.test(did)
    const result = reply.json<Record<string, Json>>()
    const { error } = result[isUrl ? 'dereferencingMetadata' : 'didResolutionMetadata'] ?? {}
    t.like(error, { type: `https://www.w3.org/ns/did#${type}` })
    for (const member of ['title', 'detail']) t.is(typeof (error as Json)[member], 'string')
    t.is(result[isUrl ? 'contentStream' : 'didDocument'] as unknown, null)
    t.deepEqual(result[isUrl ? 'contentMetadata' : 'didDocumentMetadata'], {})
    const older = draft.json<Record<string, Json>>()
    t.is(older.didDocument as unknown, null)
    t.is(older[isUrl ? 'didDereferencingMetadata' : 'didResolutionMetadata']?.error, keyword)
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
