import { IssuerSigned } from '@owf/mdoc'
import test from 'ava'
import { makeIaca, makeSigner } from '../../support/credentials/mobile.ts'
import { type Authorization, errorOf, openAuthorization } from '../../support/openid/authorization.ts'
import { openWalletProvider } from '../../support/openid/haip/attesting.ts'
import { createAnswerKey, encryptFor, requestEncryptionOf } from '../../support/openid/haip/encryption.ts'
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
    'invalid_proof, and a good attestation after it gets its credentials (section 8.3.1)',
    async (t, grant) => {
      const provider = await openWalletProvider()
      await provider.register(authorization.world)
      const { access_token: token } = await wallet.authorize(grant)
      const keys = [await createWalletKey(), await createWalletKey()] as const
      const attestation = await provider.attestKeys(keys, { nonce: await wallet.nonce() })
      const [header, payload, signature = ''] = attestation.split('.')
      const other = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`
      const changed = [header, payload, other].join('.')
      const by = (proofs: object) => ({ credential_configuration_id: template, proofs })
      t.is(await refused(token, by({ attestation: [changed] })), '400 invalid_proof')
      const claims = { iss: wallet.first.id, aud: authorization.base, iat: Math.floor(Date.now() / 1000) }
      const proof = async (key_attestation: string) =>
        keys[0].sign(
          { typ: 'openid4vci-proof+jwt', jwk: keys[0].publicJwk, key_attestation },
          { ...claims, nonce: await wallet.nonce() },
        )
      t.is(await refused(token, by({ jwt: [await proof(changed)] })), '400 invalid_proof')
      const reply = await wallet.call(CREDENTIAL, token, by({ jwt: [await proof(attestation)] }))
      t.is(reply.json<Credentials>().credentials.length, 2)
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
