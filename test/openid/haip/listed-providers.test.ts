import test from 'ava'
import { type Certificate, certificateOfPem } from '../../../protocol/mobile-credentials/certificates.read.ts'
import { isOf } from '../../../protocol/openid/oid4vci/attestations/providers.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { makeIaca, makeSigner } from '../../support/credentials/mobile.ts'
import { refusal } from '../../support/credentials/templates.ts'
import { type Authorization, errorOf, openAuthorization } from '../../support/openid/authorization.ts'
import {
  attestationProof,
  challengeOf,
  openWalletProvider,
  WALLET_CLIENT,
  type WalletProvider,
} from '../../support/openid/haip/attesting.ts'
import {
  CLAIMS,
  createMobileTemplate,
  createWalletKey,
  offerIn,
  openWallet,
  sessionsOf,
  type WalletKey,
} from '../../support/openid/wallet.ts'
import { type TrustListAnswer, trustListsOf } from '../../support/trust-lists/lists.ts'
import { inHours, loteOf, openListOperator } from '../../support/trust-lists/lote.ts'

const PRE = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'
const WALLET_ISSUANCE = 'http://uri.etsi.org/19602/SvcType/WalletSolution/Issuance'

let authorization: Authorization
let template: string
let provider: WalletProvider
let instance: WalletKey
test.before(async () => {
  authorization = await openAuthorization()
  const { world } = authorization
  await makeIaca(world)
  await makeSigner(world, { active: true })
  await createDid(world, 'ed25519', world.token, true)
  template = await createMobileTemplate(world)
  provider = await openWalletProvider()
  instance = await createWalletKey()
})
test.after.always(() => authorization?.close())

const lists = () => trustListsOf(authorization.world, authorization.world.token)

const providers = (more: object = {}) => ({
  ...{ name: 'Wallets', formats: [], attests: ['wallets'], enforced: true },
  ...{ entries: [{ name: 'A provider', certificate: provider.anchor.pem }], ...more },
})

const offered = async () =>
  (await sessionsOf(authorization.world).offer({ credentials: [template], claims: CLAIMS })).uri

/** The answer to a wallet that its provider vouches for. */
async function exchange(claims: Record<string, string> = {}): Promise<string | number> {
  const { world, form, base } = authorization
  const { uri } = await sessionsOf(world).offer({
    ...{ credentials: [template], claims: CLAIMS, grantType: 'pre-authorized_code' },
  })
  const code = offerIn(uri).grants[PRE]?.['pre-authorized_code'] ?? ''
  const headers = {
    'oauth-client-attestation': await provider.attestWallet(instance, claims),
    'oauth-client-attestation-pop': await attestationProof(instance, base, { challenge: await challengeOf(world) }),
  }
  const reply = await form(
    '/v1/oauth/token',
    { grant_type: PRE, 'pre-authorized_code': code, client_id: WALLET_CLIENT },
    headers,
  )
  return reply.status === 200 ? 200 : errorOf(reply)
}

/** The error of a credential request with a key that the provider attests; undefined where it is taken. */
async function attestedKey(): Promise<string | undefined> {
  const { world } = authorization
  const { accessToken } = await openWallet([]).authorize(await offered())
  const nonce = (await world.ask('/v1/openid/nonce', { method: 'POST' })).json<{ c_nonce: string }>().c_nonce
  const proofs = { attestation: [await provider.attestKeys([instance], { nonce })] }
  const body = { credential_configuration_id: template, proofs }
  return (await world.ask('/v1/openid/credential', { token: accessToken, body })).json<{ error?: string }>().error
}

const methods = async () =>
  (await authorization.world.ask('/.well-known/oauth-authorization-server')).json<{
    token_endpoint_auth_methods_supported: string[]
  }>().token_endpoint_auth_methods_supported

test.serial(
  'wallets of a listed provider attest while its list is enforced, and the metadata says that they may',
  async (t) => {
    t.is(await exchange(), '401 invalid_client')
    t.false((await methods()).includes('attest_jwt_client_auth'))
    const { id } = await lists().created(providers())
    t.true((await methods()).includes('attest_jwt_client_auth'))
    t.is(await exchange(), 200)
    t.is(await attestedKey(), 'invalid_proof', 'the list is for wallets')
    await lists().update(id, { enforced: false })
    t.is(await exchange(), '401 invalid_client')
    await lists().update(id, { enforced: true, entries: [{ certificate: provider.leaf.pem }] })
    t.is(await exchange(), 200, 'the certificate of the signer itself')
    await lists().remove(id)
    t.is(await exchange(), '401 invalid_client')
  },
)

test.serial('keys count that a listed provider attests', async (t) => {
  t.is(await attestedKey(), 'invalid_proof')
  const { id } = await lists().created(providers({ attests: ['keys'] }))
  t.is(await attestedKey(), undefined)
  t.is(await exchange(), '401 invalid_client', 'the list is for keys')
  await lists().remove(id)
})

test.serial('a list does not widen what the tenant has registered of the same provider', async (t) => {
  const { world } = authorization
  const { publicJwk: own } = await createWalletKey()
  const registrations: [string, object][] = [
    ['authority', { attests: ['wallets'], clientIds: ['https://other.example'] }],
    ['issuer', { attests: ['wallets'], issuer: 'https://maker.example' }],
    [
      'key',
      {
        ...{ attests: ['wallets'], clientIds: ['https://other.example'], certificates: [] },
        jwks: { keys: [{ ...own, kid: 'own' }, provider.jwk] },
      },
    ],
  ]
  for (const [name, changes] of registrations) {
    const registered = await provider.register(world, changes)
    for (const { pem } of name === 'key' ? [provider.leaf, provider.selfSigned] : [provider.anchor, provider.leaf]) {
      const { id } = await lists().created(providers({ entries: [{ certificate: pem }] }))
      t.is(await exchange({ iss: 'https://another.example' }), '401 invalid_client', name)
      await lists().remove(id)
    }
    await world.ask(`/v1/openid/wallet-providers/${registered}`, { method: 'DELETE', token: world.token })
  }
  const registered = await provider.register(world, { attests: ['wallets'], clientIds: [WALLET_CLIENT] })
  const { id } = await lists().created(providers())
  t.is(await exchange(), 200)
  await lists().remove(id)
  await world.ask(`/v1/openid/wallet-providers/${registered}`, { method: 'DELETE', token: world.token })
})

test.serial('another provider, and a list of another tenant, count for nothing', async (t) => {
  const { world } = authorization
  const other = await openWalletProvider()
  const { id } = await lists().created(providers({ entries: [{ certificate: other.anchor.pem }] }))
  await trustListsOf(world, await world.tokenOf(await world.addTenant())).created(providers())
  t.is(await exchange(), '401 invalid_client')
  await lists().remove(id)
})

test.serial('a list of ETSI names wallet providers, until it is stale', async (t) => {
  const operator = await openListOperator()
  const next = new Date(Date.now() + 6_000).toISOString()
  const service = { type: WALLET_ISSUANCE, certificates: [provider.anchor.pem] }
  const sourceOf = async (NextUpdate: string) => ({
    ...{ format: 'ts-119-602', signers: [operator.signer], serviceTypes: [WALLET_ISSUANCE], graceHours: 0 },
    document: await operator.sign(loteOf([service], { NextUpdate })),
  })
  const body = { name: 'Wallets', formats: [], attests: ['wallets'] }
  const reply = await lists().create({ ...body, source: await sourceOf(next) })
  t.is(reply.status, 201, reply.text)
  const { id, ...list } = reply.json<TrustListAnswer>()
  t.like(list, { entryCount: 1, state: 'current' })
  t.is(await exchange(), 200)
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, Date.parse(next) - Date.now() + 100)))
  t.is(await exchange(), '401 invalid_client')
  await lists().update(id, { source: await sourceOf(inHours(24)) })
  t.is(await exchange(), 200)
  await lists().remove(id)
})

test('a list that lists nobody, or providers without a certificate, is refused at its place', async (t) => {
  const cases: [object, string][] = [
    [{ attests: [] }, 'formats'],
    [{ entries: [{ identifier: 'did:web:wallets.example' }] }, 'attests'],
  ]
  for (const [more, place] of cases) {
    const reply = await lists().create(providers(more))
    t.is(refusal(reply, 400), 'trust_list.invalid')
    t.deepEqual(
      reply.json<{ errors: { path: string }[] }>().errors.map(({ path }) => path),
      [place],
    )
  }
})

test('a certificate is of a registered authority by its signature, which is verified only where name or key may be its', async (t) => {
  const { anchor } = await openWalletProvider()
  const [authority, leaf, stranger] = [provider.anchor, provider.leaf, anchor].map(({ pem }) => certificateOfPem(pem))
  if (!authority || !leaf || !stranger) return t.fail('the provider has no certificates')
  const registered = {
    id: 'a',
    issuer: undefined,
    clientIds: [],
    redirectUris: [],
    certificates: [authority],
    keys: [],
  }
  t.true(isOf(registered, leaf))
  t.true(isOf({ ...registered, certificates: [leaf] }, leaf), 'by its key')
  const keys = [{ ...provider.jwk, kty: 'EC', y: provider.jwk.x }]
  t.false(isOf({ ...registered, certificates: [], keys }, leaf), 'a key of before that cannot be read is nobody’s')
  const verified: unknown[] = []
  const native = { verify: (key: unknown) => verified.push(key) > 0 } as unknown as Certificate['native']
  const isRenamed = (subjectKeyId: string | undefined, authorityKeyId: string | undefined, more: object = {}) => {
    const certificates = [{ ...authority, subjectKeyId }]
    const listed = { ...leaf, issuerName: `${leaf.issuerName}00`, authorityKeyId, ...more }
    return isOf({ ...registered, certificates }, listed)
  }
  t.true(isRenamed('aa', 'aa'), 'the name is written otherwise')
  t.true(isRenamed('aa', undefined))
  t.true(isRenamed(undefined, 'aa'))
  t.false(isRenamed('aa', 'aa', { native: stranger.native }), 'a key identifier alone says nothing')
  t.false(isRenamed('aa', 'bb', { native }))
  t.deepEqual(verified, [])
})
