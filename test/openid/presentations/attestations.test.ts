import test from 'ava'
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { dereference, publicKeyOf, toJwk } from '../../../protocol/dids/index.ts'
import { resolveDidKey } from '../../../protocol/dids/key.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { openSdJwt } from '../../support/openid/presenting.sd-jwt.ts'
import { trustedAttesters, wallet } from '../../support/openid/presenting.ts'
import { requestsOf } from '../../support/openid/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

const ISSUER = 'https://registry.example'
const FRAME = { given_name: true }

let world: World
let did: string
let requests: ReturnType<typeof requestsOf>
let registry: Awaited<ReturnType<typeof generateKeyPair>>
test.before(async () => {
  world = await openWorld()
  did = await createDid(world, 'p256')
  requests = requestsOf(world, did)
  registry = await generateKeyPair('ES256', { extractable: true })
  trustedAttesters.set(ISSUER, { ...(await exportJWK(registry.publicKey)), alg: 'ES256' })
})
test.after.always(() => world?.close())

const jwkOf = (of: string): JWK => {
  const document = resolveDidKey(of)
  const [method = ''] = document.assertionMethod?.map(String) ?? []
  return { ...toJwk(publicKeyOf(dereference(document, method, 'assertionMethod').method)) } as JWK
}

interface Attested {
  jwk?: JWK
  typ?: string
  more?: object
  without?: string
  inSeconds?: number
}

/** What a registry that wallets trust says of the verifier. */
async function attested({
  jwk,
  typ = 'verifier-attestation+jwt',
  more,
  without = '',
  inSeconds = 3_600,
}: Attested = {}) {
  const exp = Math.floor(Date.now() / 1000) + inSeconds
  const claims = { iss: ISSUER, sub: 'shop.example', exp, cnf: { jwk: jwk ?? jwkOf(did) }, ...more }
  const kept = Object.fromEntries(Object.entries(claims).filter(([name]) => name !== without))
  return new SignJWT(kept).setProtectedHeader({ alg: 'ES256', typ }).sign(registry.privateKey)
}

test('a wallet knows a verifier by what an attestation says of its key (OpenID4VP 1.0, sections 5.9.3 and 12)', async (t) => {
  const held = await openSdJwt(world, { issuer_did: await createDid(world, 'p256', world.token, true) })
  for (const clientIdPrefix of [undefined, 'verifier_attestation']) {
    const created = await requests.create({ verifierAttestation: await attested(), clientIdPrefix })
    t.is(created.clientId, 'verifier_attestation:shop.example')
    const request = await wallet.readRequest(created.uri)
    t.is(request.client_id, created.clientId)
    t.is((await wallet.answer(request, await held.present(request, FRAME))).status, 200)
    t.is((await requests.read(created.id)).state, 'VERIFIED')
  }
  const origins = { responseMode: 'dc_api.jwt', expectedOrigins: ['https://shop.example'] }
  const verifierAttestation = await attested({ more: { redirect_uris: ['https://shop.example/cb'] } })
  const { browserRequest } = await requests.create({ ...origins, verifierAttestation })
  const read = await wallet.readBrowserRequest(browserRequest?.data ?? { request: '' }, 'https://shop.example')
  t.is(read.client_id, 'verifier_attestation:shop.example')
})

test('an attestation of another key, without an end, or of another type is refused', async (t) => {
  const other = await createDid(world, 'p256')
  const path = 'verifierAttestation'
  const cases: [object, string, string][] = [
    [{ verifierAttestation: await attested({ jwk: jwkOf(other) }) }, path, 'public_key'],
    [{ verifierAttestation: await attested({ inSeconds: 60 }) }, path, 'expired'],
    [{ verifierAttestation: await attested({ inSeconds: -60 }) }, path, 'expired'],
    [{ verifierAttestation: await attested({ typ: 'JWT' }) }, path, 'typ'],
    [{ verifierAttestation: await attested({ without: 'exp' }) }, path, 'exp'],
    [{ verifierAttestation: await attested({ without: 'sub' }) }, path, 'sub'],
    [{ verifierAttestation: await attested({ without: 'iss' }) }, path, 'iss'],
    [{ verifierAttestation: await attested({ without: 'cnf' }) }, path, 'cnf'],
    [{ verifierAttestation: await attested({ more: { sub: 'two words' } }) }, path, 'sub'],
    [{ verifierAttestation: await attested({ more: { nbf: Math.floor(Date.now() / 1000) + 900 } }) }, path, 'nbf'],
    [
      { verifierAttestation: await attested({ more: { redirect_uris: ['https://shop.example'] } }) },
      path,
      'redirect_uris',
    ],
    [{ verifierAttestation: 'e30.e30.e30' }, path, 'typ'],
    [{ verifierAttestation: 'e30.bm90LWpzb24.e30' }, path, 'jwt'],
    [{ verifierAttestation: await attested(), clientIdPrefix: 'decentralized_identifier' }, path, 'exclusive'],
    [{ clientIdPrefix: 'verifier_attestation' }, path, 'required'],
    [{ verifierAttestation: await attested(), certificateChain: 'x' }, 'certificateChain', 'exclusive'],
  ]
  for (const [body, at, code] of cases) {
    const reply = await requests.creating({ expiresInSec: 600, ...body })
    t.is(reply.status, 400, code)
    const { errors = [] } = reply.json<{ errors?: { path: string; code: string }[] }>()
    t.true(
      errors.some((each) => each.path === at && each.code === code),
      `${code} ${reply.text}`,
    )
  }
})
