import { generateKeyPairSync } from 'node:crypto'
import test from 'ava'
import fc from 'fast-check'
import { Refusal } from '../../../protocol/errors.ts'
import type { DcqlQuery } from '../../../protocol/openid/dcql/query.ts'
import {
  encryptRequest,
  type RequestEncryption,
  readAbilities,
  type WalletAbilities,
} from '../../../protocol/openid/verifiers/abilities.ts'
import { fitted } from '../../../protocol/openid/verifiers/fitting.ts'
import { requestClaims, type WalletRequest } from '../../../protocol/openid/verifiers/requests.ts'

const jwkOf = (namedCurve: string) =>
  generateKeyPairSync('ec', { namedCurve }).publicKey.export({ format: 'jwk' }) as Record<string, unknown>
const JWK: Record<string, unknown> = { ...jwkOf('P-256'), use: 'enc', kid: 'wallet-1' }

/** Both coordinates, cut elsewhere: together they are the same point. */
function shifted(by: number) {
  const bytes = Buffer.concat([JWK.x, JWK.y].map((each) => Buffer.from(String(each), 'base64url')))
  const [x, y] = [bytes.subarray(0, 32 + by), bytes.subarray(32 + by)].map((each) => each.toString('base64url'))
  return { x, y }
}

const metadata = (value: unknown) => readAbilities({ wallet_metadata: JSON.stringify(value) })

function refusalOf(work: () => unknown): [string, string, string] | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const [first] = error.errors
    return [error.code, first?.path ?? '', first?.code ?? '']
  }
}

test('what a wallet says of itself is read, and unknown members are ignored (OpenID4VP 1.0, sections 5.10 and 10)', (t) => {
  t.deepEqual(readAbilities({}), {})
  t.deepEqual(readAbilities({ wallet_nonce: 'qPmxiNFCR3QTm19POc8u', other: 'x' }), { nonce: 'qPmxiNFCR3QTm19POc8u' })
  t.deepEqual(metadata({}), {})
  const formats = { 'dc+sd-jwt': { 'sd-jwt_alg_values': ['ES256'] }, jwt_vc_json: {} }
  const read = metadata({
    issuer: 'https://self-issued.me/v2',
    vp_formats_supported: formats,
    client_id_prefixes_supported: ['x509_hash'],
    request_object_signing_alg_values_supported: ['ES256'],
    authorization_encryption_alg_values_supported: ['ECDH-ES'],
    authorization_encryption_enc_values_supported: ['A128GCM'],
    jwks: { keys: [{ ...jwkOf('P-256'), use: 'sig' }, JWK] },
  })
  t.deepEqual(Object.fromEntries(read.formats ?? []), formats)
  t.like(read, {
    clientIdPrefixes: ['x509_hash'],
    signingAlgorithms: ['ES256'],
    keyAgreements: ['ECDH-ES'],
    contentEncryptions: ['A128GCM'],
    encryption: { enc: 'A128GCM', jwk: { kid: 'wallet-1', alg: 'ECDH-ES' } },
  })
  const encs = { request_object_encryption_enc_values_supported: ['A128CBC-HS256', 'A128GCM', 'A256GCM'] }
  t.is(metadata({ ...encs, jwks: { keys: [JWK] } }).encryption?.enc, 'A256GCM')
  t.is(metadata({ jwks: { keys: [{ ...jwkOf('P-384') }] } }).encryption?.jwk.crv, 'P-384')
  const none = [
    { ...jwkOf('P-256'), use: 'sig' },
    { ...jwkOf('P-256'), alg: 'ES256' },
    { kty: 'RSA', n: 'AQAB', e: 'AQAB' },
  ]
  t.is(metadata({ jwks: { keys: none } }).encryption, undefined, 'keys for signatures alone')
})

test('a form that cannot be read is refused with its parameter and the rule', (t) => {
  const { d, ...rest } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
  const keys = (...list: unknown[]) => ({ jwks: { keys: list } })
  const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`
  const at = 'wallet_metadata'
  const cases: [Record<string, unknown>, string, string][] = [
    [{ wallet_nonce: '' }, 'wallet_nonce', 'text'],
    [{ wallet_nonce: 'x'.repeat(513) }, 'wallet_nonce', 'text'],
    [{ wallet_nonce: 'a\u0000b' }, 'wallet_nonce', 'text'],
    [{ wallet_nonce: 'ä' }, 'wallet_nonce', 'text'],
    [{ wallet_nonce: ['a', 'b'] }, 'wallet_nonce', 'text'],
    [{ wallet_metadata: ['{}', '{}'] }, at, 'repeated'],
    [{ wallet_metadata: '' }, at, 'json'],
    [{ wallet_metadata: 'x' }, at, 'json'],
    [{ wallet_metadata: '{"a":1,"a":2}' }, at, 'json'],
    [{ wallet_metadata: '{"__proto__":{}}' }, at, 'json'],
    [{ wallet_metadata: deep }, at, 'json'],
    [{ wallet_metadata: 'null' }, at, 'object'],
    [{ wallet_metadata: '[]' }, at, 'object'],
    [{ wallet_metadata: '"text"' }, at, 'object'],
    [{ wallet_metadata: `"${'x'.repeat(40_000)}"` }, at, 'length'],
  ]
  for (const [form, path, code] of cases)
    t.deepEqual(
      refusalOf(() => readAbilities(form)),
      ['wallet_request.malformed', path, code],
      JSON.stringify(form).slice(0, 80),
    )
  const members: [Record<string, unknown>, string, string][] = [
    [{ vp_formats_supported: ['dc+sd-jwt'] }, 'vp_formats_supported', 'object'],
    [{ vp_formats_supported: { 'dc+sd-jwt': true } }, 'vp_formats_supported', 'object'],
    [{ client_id_prefixes_supported: 'x509_hash' }, 'client_id_prefixes_supported', 'list'],
    [{ client_id_prefixes_supported: [] }, 'client_id_prefixes_supported', 'list'],
    [{ request_object_signing_alg_values_supported: [7] }, 'request_object_signing_alg_values_supported', 'list'],
    [
      { authorization_encryption_alg_values_supported: Array(51).fill('a') },
      'authorization_encryption_alg_values_supported',
      'list',
    ],
    [{ authorization_encryption_enc_values_supported: [''] }, 'authorization_encryption_enc_values_supported', 'list'],
    [{ jwks: [] }, 'jwks.keys', 'list'],
    [{ jwks: {} }, 'jwks.keys', 'list'],
    [keys(...Array(21).fill(JWK)), 'jwks.keys', 'list'],
    [keys('key'), 'jwks.keys.0', 'jwk'],
    [keys({ ...rest, d }), 'jwks.keys.0', 'private'],
    [keys(JWK, { ...JWK, y: JWK.kid }), 'jwks.keys.1', 'jwk'],
    [keys({ ...JWK, x: undefined }), 'jwks.keys.0', 'jwk'],
    [keys({ ...JWK, ...shifted(-1) }), 'jwks.keys.0', 'jwk'],
    [keys({ ...JWK, ...shifted(1) }), 'jwks.keys.0', 'jwk'],
    [keys({ ...JWK, kid: '' }), 'jwks.keys.0.kid', 'text'],
  ]
  for (const [member, path, code] of members)
    t.deepEqual(
      refusalOf(() => metadata(member)),
      ['wallet_request.malformed', `${at}.${path}`, code],
      path,
    )
})

test('a key that nothing can be encrypted to is the fault of the wallet', async (t) => {
  const jwk = { kty: 'EC', crv: 'P-256', ...shifted(-1) }
  await t.throwsAsync(encryptRequest('a.b.c', { jwk, enc: 'A256GCM' } as RequestEncryption), {
    instanceOf: Refusal,
    code: 'wallet_request.malformed',
  })
})

test('whatever a wallet posts is read or refused, and never an error', (t) => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string()), fc.string(), (wallet_metadata, wallet_nonce) => {
      refusalOf(() => readAbilities({ wallet_metadata, wallet_nonce }))
    }),
    { numRuns: 2_000 },
  )
  t.pass()
})

const QUERY: DcqlQuery = {
  credentials: [
    { id: 'a', format: 'dc+sd-jwt', meta: { vct_values: ['v'] } },
    { id: 'b', format: 'mso_mdoc', meta: { doctype_value: 'd' } },
  ],
}
const eitherOf: DcqlQuery = { ...QUERY, credential_sets: [{ options: [['a'], ['b']] }] }
const optional: DcqlQuery = { ...QUERY, credential_sets: [{ options: [['a']] }, { options: [['b']], required: false }] }
const REQUEST: WalletRequest = {
  clientId: 'x509_hash:abc',
  responseMode: 'direct_post.jwt',
  responseUri: 'https://verifier.example/answers/a',
  nonce: 'n',
  query: QUERY,
  issuedAt: new Date(0),
  expiresAt: new Date(600_000),
  encryption: { publicJwk: { kty: 'EC', kid: '1' } },
}

test('a request fits what the wallet is able to, or is refused with what the verifier uses', (t) => {
  const of = (more: object, request: object = {}) =>
    refusalOf(() => fitted({ ...REQUEST, ...request }, 'ES256', metadata(more)))?.slice(0, 2)
  const no = (name: string) => ['wallet_request.unsupported', `wallet_metadata.${name}`]
  const sdJwt = { 'dc+sd-jwt': {} }
  const both = { ...sdJwt, mso_mdoc: { deviceauth_alg_values: [-47, -9] } }
  const cases: [object, object, string?][] = [
    [{}, {}],
    [{ vp_formats_supported: both }, {}],
    [{ vp_formats_supported: sdJwt }, {}, 'vp_formats_supported'],
    [{ vp_formats_supported: sdJwt }, { query: eitherOf }],
    [{ vp_formats_supported: sdJwt }, { query: optional }],
    [{ vp_formats_supported: { mso_mdoc: {} } }, { query: optional }, 'vp_formats_supported'],
    [
      { vp_formats_supported: { ...both, 'dc+sd-jwt': { 'kb-jwt_alg_values': ['ES512'] } } },
      {},
      'vp_formats_supported',
    ],
    [{ vp_formats_supported: { ...sdJwt, mso_mdoc: { deviceauth_alg_values: [-47] } } }, {}, 'vp_formats_supported'],
    [{ vp_formats_supported: {} }, {}, 'vp_formats_supported'],
    [{ client_id_prefixes_supported: ['x509_hash'] }, {}],
    [{ client_id_prefixes_supported: ['x509'] }, {}, 'client_id_prefixes_supported'],
    [{ request_object_signing_alg_values_supported: ['EdDSA', 'ES256'] }, {}],
    [{ request_object_signing_alg_values_supported: ['EdDSA'] }, {}, 'request_object_signing_alg_values_supported'],
    [{ authorization_encryption_alg_values_supported: ['ECDH-ES'] }, {}],
    [
      { authorization_encryption_alg_values_supported: ['RSA-OAEP'] },
      {},
      'authorization_encryption_alg_values_supported',
    ],
    [{ authorization_encryption_alg_values_supported: ['RSA-OAEP'] }, { encryption: undefined }],
    [
      { authorization_encryption_enc_values_supported: ['A192GCM'] },
      {},
      'authorization_encryption_enc_values_supported',
    ],
  ]
  for (const [more, request, name] of cases)
    t.deepEqual(of(more, request), name === undefined ? undefined : no(name), JSON.stringify(more))
})

test('the request object has the nonce of the wallet, and the encryptions of both sides', (t) => {
  const claimsFor = (wallet: WalletAbilities) => requestClaims(fitted(REQUEST, 'ES256', wallet))
  const plain = claimsFor({})
  t.false('wallet_nonce' in plain)
  t.deepEqual(plain.client_metadata.encrypted_response_enc_values_supported, ['A256GCM', 'A128GCM'])
  const own = claimsFor({ nonce: 'w', contentEncryptions: ['A128GCM', 'A128CBC-HS256'] })
  t.is(own.wallet_nonce, 'w')
  t.deepEqual(own.client_metadata.encrypted_response_enc_values_supported, ['A128GCM'])
})

test('a request is not encrypted in a way that the platform does not have', (t) => {
  const wanted = { request_object_encryption_alg_values_supported: ['RSA-OAEP-256'] }
  const enc = { request_object_encryption_enc_values_supported: ['A256CBC-HS512'] }
  const rsa = { kty: 'RSA', n: 'AQAB', e: 'AQAB', use: 'enc' }
  for (const more of [
    { ...wanted, jwks: { keys: [JWK] } },
    { ...enc, jwks: { keys: [JWK] } },
    { jwks: { keys: [rsa] } },
  ])
    t.is(refusalOf(() => metadata(more))?.[0], 'wallet_request.unsupported', JSON.stringify(more))
})
