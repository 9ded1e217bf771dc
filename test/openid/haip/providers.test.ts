import test from 'ava'
import { MAX_PROVIDERS } from '../../../activities/openid/attestations/providers.ts'
import { inTenant } from '../../../entities/orm.ts'
import { refusal } from '../../support/credentials/templates.ts'
import { openWalletProvider, PROVIDERS, type WalletProvider } from '../../support/openid/haip/attesting.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let provider: WalletProvider
test.before(async () => {
  world = await openWorld()
  provider = await openWalletProvider()
})
test.after.always(() => world?.close())

const post = (body: object) => world.ask(PROVIDERS, { token: world.token, body })
const put = (id: string, body: object) => world.ask(`${PROVIDERS}/${id}`, { method: 'PUT', token: world.token, body })

test('a provider is created, read, listed, changed and deleted', async (t) => {
  const jwks = { keys: [{ ...provider.jwk, alg: undefined }] }
  const body = { name: 'Maker', attests: ['wallets'], certificates: [provider.anchor.pem], jwks }
  const created = await post(body)
  t.is(created.status, 201, created.text)
  const { id, ...rest } = created.json<{ id: string }>()
  t.is(created.headers.get('location'), `${PROVIDERS}/${id}`)
  t.like(rest, { name: 'Maker', issuer: null, attests: ['wallets'], certificates: [provider.anchor.pem] })
  const changed = await put(id, { attests: ['keys'], issuer: 'https://maker.example', jwks: null })
  t.like(changed.json<object>(), { attests: ['keys'], issuer: 'https://maker.example', jwks: null })
  t.deepEqual((await world.ask(`${PROVIDERS}/${id}`, { token: world.token })).json(), changed.json())
  t.like((await put(id, { issuer: null })).json<object>(), { issuer: null, attests: ['keys'] })
  const listed = (await world.ask(PROVIDERS, { token: world.token })).json<{ data: { id: string }[] }>()
  t.true(listed.data.some((each) => each.id === id))
  t.is((await world.ask(`${PROVIDERS}/${id}`, { method: 'DELETE', token: world.token })).status, 204)
  t.is((await world.ask(`${PROVIDERS}/${id}`, { token: world.token })).status, 404)
})

test('a tenant trusts 100 providers at most', async (t) => {
  const { tenantId, ...client } = await world.addTenant()
  const token = await world.tokenOf({ tenantId, ...client })
  const id = await provider.register({ ask: world.ask, token })
  await inTenant(world.dependencies.database.tenants, tenantId, (em) =>
    em.execute(`insert into openid_wallet_providers
      (id, tenant_id, name, attests_wallets, attests_keys, client_ids, certificates)
      select gen_random_uuid(), tenant_id, name, true, true, '{}', certificates from openid_wallet_providers,
      generate_series(2, ${MAX_PROVIDERS - 1}) where id = '${id}'`),
  )
  await provider.register({ ask: world.ask, token })
  const body = { name: 'One more', attests: ['keys'], certificates: [provider.anchor.pem] }
  t.is(refusal(await world.ask(PROVIDERS, { token, body }), 409), 'openid_wallet_provider.too_many')
})

/** Each with the place that is named. */
const REFUSED: [what: string, change: () => object, place: string][] = [
  ['nothing to trust', () => ({ certificates: [] }), 'certificates'],
  ['what is no certificate', () => ({ certificates: ['-----BEGIN CERTIFICATE-----'] }), 'certificates.0'],
  ['a certificate twice', () => ({ certificates: [provider.anchor.pem, provider.anchor.pem] }), 'certificates.1'],
  ['nothing attested', () => ({ attests: [] }), 'attests'],
  ['one thing twice', () => ({ attests: ['keys', 'keys'] }), 'attests'],
  ['an issuer with spaces', () => ({ issuer: 'a b' }), 'issuer'],
  ['a name with control characters', () => ({ name: 'a\tb' }), 'name'],
  ['a key without kid', () => ({ jwks: { keys: [{ ...provider.jwk, kid: undefined }] } }), 'jwks.keys.0.kid'],
  ['two keys with one kid', () => ({ jwks: { keys: [provider.jwk, provider.jwk] } }), 'jwks.keys.1.kid'],
  ['a private key', () => ({ jwks: { keys: [{ ...provider.jwk, d: 'AAAA' }] } }), 'jwks.keys.0'],
  ['a point that is on no curve', () => ({ jwks: { keys: [{ ...provider.jwk, y: provider.jwk.x }] } }), 'jwks.keys.0'],
  ['a symmetric key', () => ({ jwks: { keys: [{ kty: 'oct', k: 'AAAA', kid: '1' }] } }), 'jwks.keys.0'],
  ['no keys', () => ({ jwks: { keys: [] } }), 'jwks.keys'],
]

for (const [what, change, place] of REFUSED)
  test(`a provider with ${what} is refused at its place`, async (t) => {
    const body = { name: 'Maker', attests: ['keys'], certificates: [provider.anchor.pem], ...change() }
    const reply = await post(body)
    t.is(refusal(reply, 400), 'openid_wallet_provider.invalid')
    t.deepEqual(
      reply.json<{ errors: { path: string }[] }>().errors.map(({ path }) => path),
      [place],
    )
  })

test('a policy with levels or batches that are none is refused at their places', async (t) => {
  const body = { keyStorage: ['a b', 'x', 'x'], batchSize: 21 }
  const reply = await world.ask('/v1/openid/wallet-policy', { method: 'PUT', token: world.token, body })
  t.is(refusal(reply, 400), 'openid_wallet_policy.invalid')
  t.deepEqual(
    reply.json<{ errors: { path: string }[] }>().errors.map(({ path }) => path),
    ['keyStorage.0', 'keyStorage.2', 'batchSize'],
  )
})
