import { createHash, createPublicKey, verify } from 'node:crypto'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import test from 'ava'
import { dereference, publicKeyOf, toJwk } from '../../protocol/dids/index.ts'
import { resolveDidKey } from '../../protocol/dids/key.ts'
import { createDid } from '../support/credentials/credentials.ts'
import { createWalletKey, openWallet, sessionsOf } from '../support/openid/wallet.ts'
import { createSdJwtTemplate, verifySdJwt } from '../support/sd-jwt/credentials.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let issuer: string
test.before(async () => {
  world = await openWorld({ workflows: true })
  issuer = await createDid(world, 'P-256', world.token, true)
})
test.after.always(() => world?.close())

const claims = { given_name: 'Ada', city: 'London' }

/** The verifier of another author (OpenWallet Foundation), with the key of our did:key. */
function foreignVerifier() {
  const { method } = dereference(
    resolveDidKey(issuer),
    `${issuer}#${issuer.slice('did:key:'.length)}`,
    'assertionMethod',
  )
  const key = createPublicKey({ key: { ...toJwk(publicKeyOf(method)) }, format: 'jwk' })
  return new SDJwtVcInstance({
    hashAlg: 'sha-256',
    hasher: (data: string | ArrayBuffer) =>
      new Uint8Array(
        createHash('sha256')
          .update(typeof data === 'string' ? data : new Uint8Array(data))
          .digest(),
      ),
    verifier: async (data: string, signature: string) =>
      verify('sha256', Buffer.from(data), { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url')),
  })
}

test('a foreign wallet collects a dc+sd-jwt for its key, and a foreign verifier and ours say yes', async (t) => {
  const { id, vct } = await createSdJwtTemplate(world, { revocable: false })
  const key = await createWalletKey()
  const { uri } = await sessionsOf(world).offer({ credentials: [id], claims })
  const { credentials, issuerMetadata } = await openWallet([key]).collect(uri)
  const configuration = issuerMetadata.credentialIssuer.credential_configurations_supported[id]
  t.like(configuration, {
    format: 'dc+sd-jwt',
    vct,
    cryptographic_binding_methods_supported: ['jwk', 'did:key', 'did:jwk', 'did:web'],
    credential_signing_alg_values_supported: ['ES256', 'EdDSA', 'ES384'],
  })
  const metadata = configuration?.credential_metadata as { claims: object[] } | undefined
  t.deepEqual(metadata?.claims[0], {
    path: ['given_name'],
    mandatory: true,
    display: [{ name: 'Given name', locale: 'en' }],
  })
  const [credential] = credentials
  t.is(typeof credential, 'string')
  const foreign = await foreignVerifier().verify(String(credential))
  t.like(foreign.payload, { vct, iss: issuer, given_name: 'Ada', address: { locality: 'London' } })
  const { kty, crv, x, y } = key.publicJwk
  t.deepEqual(foreign.payload.cnf, { jwk: { kty, crv, x, y } })
  t.is(Number(foreign.payload.iat) % 3600, 0)
  const verdict = await verifySdJwt(world, String(credential))
  t.true(verdict.verified, JSON.stringify(verdict.reason))
})

test('a wallet gets one credential for each of its keys', async (t) => {
  const { id } = await createSdJwtTemplate(world)
  const keys = [await createWalletKey(), await createWalletKey('EdDSA')]
  const { uri } = await sessionsOf(world).offer({ credentials: [id], claims })
  const { credentials } = await openWallet(keys).collect(uri)
  const bound: unknown[] = []
  for (const credential of credentials) {
    const { verified, claims } = await verifySdJwt(world, String(credential))
    t.true(verified)
    bound.push((claims?.cnf as { jwk: { x: string } }).jwk.x)
  }
  t.deepEqual(bound.toSorted(), keys.map(({ publicJwk }) => publicJwk.x).toSorted())
})

test('a template without key binding is collected without a proof', async (t) => {
  const { id } = await createSdJwtTemplate(world, { key_binding: false })
  const { uri } = await sessionsOf(world).offer({ credentials: [id], claims })
  const { credentials } = await openWallet([]).collect(uri)
  const { verified, claims: shown } = await verifySdJwt(world, String(credentials[0]))
  t.true(verified)
  t.false('cnf' in (shown ?? {}))
})

test('claims that the template does not take cannot be offered', async (t) => {
  const { id } = await createSdJwtTemplate(world)
  const reply = await world.ask('/v1/openid/sessions', {
    token: world.token,
    body: { credentials: [id], claims: { given_name: 'Ada', given_nme: 'Ada' } },
  })
  t.is(reply.status, 400)
  t.regex(reply.text, /claim_unmapped/)
})
