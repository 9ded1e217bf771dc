import test from 'ava'
import { SignJWT } from 'jose'
import { createDid } from '../../support/credentials/credentials.ts'
import { makeIaca, makeSigner } from '../../support/credentials/mobile.ts'
import { addTenant } from '../../support/frame/tenants.ts'
import { errorOf } from '../../support/openid/authorization.ts'
import { openWalletProvider, PROVIDERS, type WalletProvider } from '../../support/openid/haip/attesting.ts'
import {
  CLAIMS,
  createMobileTemplate,
  createWalletKey,
  openWallet,
  sessionsOf,
  type WalletKey,
} from '../../support/openid/wallet.ts'
import { openWorld, type Reply, type World } from '../../support/world.ts'

let world: World
let template: string
let provider: WalletProvider
let providerId: string
test.before(async () => {
  world = await openWorld({ workflows: true })
  await makeIaca(world)
  await makeSigner(world, { active: true })
  await createDid(world, 'ed25519', world.token, true)
  template = await createMobileTemplate(world)
  provider = await openWalletProvider()
  providerId = await provider.register(world)
})
test.after.always(() => world?.close())

const keysOf = (count: number, alg?: string) => Promise.all(Array.from({ length: count }, () => createWalletKey(alg)))

const nonceOf = async () =>
  (await world.ask('/v1/openid/nonce', { method: 'POST' })).json<{ c_nonce: string }>().c_nonce

async function setPolicy(body: object): Promise<void> {
  const reply = await world.ask('/v1/openid/wallet-policy', { method: 'PUT', token: world.token, body })
  if (reply.status !== 200) throw new Error(`no policy: ${reply.text}`)
}

async function tokenFor(): Promise<string> {
  const { uri } = await sessionsOf(world).offer({ credentials: [template], claims: CLAIMS })
  return (await openWallet([]).authorize(uri)).accessToken
}

/** Asks until there is an answer. */
async function ask(token: string, proofs: object): Promise<Reply> {
  const body = { credential_configuration_id: template, proofs }
  let reply = await world.ask('/v1/openid/credential', { token, body })
  for (let tries = 0; reply.status === 202 && tries < 30; tries += 1)
    reply = await world.ask('/v1/openid/credential', { token, body })
  return reply
}

const given = (reply: Reply): number => reply.json<{ credentials?: object[] }>().credentials?.length ?? 0

/** A proof by a key with an attestation of several, with one nonce, which a test changes. */
async function proofWith(key: WalletKey, attestation: string, nonce: string, header: object = {}): Promise<string> {
  const iat = Math.floor(Date.now() / 1000)
  const typ = 'openid4vci-proof+jwt'
  return key.sign(
    { typ, jwk: key.publicJwk, key_attestation: attestation, ...header },
    { aud: world.config.publicUrl.origin, iat, nonce },
  )
}

test('attestation: one attestation of five keys gives five credentials (OpenID4VCI 1.0, appendix F.3)', async (t) => {
  const nonce = await nonceOf()
  const attestation = await provider.attestKeys(await keysOf(5), { nonce })
  const reply = await ask(await tokenFor(), { attestation: [attestation] })
  t.deepEqual([reply.status, given(reply)], [200, 5], reply.text)
})

test('jwt with key_attestation: one proof, and a credential for each attested key (appendix F.1)', async (t) => {
  const nonce = await nonceOf()
  const keys = await keysOf(3)
  const attestation = await provider.attestKeys(keys, { nonce })
  const proof = await proofWith(keys[1] ?? t.fail(), attestation, nonce)
  const token = await tokenFor()
  const reply = await ask(token, { jwt: [proof] })
  t.deepEqual([reply.status, given(reply)], [200, 3], reply.text)
  t.deepEqual((await ask(token, { jwt: [proof] })).json(), reply.json(), 'the same again gets the same')
})

test('jwt with key_attestation: twenty proofs, each with the attestation of all twenty keys', async (t) => {
  const nonce = await nonceOf()
  const keys = await keysOf(20)
  const described = keys.map(({ publicJwk }, place) => ({
    publicJwk: { ...publicJwk, kid: `key ${place} of a wallet`, use: 'sig', alg: 'ES256' },
  }))
  const attestation = await provider.attestKeys(described, { nonce })
  const proofs = await Promise.all(keys.map((key) => proofWith(key, attestation, nonce)))
  t.true(proofs.every((proof) => proof.length > 8 * 1024))
  const reply = await ask(await tokenFor(), { jwt: proofs })
  t.deepEqual([reply.status, given(reply)], [200, 20], reply.text)
})

test('an attestation by a key of the provider, which its kid names, counts as one by certificate', async (t) => {
  const other = await openWalletProvider()
  const jwk = { ...other.jwk, kid: 'by-kid' }
  await other.register(world, { certificates: [], jwks: { keys: [jwk] }, issuer: 'https://provider.example' })
  const attest = async (claims: object) =>
    other.attestKeys(await keysOf(1), { nonce: await nonceOf(), ...claims }, { x5c: undefined, kid: 'by-kid' })
  t.is((await ask(await tokenFor(), { attestation: [await attest({ iss: 'https://provider.example' })] })).status, 200)
  const wrong = await attest({ iss: 'https://another.example' })
  t.is(errorOf(await ask(await tokenFor(), { attestation: [wrong] })), '400 invalid_proof')
})

const repeated = (key: WalletKey, times: number) => Array.from({ length: times }, () => key)

/** What is wrong with an attestation as a proof of its own, by the code of the rule. */
const ATTESTATIONS: [what: string, make: (nonce: string) => Promise<string>, rule: string][] = [
  ['of a stranger', async (nonce) => (await openWalletProvider()).attestKeys(await keysOf(1), { nonce }), 'trust'],
  [
    'with the certificate of the provider and the signature of a stranger',
    async (nonce) => (await openWalletProvider()).attestKeys(await keysOf(1), { nonce }, { x5c: [provider.leaf.x5c] }),
    'jwt',
  ],
  [
    'whose certificate has expired',
    async (nonce) => provider.attestKeys(await keysOf(1), { nonce }, { x5c: [provider.expired.x5c] }),
    'trust',
  ],
  [
    'whose certificate has signed itself',
    async (nonce) => provider.attestKeys(await keysOf(1), { nonce }, { x5c: [provider.selfSigned.x5c] }),
    'trust',
  ],
  ['whose x5c is none', async (nonce) => provider.attestKeys(await keysOf(1), { nonce }, { x5c: ['AAAA'] }), 'trust'],
  [
    'that brings its own key',
    async (nonce) => provider.attestKeys(await keysOf(1), { nonce }, { x5c: undefined, jwk: provider.jwk }),
    'header',
  ],
  ['that has expired', async (nonce) => provider.attestKeys(await keysOf(1), { nonce, exp: 1 }), 'exp'],
  ['of the future', async (nonce) => provider.attestKeys(await keysOf(1), { nonce, iat: 4_000_000_000 }), 'iat'],
  ['without iat', async (nonce) => provider.attestKeys(await keysOf(1), { nonce, iat: undefined }), 'iat'],
  ['without nonce', async () => provider.attestKeys(await keysOf(1)), 'nonce'],
  ['of another type', async (nonce) => provider.attestKeys(await keysOf(1), { nonce }, { typ: 'JWT' }), 'typ'],
  ['of no key', async (nonce) => provider.attestKeys([], { nonce }), 'attested_keys'],
  [
    'of a hundred keys',
    async (nonce) => provider.attestKeys(repeated(await createWalletKey(), 100), { nonce }),
    'attested_keys',
  ],
  [
    'of a thousand keys',
    async (nonce) => provider.attestKeys(repeated(await createWalletKey(), 1_000), { nonce }),
    'length',
  ],
  [
    'of one key twice',
    async (nonce) => {
      const [key] = await keysOf(1)
      if (!key) throw new Error('no key')
      return provider.attestKeys([key, key], { nonce })
    },
    'attested_keys',
  ],
  [
    'of a key of another curve',
    async (nonce) => provider.attestKeys(await keysOf(1, 'ES384'), { nonce }),
    'attested_keys',
  ],
  [
    'of a symmetric key',
    async (nonce) => provider.attestKeys([{ publicJwk: { kty: 'oct', k: 'AAAA' } }], { nonce }),
    'attested_keys',
  ],
  [
    'of a private key',
    async (nonce) => {
      const [key] = await keysOf(1)
      return provider.attestKeys([{ publicJwk: { kty: 'EC', ...key?.publicJwk, d: 'AAAA' } }], { nonce })
    },
    'attested_keys',
  ],
  [
    'of a point that is on no curve',
    async (nonce) => {
      const [key] = await keysOf(1)
      const publicJwk = { kty: 'EC', ...key?.publicJwk, y: key?.publicJwk.x ?? '' }
      return provider.attestKeys([{ publicJwk }], { nonce })
    },
    'attested_keys',
  ],
  [
    'with a status that nobody can check',
    async (nonce) => provider.attestKeys(await keysOf(1), { nonce, status: { other: 1 } }),
    'status',
  ],
  ['that is no JWT', async () => 'x.y.z', 'jwt'],
  [
    'without signature',
    async (nonce) => {
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
      const header = { alg: 'none', typ: 'key-attestation+jwt', x5c: [provider.leaf.x5c] }
      const [key] = await keysOf(1)
      return `${part(header)}.${part({ iat: 1, nonce, attested_keys: [key?.publicJwk] })}.`
    },
    'jwt',
  ],
  [
    'by a MAC with the public key',
    async (nonce) => {
      const [key] = await keysOf(1)
      const iat = Math.floor(Date.now() / 1000)
      return new SignJWT({ iat, nonce, attested_keys: [key?.publicJwk] })
        .setProtectedHeader({ alg: 'HS256', typ: 'key-attestation+jwt', x5c: [provider.leaf.x5c] })
        .sign(Buffer.from(provider.anchor.pem))
    },
    'jwt',
  ],
]

for (const [what, make, rule] of ATTESTATIONS)
  test(`an attestation ${what} is refused (appendices D.1 and F.4)`, async (t) => {
    const reply = await ask(await tokenFor(), { attestation: [await make(await nonceOf())] })
    t.is(errorOf(reply), '400 invalid_proof', reply.text)
    const [error] = reply.json<{ errors: { path: string; code: string }[] }>().errors
    t.deepEqual([error?.path, error?.code], ['proofs.attestation.0', rule])
  })

test('the nonce of an attestation is one of the issuer, and counts once', async (t) => {
  const keys = await keysOf(1)
  const foreign = await provider.attestKeys(keys, { nonce: 'a nonce of somebody' })
  t.is(errorOf(await ask(await tokenFor(), { attestation: [foreign] })), '400 invalid_nonce')
  const attestation = await provider.attestKeys(keys, { nonce: await nonceOf() })
  t.is((await ask(await tokenFor(), { attestation: [attestation] })).status, 200)
  t.is(errorOf(await ask(await tokenFor(), { attestation: [attestation] })), '400 invalid_nonce', 'in another session')
})

test('a proof with an attestation is by an attested key, and its attestation has an end (appendix D.1)', async (t) => {
  const nonce = await nonceOf()
  const [inside, outside] = [await createWalletKey(), await createWalletKey()]
  const stolen = await proofWith(outside, await provider.attestKeys([inside], { nonce }), nonce)
  t.is(errorOf(await ask(await tokenFor(), { jwt: [stolen] })), '400 invalid_proof', 'of a key that nobody attests')
  const endless = await proofWith(inside, await provider.attestKeys([inside], { nonce, exp: undefined }), nonce)
  t.is(errorOf(await ask(await tokenFor(), { jwt: [endless] })), '400 invalid_proof')
  const odd = await proofWith(inside, '', nonce, { key_attestation: 7 })
  t.is(errorOf(await ask(await tokenFor(), { jwt: [odd] })), '400 invalid_proof')
})

test('a provider counts for the tenant that trusts it alone, and for what it is trusted for', async (t) => {
  const theirs = await openWalletProvider()
  const other = await addTenant(world.dependencies.systemSql)
  const token = await world.tokenOf(other)
  await theirs.register({ ask: world.ask, token })
  const attestation = await theirs.attestKeys(await keysOf(1), { nonce: await nonceOf() })
  t.is(errorOf(await ask(await tokenFor(), { attestation: [attestation] })), '400 invalid_proof')
  const wallets = await openWalletProvider()
  await wallets.register(world, { attests: ['wallets'] })
  const unfit = await wallets.attestKeys(await keysOf(1), { nonce: await nonceOf() })
  t.is(errorOf(await ask(await tokenFor(), { attestation: [unfit] })), '400 invalid_proof')
  const gone = await openWalletProvider()
  const id = await gone.register(world)
  t.is((await world.ask(`${PROVIDERS}/${id}`, { method: 'DELETE', token: world.token })).status, 204)
  const late = await gone.attestKeys(await keysOf(1), { nonce: await nonceOf() })
  t.is(errorOf(await ask(await tokenFor(), { attestation: [late] })), '400 invalid_proof')
  t.not(providerId, id)
})

test.serial(
  'requiresKeyAttestation: the metadata says so, bare proofs are refused, and the levels count',
  async (t) => {
    const levels = { keyStorage: ['iso_18045_high'], userAuthentication: ['iso_18045_high', 'iso_18045_moderate'] }
    await setPolicy({ requiresKeyAttestation: true, ...levels, batchSize: 3 })
    try {
      const metadata = (await world.ask('/.well-known/openid-credential-issuer')).json<Record<string, unknown>>()
      t.deepEqual(metadata.batch_credential_issuance, { batch_size: 3 })
      const known = metadata.credential_configurations_supported as Record<string, { proof_types_supported: object }>
      const required = { key_storage: levels.keyStorage, user_authentication: levels.userAuthentication }
      t.like(known[template]?.proof_types_supported, {
        jwt: { key_attestations_required: required },
        attestation: { key_attestations_required: required },
      })
      const nonce = await nonceOf()
      const key = await createWalletKey()
      const bare = await proofWith(key, '', nonce, { key_attestation: undefined })
      t.is(errorOf(await ask(await tokenFor(), { jwt: [bare] })), '400 invalid_proof')
      for (const claims of [
        { key_storage: ['iso_18045_basic'] },
        { key_storage: undefined },
        { user_authentication: ['iso_18045_basic'] },
        { key_storage: 'iso_18045_high' },
      ]) {
        const weak = await provider.attestKeys([key], { nonce, ...claims })
        t.is(errorOf(await ask(await tokenFor(), { attestation: [weak] })), '400 invalid_proof', JSON.stringify(claims))
      }
      const many = await provider.attestKeys(await keysOf(4), { nonce })
      t.is(errorOf(await ask(await tokenFor(), { attestation: [many] })), '400 invalid_proof', 'more than a batch')
      const good = await provider.attestKeys([key], { nonce, key_storage: ['other', 'iso_18045_high'] })
      t.is((await ask(await tokenFor(), { attestation: [good] })).status, 200)
    } finally {
      await setPolicy({ requiresKeyAttestation: false, keyStorage: [], userAuthentication: [], batchSize: 20 })
    }
  },
)
