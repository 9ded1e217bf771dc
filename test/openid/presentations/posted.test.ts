import { generateKeyPairSync } from 'node:crypto'
import test from 'ava'
import { compactDecrypt, decodeJwt, decodeProtectedHeader } from 'jose'
import { createDid } from '../../support/credentials/credentials.ts'
import { openSdJwt } from '../../support/openid/presenting.sd-jwt.ts'
import { postForRequest, wallet } from '../../support/openid/presenting.ts'
import { identityQuery, openAsking, type requestsOf, SHOP } from '../../support/openid/requests.ts'
import {
  createTemplate,
  createVerifier,
  createVerifierClient,
  openRelyingParty,
  qrLink,
  sameDeviceLink,
  VERIFIERS,
  type Verifier,
  verifierBody,
} from '../../support/openid/verifiers.ts'
import type { World } from '../../support/world.ts'

let world: World
let issuer: string
let requests: ReturnType<typeof requestsOf>
test.before(async () => {
  ;({ world, issuer, requests } = await openAsking('ed25519'))
})
test.after.always(() => world?.close())

const POST = { requestUriMethod: 'post' }
const NONCE = 'qPmxiNFCR3QTm19POc8u'
const FRAME = { given_name: true }
const ABLE = {
  vp_formats_supported: { 'dc+sd-jwt': { 'sd-jwt_alg_values': ['ES256', 'EdDSA'], 'kb-jwt_alg_values': ['ES256'] } },
  client_id_prefixes_supported: ['decentralized_identifier', 'x509_hash'],
  request_object_signing_alg_values_supported: ['ES256'],
  authorization_encryption_alg_values_supported: ['ECDH-ES'],
  authorization_encryption_enc_values_supported: ['A128GCM'],
}
const form = (metadata: object = ABLE) => ({ wallet_metadata: JSON.stringify(metadata), wallet_nonce: NONCE })
const methodOf = (link: string) => new URL(link).searchParams.get('request_uri_method')

interface OAuthError {
  error: string
  error_description: string
}

test('a wallet posts for its request, which has its nonce and its encryption, and answers it (OpenID4VP 1.0, section 5.10)', async (t) => {
  const held = await openSdJwt(world, { issuer_did: issuer })
  const created = await requests.create({ ...POST, redirectUri: SHOP })
  t.deepEqual([methodOf(created.uri), methodOf(created.sameDeviceUri ?? '')], ['post', 'post'])
  const { status, text, headers } = await postForRequest(created.uri, form())
  t.is(status, 200, text)
  t.is(headers.get('content-type'), 'application/oauth-authz-req+jwt')
  t.is(headers.get('cache-control'), 'no-store')
  const request = await wallet.readPosted(created.uri, text, NONCE)
  t.deepEqual(request.client_metadata?.encrypted_response_enc_values_supported, ['A128GCM'])
  t.like(await requests.read(created.id), { state: 'FETCHED', requestUriMethod: 'post' } as object)
  await t.throwsAsync(() => wallet.readPosted(created.uri, text, 'another'), { message: /wallet_nonce/ })
  t.is((await wallet.answer(request, await held.present(request, FRAME))).status, 200)
  t.is((await requests.read(created.id)).state, 'VERIFIED')
  const over = await postForRequest(created.uri, form())
  t.deepEqual([over.status, (JSON.parse(over.text) as OAuthError).error], [400, 'invalid_request'])
})

test('GET goes on to work, and no link says post that was not asked to', async (t) => {
  const silent = await requests.create()
  t.is(methodOf(silent.uri), null)
  t.is((await requests.create({ requestUriMethod: 'get' })).uri.includes('request_uri_method'), false)
  const posted = await postForRequest(silent.uri, { wallet_nonce: NONCE })
  t.is(decodeJwt(posted.text).wallet_nonce, NONCE, 'a wallet that posts anyway gets its request')
  const created = await requests.create(POST)
  const got = await fetch(new URL(created.uri).searchParams.get('request_uri') ?? '')
  t.is(got.status, 200)
  t.false('wallet_nonce' in decodeJwt(await got.text()))
  for (const body of ['', 'other=1&wallet_noncE=x']) {
    const { status, text } = await postForRequest(created.uri, body)
    t.is(status, 200, 'both parameters are optional')
    t.false('wallet_nonce' in decodeJwt(text))
  }
})

test('the request is encrypted to the key of a wallet that sends one (RFC 9101, section 6.1)', async (t) => {
  const created = await requests.create(POST)
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = { ...publicKey.export({ format: 'jwk' }), use: 'enc', alg: 'ECDH-ES', kid: 'wallet-1' }
  const { status, text, headers } = await postForRequest(created.uri, form({ ...ABLE, jwks: { keys: [jwk] } }))
  t.is(status, 200, text)
  t.is(headers.get('content-type'), 'application/oauth-authz-req+jwt')
  t.like(decodeProtectedHeader(text), { alg: 'ECDH-ES', enc: 'A128GCM', cty: 'JWT', kid: 'wallet-1' })
  const { plaintext } = await compactDecrypt(text, privateKey)
  const request = await wallet.readPosted(created.uri, new TextDecoder().decode(plaintext), NONCE)
  const held = await openSdJwt(world, { issuer_did: issuer })
  t.is((await wallet.answer(request, await held.present(request, FRAME))).status, 200)
})

test('what cannot be read, or a wallet that cannot take the request, is refused and changes nothing', async (t) => {
  const created = await requests.create(POST)
  const cases: [Record<string, string> | string, number, RegExp][] = [
    [{ wallet_metadata: 'x' }, 400, /wallet_metadata: expected JSON/],
    [{ wallet_metadata: '[]' }, 400, /wallet_metadata: expected a JSON object/],
    [{ wallet_nonce: '' }, 400, /wallet_nonce: expected it once/],
    ['wallet_nonce=a&wallet_nonce=b', 400, /wallet_nonce: expected it once/],
    ['wallet_metadata={}&wallet_metadata={}', 400, /wallet_metadata: expected it once/],
    [`wallet_metadata="${'x'.repeat(40_000)}"`, 400, /at most 32768 characters/],
    [`wallet_metadata=${'x'.repeat(200_000)}`, 413, /too large/],
    [
      form({ ...ABLE, vp_formats_supported: { mso_mdoc: {} } }),
      400,
      /vp_formats_supported: the verifier asks for dc\+sd-jwt/,
    ],
    [form({ ...ABLE, client_id_prefixes_supported: ['pre-registered'] }), 400, /known by decentralized_identifier/],
    [form({ ...ABLE, request_object_signing_alg_values_supported: ['ES512'] }), 400, /signs its requests with ES256/],
    [form({ ...ABLE, authorization_encryption_enc_values_supported: ['A192GCM'] }), 400, /A256GCM or A128GCM/],
  ]
  for (const [body, status, reason] of cases) {
    const reply = await postForRequest(created.uri, body)
    t.is(reply.status, status, reply.text)
    const { error, error_description } = JSON.parse(reply.text) as OAuthError
    t.is(error, 'invalid_request')
    t.regex(error_description, reason)
  }
  const uri = new URL(created.uri).searchParams.get('request_uri') ?? ''
  const json = await fetch(uri, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
  t.is(json.status, 400)
  t.like(await requests.read(created.id), { state: 'PENDING', failures: 0 })
  t.is((await postForRequest(created.uri.replace('&request_uri_method', 'x&request_uri_method'), form())).status, 400)
})

test('a request has the method of its verifier unless it says another one, and none through a browser', async (t) => {
  const verifier = await createVerifier(world, { request_uri_method: 'post' })
  const by = { verifierDid: null, verifierId: verifier.id }
  t.is(methodOf((await requests.create(by)).uri), 'post')
  t.is(methodOf((await requests.create({ ...by, requestUriMethod: 'get' })).uri), null)
  const browser = { responseMode: 'dc_api.jwt', expectedOrigins: ['https://shop.example'] }
  t.like(await requests.create({ ...by, ...browser }), { requestUriMethod: 'get' } as object)
  for (const [body, path] of [
    [{ ...browser, ...POST }, 'requestUriMethod'],
    [{ requestUriMethod: 'POST' }, 'requestUriMethod'],
    [{ requestUriMethod: 7 }, 'requestUriMethod'],
  ] as const) {
    const reply = await requests.creating(body)
    t.is(reply.status, 400)
    t.true(
      reply.json<{ errors: { path: string }[] }>().errors.some((each) => each.path.includes(path)),
      reply.text,
    )
  }
})

test('a sign-in: the links of a verifier say post, and the wallet signs in by a request with its nonce', async (t) => {
  const { credentials } = identityQuery()
  const query = [{ type: 'DCQL', credentialQuery: credentials.map(({ id: _, ...rest }) => rest) }]
  const verifier = await createVerifier(world, {
    request_uri_method: 'post',
    presentation_template_id: await createTemplate(world, query),
    claim_mappings: [{ json_ld_fqn: 'given_name', oidc_claim: 'given_name' }],
  })
  const party = await openRelyingParty(verifier, await createVerifierClient(world, verifier.id))
  const begun = await party.begin()
  const link = qrLink(begun.page)
  t.deepEqual([methodOf(link), methodOf(sameDeviceLink(begun.page))], ['post', 'post'])
  const refused = await postForRequest(link, form({ ...ABLE, client_id_prefixes_supported: ['x509_hash'] }))
  t.regex(refused.text, /known by decentralized_identifier/)
  const { authorization_encryption_alg_values_supported: _, ...able } = ABLE
  const request = await wallet.readPosted(link, (await postForRequest(link, form(able))).text, NONCE)
  t.deepEqual((await wallet.readRequest(link.replace('&request_uri_method=post', ''))).nonce, request.nonce)
  const held = await openSdJwt(world, { issuer_did: issuer })
  t.is((await wallet.answer(request, await held.present(request, FRAME))).status, 200)
  const tokens = await party.grant(await party.back(begun, begun.page.url), begun)
  t.is(tokens.claims()?.given_name, 'Ada')
})

test('the method of a verifier is read, changed, and forgotten by an update without it', async (t) => {
  const body = await verifierBody(world)
  const send = async (path: string, method: string, more: object) => {
    const reply = await world.ask(`${VERIFIERS}${path}`, { method, token: world.token, body: { ...body, ...more } })
    return [reply.status, reply.json<Verifier & { requestUriMethod?: string }>()] as const
  }
  const [, { id, requestUriMethod }] = await send('', 'POST', { request_uri_method: 'post' })
  t.is(requestUriMethod, 'post')
  t.is((await send(`/${id}`, 'PUT', { request_uri_method: 'get' }))[1].requestUriMethod, 'get')
  t.is((await send(`/${id}`, 'PUT', { request_uri_method: 'post' }))[1].requestUriMethod, 'post')
  t.is((await send(`/${id}`, 'PUT', {}))[1].requestUriMethod, 'get')
  for (const wrong of ['POST', '', 7, null]) t.is((await send('', 'POST', { request_uri_method: wrong }))[0], 400)
})

test('a DID with keys of both types signs with the one that the wallet verifies', async (t) => {
  const did = await createDid(world, 'ed25519')
  const created = await requests.create({ ...POST, verifierDid: did })
  const able = { request_object_signing_alg_values_supported: ['EdDSA'] }
  const { text } = await postForRequest(created.uri, form(able))
  t.is(decodeProtectedHeader(text).alg, 'EdDSA')
  const refused = await postForRequest(created.uri, form({ request_object_signing_alg_values_supported: ['ES256'] }))
  t.regex(refused.text, /signs its requests with EdDSA/)
})
