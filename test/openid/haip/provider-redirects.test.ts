import test from 'ava'
import { createCompactTemplate } from '../../support/credentials/compact.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { refusal } from '../../support/credentials/templates.ts'
import {
  type Authorization,
  CALLBACK,
  errorOf,
  openAuthorization,
  parametersFor,
  pkce,
} from '../../support/openid/authorization.ts'
import {
  attestationProof,
  challengeOf,
  openWalletProvider,
  PROVIDERS,
  WALLET_CLIENT,
  type WalletProvider,
} from '../../support/openid/haip/attesting.ts'
import { createWalletKey, type WalletKey } from '../../support/openid/wallet.ts'
import { trustListsOf } from '../../support/trust-lists/lists.ts'
import type { Reply } from '../../support/world.ts'

const RETURN = 'https://wallet.example/return'
/** As wallets of the EU's reference have it: a scheme without a domain name. */
const OWN = 'eudi-openid4ci://authorize'

let authorization: Authorization
let template: string
let provider: WalletProvider
let instance: WalletKey
let id: string
test.before(async () => {
  authorization = await openAuthorization()
  const { world } = authorization
  await createDid(world, 'ed25519', world.token, true)
  const mapping = { given_name: { map_from: 'claims.given_name', required: true } }
  template = (await createCompactTemplate(world, { credential_mappings: mapping })).id
  provider = await openWalletProvider()
  id = await provider.register(world, { redirectUris: [RETURN, OWN] })
  instance = await createWalletKey()
})
test.after.always(() => authorization?.close())

const put = (body: object) =>
  authorization.world.ask(`${PROVIDERS}/${id}`, { method: 'PUT', token: authorization.world.token, body })

const headersOf = async (maker = provider, sub = WALLET_CLIENT) => ({
  'oauth-client-attestation': await maker.attestWallet(instance, { sub }),
  'oauth-client-attestation-pop': await attestationProof(instance, authorization.base, {
    challenge: await challengeOf(authorization.world),
  }),
})

async function push(redirect_uri: string, { maker = provider, sub = WALLET_CLIENT } = {}): Promise<Reply> {
  const { issuerState } = await authorization.offered([template])
  const parameters = parametersFor(pkce().challenge, issuerState, { client_id: sub, redirect_uri })
  return authorization.form('/v1/oauth/par', parameters as Record<string, string>, await headersOf(maker, sub))
}

test.serial('an attested wallet names an address of its provider’s list, or one on the device (D-1051)', async (t) => {
  for (const uri of [RETURN, OWN, CALLBACK, 'com.example.wallet:/callback']) t.is((await push(uri)).status, 201, uri)
})

test.serial('a genuine wallet has no codes of others sent to a website of its holder (D-1051)', async (t) => {
  const others = [
    'https://attacker.example/cb',
    `${RETURN}/`,
    `${RETURN}?x=1`,
    'https://WALLET.example/return',
    'own:/cb',
  ]
  for (const uri of others) {
    const reply = await push(uri)
    t.is(errorOf(reply), '400 invalid_request', uri)
    t.is(reply.json<{ errors: { path: string }[] }>().errors[0]?.path, 'redirect_uri')
  }
})

test.serial('the holder comes back to the address, also where the list has changed since', async (t) => {
  const { authorizeUrl, browser } = authorization
  const { request_uri } = (await push(RETURN)).json<{ request_uri: string }>()
  t.deepEqual((await put({ redirectUris: [] })).json<{ redirectUris: string[] }>().redirectUris, [])
  try {
    t.is(errorOf(await push(RETURN)), '400 invalid_request')
    const { location = '' } = await browser().follow(authorizeUrl({ client_id: WALLET_CLIENT, request_uri }), RETURN)
    t.truthy(new URL(location).searchParams.get('code'))
  } finally {
    await put({ redirectUris: [RETURN, OWN] })
  }
})

test.serial('a wallet that is registered has its own addresses alone, whoever attests it', async (t) => {
  const { world } = authorization
  const sub = 'https://registered.example'
  const body = { name: 'Registered', clientId: sub, redirectUris: [`${sub}/cb`] }
  t.is((await world.ask('/v1/openid/wallets', { token: world.token, body })).status, 201)
  t.is((await push(`${sub}/cb`, { sub })).status, 201)
  t.is(errorOf(await push(RETURN, { sub })), '400 invalid_request')
})

test.serial('wallets of a listed provider name addresses on the device, or are registered', async (t) => {
  const { world } = authorization
  const maker = await openWalletProvider()
  const entries = [{ certificate: maker.anchor.pem }]
  const list = { name: 'Makers', formats: [], attests: ['wallets'], enforced: true, entries }
  await trustListsOf(world, world.token).created(list)
  t.is((await push(CALLBACK, { maker })).status, 201)
  t.is(errorOf(await push(RETURN, { maker })), '400 invalid_request')
})

test.serial('addresses of a provider are kept and read', async (t) => {
  const { world } = authorization
  const body = { name: 'Maker', attests: ['wallets'], certificates: [provider.anchor.pem] }
  const made = await world.ask(PROVIDERS, { token: world.token, body: { ...body, redirectUris: [OWN, RETURN] } })
  const { id: other, redirectUris } = made.json<{ id: string; redirectUris: string[] }>()
  t.deepEqual(redirectUris, [OWN, RETURN])
  t.like((await world.ask(`${PROVIDERS}/${other}`, { token: world.token })).json<object>(), { redirectUris })
  t.is((await world.ask(`${PROVIDERS}/${other}`, { method: 'DELETE', token: world.token })).status, 204)
})

test.serial('addresses that are none are refused at their places', async (t) => {
  for (const [change, place] of [
    [{ redirectUris: ['https://a.example/#x'] }, 'redirectUris.0'],
    [{ redirectUris: ['javascript:alert(1)'] }, 'redirectUris.0'],
    [{ redirectUris: [RETURN, RETURN] }, 'redirectUris.1'],
    [{ redirectUris: Array.from({ length: 21 }, (_, nth) => `https://a.example/${nth}`) }, 'redirectUris'],
    [{ redirectUris: [RETURN], attests: ['keys'] }, 'redirectUris'],
  ] as const) {
    const reply = await put(change)
    t.truthy(refusal(reply, 400), reply.text)
    const [error] = reply.json<{ errors: { path: string }[] }>().errors
    t.is(error?.path, place)
  }
})
