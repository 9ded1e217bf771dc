import { deflateSync } from 'node:zlib'
import test from 'ava'
import { createCompactTemplate } from '../../support/credentials/compact.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { errorOf } from '../../support/openid/authorization.ts'
import {
  attestationProof,
  challengeOf,
  openWalletProvider,
  type WalletProvider,
} from '../../support/openid/haip/attesting.ts'
import { createWalletKey, offerIn, sessionsOf, type WalletKey } from '../../support/openid/wallet.ts'
import { openWorldBeside, type WorldBeside } from '../../support/parts/elsewhere.ts'

const PRE = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'

const lists = new Map<string, string>()
let beside: WorldBeside
let template: string
let provider: WalletProvider
let instance: WalletKey
test.before(async () => {
  beside = await openWorldBeside('status.provider.test', (request, response) => {
    const list = lists.get(request.url ?? '')
    if (list === undefined) response.writeHead(404).end()
    else response.writeHead(200, { 'content-type': 'application/statuslist+jwt' }).end(list)
  })
  const { world } = beside
  await createDid(world, 'ed25519', world.token, true)
  const mapping = { given_name: { map_from: 'claims.given_name', required: true } }
  template = (await createCompactTemplate(world, { credential_mappings: mapping })).id
  provider = await openWalletProvider()
  await provider.register(world)
  instance = await createWalletKey()
})
test.after.always(() => beside?.close())

/** Puts a list with one revoked entry, of index 9, at an address. */
async function publish(name: string, by: WalletProvider, claims: object = {}, header: object = {}): Promise<string> {
  const uri = beside.urlOf(name)
  const lst = deflateSync(Buffer.from([0, 0b10])).toString('base64url')
  const iat = Math.floor(Date.now() / 1000)
  lists.set(
    `/${name}`,
    await by.sign('statuslist+jwt', { sub: uri, iat, status_list: { bits: 1, lst }, ...claims }, header),
  )
  return uri
}

/** A token for a wallet whose attestation has a status. */
async function exchange(status: object, by = provider) {
  const { world } = beside
  const { uri } = await sessionsOf(world).offer({ credentials: [template], claims: { given_name: 'Ada' } })
  const code = offerIn(uri).grants[PRE]?.['pre-authorized_code'] ?? ''
  const challenge = await challengeOf(world)
  return world.ask('/v1/oauth/token', {
    body: { grant_type: PRE, 'pre-authorized_code': code },
    headers: {
      'oauth-client-attestation': await by.attestWallet(instance, { status }),
      'oauth-client-attestation-pop': await attestationProof(instance, world.config.publicUrl.origin, { challenge }),
    },
  })
}

const entry = (uri: string, idx: number) => ({ status_list: { uri, idx } })

test('an attestation counts until its provider has revoked it (D-907; draft-ietf-oauth-status-list)', async (t) => {
  const uri = await publish('good', provider)
  t.is((await exchange(entry(uri, 8))).status, 200)
  t.is(errorOf(await exchange(entry(uri, 9))), '401 invalid_client')
})

test('a list that cannot be trusted or read revokes: of another provider, without signature, of another address, too short', async (t) => {
  const other = await openWalletProvider()
  await other.register(beside.world)
  t.is(errorOf(await exchange(entry(await publish('other', other), 8))), '401 invalid_client')
  t.is(
    errorOf(await exchange(entry(await publish('elsewhere', provider, { sub: 'https://x.example' }), 8))),
    '401 invalid_client',
  )
  t.is(errorOf(await exchange(entry(await publish('typed', provider, {}, { typ: 'JWT' }), 8))), '401 invalid_client')
  t.is(errorOf(await exchange(entry(await publish('old', provider, { exp: 1 }), 8))), '401 invalid_client')
  t.is(errorOf(await exchange(entry('http://status.provider.test/x', 8))), '401 invalid_client')
  t.is(errorOf(await exchange(entry(await publish('short', provider), 4_000))), '401 invalid_client')
})

test('a list that was read for one provider is none of another one', async (t) => {
  const other = await openWalletProvider()
  await other.register(beside.world)
  const uri = await publish('of-one', other)
  t.is((await exchange(entry(uri, 8), other)).status, 200)
  t.is(errorOf(await exchange(entry(uri, 8))), '401 invalid_client')
})

test('a list that does not answer is no fault of the wallet: it tries again', async (t) => {
  const reply = await exchange(entry(beside.urlOf('missing'), 8))
  t.is(errorOf(reply), '503 temporarily_unavailable', reply.text)
  t.truthy(reply.headers.get('retry-after'))
})
