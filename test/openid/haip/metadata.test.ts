import { X509Certificate } from 'node:crypto'
import test from 'ava'
import { decodeJwt, decodeProtectedHeader, importJWK, importX509, jwtVerify } from 'jose'
import { dereference, publicKeyOf, toJwk } from '../../../protocol/dids/index.ts'
import { resolveDidKey } from '../../../protocol/dids/key.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { makeIaca, makeSigner } from '../../support/credentials/mobile.ts'
import { openWallet } from '../../support/openid/wallet.ts'
import { openWorld, type Reply, type World } from '../../support/world.ts'

let world: World
let did: string
test.before(async () => {
  world = await openWorld()
  did = await createDid(world, 'ed25519', world.token, true)
})
test.after.always(() => world?.close())

const PATH = '/.well-known/openid-credential-issuer'

const read = (accept = 'application/jwt'): Promise<Reply> => world.ask(PATH, { headers: { accept } })

const isJson = ({ headers }: Reply): boolean => /^application\/json/.test(headers.get('content-type') ?? '')

async function sign(signsMetadata: boolean): Promise<void> {
  const reply = await world.ask('/v1/openid/wallet-policy', {
    method: 'PUT',
    token: world.token,
    body: { signsMetadata },
  })
  if (reply.status !== 200) throw new Error(reply.text)
}

test.serial('metadata is not signed before the tenant has chosen that', async (t) => {
  const reply = await read()
  t.deepEqual([reply.status, isJson(reply)], [200, true])
  t.is(reply.headers.get('vary'), 'Accept')
})

test.serial('without a document signer a DID signs it: kid is its key (OpenID4VCI 1.0, section 12.2.3)', async (t) => {
  await sign(true)
  const reply = await read()
  t.is(reply.headers.get('content-type'), 'application/jwt')
  const { kid = '', alg = '', typ, x5c } = decodeProtectedHeader(reply.text)
  t.deepEqual([typ, alg, x5c], ['openidvci-issuer-metadata+jwt', 'EdDSA', undefined])
  const { method } = dereference(resolveDidKey(did), kid, 'assertionMethod')
  const { payload } = await jwtVerify(reply.text, await importJWK({ ...toJwk(publicKeyOf(method)) }, alg))
  t.is(payload.sub, world.config.publicUrl.origin)
})

test.serial(
  'a document signer signs it with its certificate, which its IACA has issued (HAIP 1.0, section 4.1)',
  async (t) => {
    const { certificatePem } = await makeIaca(world)
    await makeSigner(world, { active: true })
    const reply = await read()
    t.is(reply.status, 200)
    t.is(reply.headers.get('cache-control'), 'public, max-age=60')
    const { x5c = [], alg, typ, kid } = decodeProtectedHeader(reply.text)
    t.deepEqual([x5c.length, alg, typ, kid], [1, 'ES256', 'openidvci-issuer-metadata+jwt', undefined])
    const leaf = new X509Certificate(Buffer.from(x5c[0] ?? '', 'base64'))
    const root = new X509Certificate(certificatePem)
    t.true(leaf.verify(root.publicKey))
    t.not(leaf.subject, leaf.issuer, 'it has not signed itself')
    const key = await importX509(leaf.toString(), 'ES256')
    const { payload } = await jwtVerify(reply.text, key, { typ: 'openidvci-issuer-metadata+jwt' })
    const { sub, iat = 0, exp = 0, ...metadata } = payload
    t.is(sub, world.config.publicUrl.origin)
    t.is(exp - iat, 86_400)
    t.true(Math.abs(Date.now() / 1000 - iat) < 60)
    t.deepEqual(metadata, (await read('application/json')).json<object>(), 'all parameters, as in the document of JSON')
  },
)

test.serial('a foreign wallet reads it (@openid4vc/openid4vci)', async (t) => {
  await sign(true)
  let verified = 0
  const { client } = openWallet([], {
    // the library reads either form, and asks for none
    fetch: (input, init) => fetch(input, { ...init, headers: { accept: 'application/jwt, application/json' } }),
    async verifyJwt(signer, { compact }) {
      if (signer.method !== 'x5c') return { verified: false }
      const certificate = new X509Certificate(Buffer.from(signer.x5c[0] ?? '', 'base64'))
      await jwtVerify(compact, certificate.publicKey)
      verified += 1
      return { verified: true, signerJwk: { kty: 'EC' } }
    },
  })
  const { credentialIssuer } = await client.resolveIssuerMetadata(world.config.publicUrl.origin)
  t.is(credentialIssuer.credential_issuer, world.config.publicUrl.origin)
  t.is(verified, 1)
})

test.serial('the form is the one that Accept prefers; one signature serves all that ask within a minute', async (t) => {
  await sign(true)
  t.true(isJson(await read('application/json, application/jwt')))
  t.true(isJson(await read('*/*')))
  t.true(isJson(await read('application/jwt;q=0.1, application/json')))
  const replies = await Promise.all(Array.from({ length: 20 }, () => read('application/jwt, application/json;q=0.5')))
  t.is(new Set(replies.map(({ text }) => text)).size, 1)
  const before = decodeJwt(replies[0]?.text ?? '')
  const body = { requiresEncryption: true }
  await world.ask('/v1/openid/wallet-policy', { method: 'PUT', token: world.token, body })
  const after = decodeJwt((await read()).text)
  t.notDeepEqual(after.credential_response_encryption, before.credential_response_encryption, 'but none that is old')
})
