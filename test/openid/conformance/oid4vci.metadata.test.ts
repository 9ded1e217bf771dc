import { X509Certificate } from 'node:crypto'
import test from 'ava'
import { decodeProtectedHeader, jwtVerify } from 'jose'
import { makeIaca, makeSigner } from '../../support/credentials/mobile.ts'
import { type Authorization, openAuthorization } from '../../support/openid/authorization.ts'
import { openSuiteWallet } from '../../support/openid/issuing.ts'
import { createMobileTemplate } from '../../support/openid/wallet.ts'

// the modules of oid4vci-1_0-issuer-test-plan that read metadata (docs/conformance-openid.md)

let authorization: Authorization
let template: string
let root: Uint8Array
test.before(async () => {
  authorization = await openAuthorization()
  const { world } = authorization
  const { certificatePem } = await makeIaca(world)
  root = new Uint8Array(Buffer.from(certificatePem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64'))
  await makeSigner(world, { active: true })
  template = await createMobileTemplate(world)
  await openSuiteWallet(authorization, template)
})
test.after.always(() => authorization?.close())

test('oid4vci-1_0-issuer-metadata-test: issuer and server say what wallets may call, and how (sections 12.2 and 12.3)', async (t) => {
  const { base, world } = authorization
  const reply = await world.ask('/.well-known/openid-credential-issuer')
  t.regex(reply.headers.get('content-type') ?? '', /^application\/json/)
  const metadata = reply.json<Record<string, unknown>>()
  t.is(metadata.credential_issuer, base)
  const endpoints = ['credential', 'deferred_credential', 'nonce', 'notification'].map((name) => `${name}_endpoint`)
  for (const name of endpoints) t.true(String(metadata[name]).startsWith(`${base}/`), name)
  t.true((metadata.batch_credential_issuance as { batch_size: number }).batch_size >= 2)
  t.false('signed_metadata' in metadata, 'it is no member any more')
  t.like(metadata.credential_response_encryption, { alg_values_supported: ['ECDH-ES'], encryption_required: false })
  const { jwks, ...request } = metadata.credential_request_encryption as { jwks: { keys: Record<string, string>[] } }
  t.like(request, { enc_values_supported: ['A128GCM', 'A256GCM'], encryption_required: false })
  t.true(jwks.keys.every(({ kid, alg, d }) => kid && alg === 'ECDH-ES' && d === undefined))
  const known = metadata.credential_configurations_supported as Record<string, Record<string, unknown>>
  const configuration = known[template] ?? t.fail()
  t.like(configuration, { format: 'mso_mdoc', doctype: 'org.iso.18013.5.1.mDL' })
  t.true((configuration?.cryptographic_binding_methods_supported as string[]).includes('cose_key'))
  t.true((configuration?.credential_signing_alg_values_supported as number[]).every(Number.isInteger))
  const { jwt } = configuration?.proof_types_supported as { jwt: { proof_signing_alg_values_supported: string[] } }
  t.true(jwt.proof_signing_alg_values_supported.includes('ES256'))
  const server = (await world.ask('/.well-known/oauth-authorization-server')).json<Record<string, unknown>>()
  t.like(server, {
    issuer: base,
    token_endpoint: `${base}/v1/oauth/token`,
    require_pushed_authorization_requests: true,
  })
  t.true((server.grant_types_supported as string[]).length === 2)
})

test.serial(
  'oid4vci-1_0-issuer-metadata-test-signed: whoever asks for it gets the same metadata, signed (section 12.2.3)',
  async (t) => {
    const { base, world, setPolicy } = authorization
    const read = (accept: string) => world.ask('/.well-known/openid-credential-issuer', { headers: { accept } })
    const unsigned = await read('application/jwt, application/json;q=0.5')
    t.regex(unsigned.headers.get('content-type') ?? '', /^application\/json/, 'it is optional')
    await setPolicy({ signsMetadata: true })
    const signed = await read('application/jwt, application/json;q=0.5')
    t.deepEqual([signed.status, signed.headers.get('content-type')], [200, 'application/jwt'])
    const { x5c = [] } = decodeProtectedHeader(signed.text)
    const leaf = new X509Certificate(Buffer.from(x5c[0] ?? '', 'base64'))
    t.true(leaf.verify(new X509Certificate(Buffer.from(root)).publicKey))
    const { payload } = await jwtVerify(signed.text, leaf.publicKey, { typ: 'openidvci-issuer-metadata+jwt' })
    t.like(payload, { sub: base, credential_issuer: base })
  },
)
