import { X509Certificate } from 'node:crypto'
import { IssuerSigned } from '@owf/mdoc'
import test from 'ava'
import { decodeProtectedHeader, jwtVerify } from 'jose'
import { makeIaca, makeSigner } from '../../support/credentials/mobile.ts'
import { type Authorization, errorOf, openAuthorization } from '../../support/openid/authorization.ts'
import { createAnswerKey, encryptFor, requestEncryptionOf } from '../../support/openid/encryption.ts'
import { GRANTS, type Grant, openSuiteWallet, type SuiteWallet } from '../../support/openid/issuing.ts'
import { readMdoc } from '../../support/openid/verifying.ts'
import { createMobileTemplate, createWalletKey, sessionsOf, type WalletKey } from '../../support/openid/wallet.ts'

// one test for each module of oid4vci-1_0-issuer-test-plan for mdocs, in both grants (docs/conformance-openid.md)

let authorization: Authorization
let wallet: SuiteWallet
let template: string
let root: Uint8Array
test.before(async () => {
  authorization = await openAuthorization({ workflows: true })
  const { world } = authorization
  const { certificatePem } = await makeIaca(world)
  root = new Uint8Array(Buffer.from(certificatePem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64'))
  await makeSigner(world, { active: true })
  template = await createMobileTemplate(world)
  wallet = await openSuiteWallet(authorization, template)
})
test.after.always(() => authorization?.close())

interface Credentials {
  credentials: { credential: string }[]
  notification_id: string
}

const CREDENTIAL = '/v1/openid/credential'

const wanted = (...jwt: string[]) => ({ credential_configuration_id: template, proofs: { jwt } })

/** Asks with proofs of keys, and expects to be answered. */
async function collect(token: string, keys: readonly WalletKey[], client = wallet.first): Promise<Credentials> {
  const nonce = await wallet.nonce()
  const proofs = await Promise.all(keys.map((key) => wallet.prove(key, { nonce }, client)))
  let reply = await wallet.call(CREDENTIAL, token, wanted(...proofs), client)
  for (let tries = 0; reply.status === 202 && tries < 60; tries += 1) {
    const { transaction_id } = reply.json<{ transaction_id: string }>()
    reply = await wallet.call('/v1/openid/deferred-credential', token, { transaction_id }, client)
  }
  if (reply.status !== 200) throw new Error(`no credential: ${reply.status} ${reply.text}`)
  return reply.json<Credentials>()
}

async function refused(token: string, body: object): Promise<string> {
  const reply = await wallet.call(CREDENTIAL, token, body)
  const { error, error_description: description } = reply.json<{ error?: string; error_description?: string }>()
  if (!description) throw new Error(`no description: ${reply.text}`)
  if (reply.headers.get('cache-control') !== 'no-store') throw new Error('it may be kept')
  return `${reply.status} ${error}`
}

const notify = (token: string, notification_id: string) =>
  wallet.call('/v1/openid/notification', token, { notification_id, event: 'credential_accepted' })

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

/** The state of the newest session. */
async function newestState(): Promise<string | undefined> {
  const { world } = authorization
  const reply = await world.ask('/v1/openid/sessions?limit=1', { token: world.token })
  const [session] = reply.json<{ data: { id: string }[] }>().data
  return session && (await sessionsOf(world).read(session.id)).state
}

const MODULES: [
  name: string,
  promise: string,
  run: (t: import('ava').ExecutionContext, grant: Grant) => Promise<void>,
][] = [
  [
    'happy-flow',
    'from the first request to a credential for the proved key, and a notification',
    async (t, grant) => {
      const { access_token: token, token_type, expires_in } = await wallet.authorize(grant)
      t.is(token_type, 'DPoP')
      t.true(expires_in > 0)
      const key = await createWalletKey()
      const { credentials, notification_id } = await collect(token, [key])
      t.like(await readMdoc(credentials[0]?.credential, root, key), { given_name: 'ada', family_name: 'Lovelace' })
      const told = await notify(token, notification_id)
      t.deepEqual([told.status, told.text], [204, ''])
      t.is((await notify(token, notification_id)).status, 204, 'the same notification again changes nothing')
    },
  ],
  [
    'happy-flow-additional-requests',
    'the same request again, with a new nonce, gets the same credential (D-464)',
    async (t, grant) => {
      const { access_token: token } = await wallet.authorize(grant)
      const key = await createWalletKey()
      const first = await collect(token, [key])
      t.deepEqual(await collect(token, [key]), first)
      t.is((await notify(token, first.notification_id)).status, 204)
      t.deepEqual(await collect(token, [key]), first, 'also after the notification')
      const other = wanted(await wallet.prove(await createWalletKey()))
      t.is(await refused(token, other), '400 credential_request_denied', 'a finished session gives nothing more')
    },
  ],
  [
    'happy-flow-multiple-clients',
    'two wallets have credentials of their own, each for its key',
    async (t, grant) => {
      const keys = [await createWalletKey(), await createWalletKey()] as const
      const one = await wallet.authorize(grant, wallet.first)
      const other = await wallet.authorize(grant, wallet.second)
      t.not(one.access_token, other.access_token)
      const [own] = (await collect(one.access_token, [keys[0]])).credentials
      const [foreign] = (await collect(other.access_token, [keys[1]], wallet.second)).credentials
      await readMdoc(own?.credential, root, keys[0])
      await readMdoc(foreign?.credential, root, keys[1])
      const stolen = await wallet.call(CREDENTIAL, other.access_token, {}, wallet.first)
      t.is(errorOf(stolen), '401 invalid_token', 'a token of another wallet gives nothing')
    },
  ],
  [
    'happy-flow-skip-notification',
    'a wallet that never notifies has its credential all the same',
    async (t, grant) => {
      const { access_token: token } = await wallet.authorize(grant)
      const key = await createWalletKey()
      const [given] = (await collect(token, [key])).credentials
      await readMdoc(given?.credential, root, key)
      t.is(await newestState(), 'ISSUED')
    },
  ],
  [
    'batch-issuance',
    'as many credentials as keys, each for its own, and nothing that links them',
    async (t, grant) => {
      const { batch_size: size } = wallet.metadata.batch_credential_issuance as { batch_size: number }
      const { access_token: token } = await wallet.authorize(grant)
      const keys = await Promise.all(Array.from({ length: size }, () => createWalletKey()))
      const { credentials } = await collect(token, keys)
      t.is(credentials.length, size)
      for (const [place, key] of keys.entries()) await readMdoc(credentials[place]?.credential, root, key)
      const times = credentials.map(({ credential }) => {
        const { signed, validUntil } =
          IssuerSigned.fromEncodedForOid4Vci(credential).issuerAuth.mobileSecurityObject.validityInfo
        return `${signed.toISOString()} ${validUntil.toISOString()}`
      })
      t.is(new Set(times).size, 1)
      t.is(new Set(credentials.map(({ credential }) => credential)).size, size)
    },
  ],
  [
    'fail-invalid-nonce',
    'invalid_nonce, and a good request after it gets its credential (section 8.3.1)',
    async (t, grant) => {
      const { access_token: token } = await wallet.authorize(grant)
      const key = await createWalletKey()
      const proof = await wallet.prove(key, { nonce: 'a nonce of the suite' })
      t.is(await refused(token, wanted(proof)), '400 invalid_nonce')
      t.is((await collect(token, [key])).credentials.length, 1)
    },
  ],
  [
    'fail-invalid-jwt-proof-signature',
    'invalid_proof (section 8.3.1)',
    async (t, grant) => {
      const { access_token: token } = await wallet.authorize(grant)
      const proof = await wallet.prove(await createWalletKey())
      const [header, payload, signature = ''] = proof.split('.')
      const other = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`
      t.is(await refused(token, wanted([header, payload, other].join('.'))), '400 invalid_proof')
      const strange = { ...(await createWalletKey()), publicJwk: (await createWalletKey()).publicJwk }
      t.is(await refused(token, wanted(await wallet.prove(strange))), '400 invalid_proof', 'of another key')
    },
  ],
  [
    'fail-invalid-key-attestation-signature',
    'no configuration asks for attestations of keys, and a proof by one alone is none (appendix F.3)',
    async (t, grant) => {
      const known = wallet.metadata.credential_configurations_supported as Record<string, Record<string, object>>
      t.deepEqual(Object.keys(known[template]?.proof_types_supported ?? {}), ['jwt'])
      t.false(JSON.stringify(known).includes('key_attestations_required'))
      const { access_token: token } = await wallet.authorize(grant)
      const key = await createWalletKey()
      const attestation = await key.sign({ typ: 'key-attestation+jwt' }, { attested_keys: [key.publicJwk] })
      const body = { credential_configuration_id: template, proofs: { attestation: [attestation] } }
      t.is(await refused(token, body), '400 invalid_proof')
    },
  ],
  [
    'fail-missing-proof',
    'invalid_proof (section 8.3.1)',
    async (t, grant) => {
      const { access_token: token } = await wallet.authorize(grant)
      t.is(await refused(token, { credential_configuration_id: template }), '400 invalid_proof')
      t.is(await refused(token, wanted()), '400 invalid_proof')
    },
  ],
  [
    'fail-unsupported-encryption-algorithm',
    'invalid_encryption_parameters, and a good request after it gets its credential (section 8.3.1)',
    async (t, grant) => {
      const { access_token: token } = await wallet.authorize(grant)
      const [key, answers] = [await createWalletKey(), await createAnswerKey()]
      const issuer = await requestEncryptionOf(authorization.world)
      const ask = async (encryption: object) => {
        const body = { ...wanted(await wallet.prove(key)), credential_response_encryption: encryption }
        return wallet.call(CREDENTIAL, token, await encryptFor(issuer, body))
      }
      for (const changed of [{ enc: 'unsupported' }, { jwk: { ...answers.jwk, alg: 'unsupported' } }])
        t.is(errorOf(await ask({ jwk: answers.jwk, enc: 'A256GCM', ...changed })), '400 invalid_encryption_parameters')
      const reply = await ask({ jwk: answers.jwk, enc: 'A256GCM' })
      t.is((await answers.open(reply.text)).content.credentials.length, 1)
    },
  ],
  [
    'fail-unknown-credential-configuration',
    'unknown_credential_configuration (section 8.3.1)',
    async (t, grant) => {
      const { access_token: token } = await wallet.authorize(grant)
      const proofs = { jwt: [await wallet.prove(await createWalletKey())] }
      const body = { credential_configuration_id: 'unknown-of-the-suite', proofs }
      t.is(await refused(token, body), '400 unknown_credential_configuration')
    },
  ],
  [
    'fail-unknown-credential-identifier',
    'unknown_credential_identifier (section 8.3.1)',
    async (t, grant) => {
      const { access_token: token } = await wallet.authorize(grant)
      const proofs = { jwt: [await wallet.prove(await createWalletKey())] }
      const body = { credential_identifier: 'unknown-of-the-suite', proofs }
      t.is(await refused(token, body), '400 unknown_credential_identifier')
    },
  ],
  [
    'fail-on-access-token-in-query',
    'a token in the address gives nothing (RFC 6750, section 2.3; RFC 9700, section 4.3.2)',
    async (t, grant) => {
      const { access_token: token } = await wallet.authorize(grant)
      const key = await createWalletKey()
      const body = wanted(await wallet.prove(key))
      const reply = await authorization.world.ask(`${CREDENTIAL}?access_token=${token}`, { body })
      t.is(errorOf(reply), '401 invalid_token')
      t.is((await collect(token, [key])).credentials.length, 1, 'where it belongs it is good')
    },
  ],
]

for (const [name, promise, run] of MODULES)
  for (const grant of GRANTS) test.serial(`oid4vci-1_0-issuer-${name} (${grant}): ${promise}`, (t) => run(t, grant))
