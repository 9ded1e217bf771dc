import test from 'ava'
import { Exhausted, Unavailable } from '../../../protocol/errors.ts'
import { verifyProof } from '../../../protocol/openid/oid4vci/proofs.ts'
import { walletRefusal } from '../../../protocol/openid/oid4vci/refusals.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { makeIaca, makeSigner } from '../../support/credentials/mobile.ts'
import { errorOf } from '../../support/openid/authorization.ts'
import {
  CLAIMS,
  createMobileTemplate,
  createWalletKey,
  openWallet,
  sessionsOf,
  type WalletKey,
} from '../../support/openid/wallet.ts'
import { startTestDns, type TestDns } from '../../support/parts/dns.ts'
import { openWorld, type World } from '../../support/world.ts'

const HOST = 'holders.test'
const DID = `did:web:${HOST}:people:ada`

let dns: TestDns
let world: World
let template: string
let key: WalletKey
test.before(async () => {
  dns = await startTestDns({ [HOST]: { A: ['127.0.0.1'] } })
  // one read in ten seconds; the server is none, which is for the reads of the resolver to find out
  const env = { OUTBOUND_DNS_SERVER: dns.address, OUTBOUND_READS_PER_MINUTE: '6' }
  world = await openWorld({ env })
  await makeIaca(world)
  await makeSigner(world, { active: true })
  await createDid(world, 'ed25519', world.token, true)
  template = await createMobileTemplate(world)
  key = await createWalletKey()
})
test.after.always(async () => {
  await world?.close()
  await dns?.close()
})

const now = () => Math.floor(Date.now() / 1000)
const looks = () => dns.queries.filter((query) => query.includes(HOST)).length

async function ask(did: string, claims: object, header: object = {}) {
  const { c_nonce: nonce } = (await world.ask('/v1/openid/nonce', { method: 'POST' })).json<{ c_nonce: string }>()
  const typ = 'openid4vci-proof+jwt'
  const payload = { aud: world.config.publicUrl.origin, iat: now(), nonce, ...claims }
  const jwt = await key.sign({ typ, kid: `${did}#key-1`, ...header }, payload)
  const { uri } = await sessionsOf(world).offer({ credentials: [template], claims: CLAIMS })
  const token = (await openWallet([]).authorize(uri)).accessToken
  return world.ask('/v1/openid/credential', {
    token,
    body: { credential_configuration_id: template, proofs: { jwt: [jwt] } },
  })
}

const WRONG: [what: string, claims: object, header: object, error: string][] = [
  ['a nonce of somebody else', { nonce: 'a nonce of somebody' }, {}, '400 invalid_nonce'],
  ['no nonce', { nonce: undefined }, {}, '400 invalid_proof'],
  ['another audience', { aud: 'https://other.example' }, {}, '400 invalid_proof'],
  ['an old iat', { iat: now() - 1_000 }, {}, '400 invalid_proof'],
  ['an iat to come', { iat: now() + 1_000 }, {}, '400 invalid_proof'],
  ['another type', {}, { typ: 'JWT' }, '400 invalid_proof'],
  ['another issuer', { iss: 'somebody' }, {}, '400 invalid_proof'],
]

for (const [what, claims, header, error] of WRONG)
  test.serial(`nothing is fetched for a proof with ${what}`, async (t) => {
    const before = looks()
    t.is(errorOf(await ask(DID, claims, header)), error)
    t.is(looks(), before)
  })

test.serial('DIDs of wallets have a budget of their own, and a wallet may try again after it', async (t) => {
  const before = looks()
  t.is(errorOf(await ask(DID, {})), '400 invalid_proof', 'its document cannot be fetched')
  t.true(looks() > before)
  const reply = await ask(`${DID}-2`, {})
  t.is(errorOf(reply), '429 temporarily_unavailable')
  t.regex(reply.headers.get('retry-after') ?? '', /^\d+$/)
})

for (const cause of [new Unavailable('database', 'away'), new Exhausted('outbound', 'too many')])
  test(`a key that cannot be had now is no fault of the proof: ${cause.name}`, async (t) => {
    const claims = { aud: 'https://issuer.example', iat: now(), nonce: 'n' }
    const jwt = await key.sign({ typ: 'openid4vci-proof+jwt', kid: `${DID}#1` }, claims)
    const rules = {
      ...{ audience: 'https://issuer.example', clientId: undefined, now: new Date(), toleranceMs: 60_000 },
      assertNonce: () => undefined,
      keyOf: () => Promise.reject(cause),
      attestedKeyOf: () => Promise.reject(walletRefusal('invalid_proof', 'none')),
    }
    t.is(await t.throwsAsync(verifyProof(jwt, 'proofs.jwt.0', rules)), cause)
  })
