import { generateKeyPairSync } from 'node:crypto'
import test from 'ava'
import { dereference, publicKeyOf, toJwk } from '../../../protocol/dids/index.ts'
import { fromJwk, type PublicJwk } from '../../../protocol/dids/jwk.ts'
import { didKeyOf, resolveDidKey } from '../../../protocol/dids/key.ts'
import { createDid, payload, verify } from '../../support/credentials/credentials.ts'
import { verifyWithGoCose } from '../../support/parts/go-cose.ts'
import { pythonWith } from '../../support/parts/python.ts'
import { needs } from '../../support/parts.ts'
import { openWorld, type World } from '../../support/world.ts'

const [withPython, withGo] = [needs('Python'), needs('Go')]
const jwcrypto = pythonWith('jwcrypto==1.6.1')
const cwt = pythonWith('cwt==3.3.0')

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

interface Issued {
  credential: Record<string, unknown>
  encoded: string
  decoded: Record<string, unknown>
}

async function issue(proofType: string, did: string): Promise<Issued> {
  const body = { payload: payload(did, { name: 'Grüße' }), proofType, revocable: false }
  const reply = await world.ask('/v1/credentials/web-semantic/sign', { token: world.token, body })
  if (reply.status !== 200) throw new Error(reply.text)
  return reply.json<Issued>()
}

const urlOf = (did: string) => `${did}#${did.slice('did:key:'.length)}`
const jwkOf = (did: string) => toJwk(publicKeyOf(dereference(resolveDidKey(did), urlOf(did), 'assertionMethod').method))

const enveloped = (id: string) => ({
  '@context': 'https://www.w3.org/ns/credentials/v2',
  id,
  type: 'EnvelopedVerifiableCredential',
})

/** Verifies a JWS with a public JWK, and prints its header and payload. */
const VERIFY_JWS = `
import json, sys
from jwcrypto import jwk, jws
token = jws.JWS()
token.deserialize(sys.argv[1], jwk.JWK.from_json(sys.argv[2]))
print(json.dumps({"header": token.jose_header, "payload": json.loads(token.payload)}))
`

/** An issuer elsewhere: its did:key, its private JWK, and a credential of it. */
function issuerElsewhere(curve: string) {
  const { privateKey } =
    curve === 'Ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: curve })
  const jwk = privateKey.export({ format: 'jwk' })
  const { kty, crv, x, y } = jwk
  const { keyType, publicKey } = fromJwk({ kty, crv, x, ...(y !== undefined && { y }) } as PublicJwk)
  const did = didKeyOf(keyType, publicKey)
  const credential = {
    '@context': ['https://www.w3.org/ns/credentials/v2'],
    type: ['VerifiableCredential'],
    issuer: did,
    credentialSubject: { id: 'did:example:holder' },
  }
  return { jwk, kid: urlOf(did), alg: curve === 'Ed25519' ? 'EdDSA' : `ES${curve.slice(2)}`, credential }
}

/** Signs a credential as JWS. */
const SIGN_JWS = `
import json, sys
from jwcrypto import jwk, jws
task = json.loads(sys.argv[1])
token = jws.JWS(json.dumps(task["credential"]).encode())
header = {"alg": task["alg"], "typ": "vc+jwt", "cty": "vc", "kid": task["kid"]}
token.add_signature(jwk.JWK(**task["jwk"]), None, json.dumps(header), None)
print(token.serialize(compact=True))
`

const ALGORITHM: Record<string, string> = { p256: 'ES256', p384: 'ES384', ed25519: 'EdDSA' }

for (const keyType of ['p256', 'p384', 'ed25519'])
  withPython(`PyPI’s jwcrypto verifies our vc+jwt by ${keyType}, and refuses a changed one (RFC 7515)`, async (t) => {
    const did = await createDid(world, keyType)
    const { encoded, decoded } = await issue('vc+jwt', did)
    const read: unknown = JSON.parse(await jwcrypto(VERIFY_JWS, encoded, JSON.stringify(jwkOf(did))))
    const alg = ALGORITHM[keyType]
    t.deepEqual(read, { header: { alg, typ: 'vc+jwt', cty: 'vc', kid: urlOf(did) }, payload: decoded })
    const [header, , signature] = encoded.split('.')
    const other = Buffer.from(JSON.stringify({ ...decoded, name: 'Other' })).toString('base64url')
    await t.throwsAsync(jwcrypto(VERIFY_JWS, `${header}.${other}.${signature}`, JSON.stringify(jwkOf(did))), {
      message: /InvalidJWSSignature/,
    })
  })

for (const curve of ['P-256', 'P-384', 'Ed25519'])
  withPython(`we verify a vc+jwt of PyPI’s jwcrypto by ${curve} (VC-JOSE-COSE 1.0, section 3.1)`, async (t) => {
    const jwt = (await jwcrypto(SIGN_JWS, JSON.stringify(issuerElsewhere(curve)))).trim()
    t.deepEqual(await verify(world, enveloped(`data:application/vc+jwt,${jwt}`)), { verified: true, reason: [] })
    const [header, content, signature = ''] = jwt.split('.')
    const changed = `${header}.${content}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
    t.like(await verify(world, enveloped(`data:application/vc+jwt,${changed}`)), {
      reason: [{ type: 'Proof', code: 'envelope.signature' }],
    })
  })

/** Verifies a COSE_Sign1 in base64 with a public JWK, and prints its payload. */
const VERIFY_COSE = `
import base64, json, sys
import cwt
key = cwt.COSEKey.from_jwk(json.loads(sys.argv[2]))
print(cwt.COSE.new().decode(base64.b64decode(sys.argv[1]), key).decode())
`

/** Signs a credential as COSE_Sign1, in base64. */
const SIGN_COSE = `
import base64, json, sys
import cwt
task = json.loads(sys.argv[1])
alg = {"EdDSA": -8, "ES256": -7, "ES384": -35}[task["alg"]]
key = cwt.COSEKey.from_jwk({**task["jwk"], "alg": task["alg"], "kid": task["kid"]})
header = {1: alg, 3: "application/vc", 4: task["kid"].encode(), 16: "application/vc+cose"}
print(base64.b64encode(cwt.COSE.new().encode(json.dumps(task["credential"]).encode(), key, header)).decode())
`

for (const keyType of ['p256', 'p384', 'ed25519'])
  withPython(`PyPI’s cwt verifies our vc+cose by ${keyType}, and refuses a changed one (RFC 9052)`, async (t) => {
    const did = await createDid(world, keyType)
    const { encoded, decoded } = await issue('vc+cose', did)
    const jwk = JSON.stringify({ ...jwkOf(did), alg: ALGORITHM[keyType], kid: urlOf(did) })
    t.deepEqual(JSON.parse(await cwt(VERIFY_COSE, encoded, jwk)), decoded)
    const bytes = Buffer.from(encoded, 'base64')
    bytes[bytes.indexOf('CS-101')] = 0x44
    await t.throwsAsync(cwt(VERIFY_COSE, bytes.toString('base64'), jwk), { message: /VerifyError/ })
  })

for (const curve of ['P-256', 'P-384', 'Ed25519'])
  withPython(`we verify a vc+cose of PyPI’s cwt by ${curve} (VC-JOSE-COSE 1.0, section 3.3)`, async (t) => {
    const message = (await cwt(SIGN_COSE, JSON.stringify(issuerElsewhere(curve)))).trim()
    const url = `data:application/vc+cose;base64,${message}`
    t.deepEqual(await verify(world, enveloped(url)), { verified: true, reason: [] })
    const bytes = Buffer.from(message, 'base64')
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
    t.like(await verify(world, enveloped(`data:application/vc+cose;base64,${bytes.toString('base64')}`)), {
      reason: [{ type: 'Proof', code: 'envelope.signature' }],
    })
  })

withGo('go-cose verifies our vc+cose, and refuses it with another key (RFC 9052)', async (t) => {
  t.timeout(300_000)
  const did = await createDid(world, 'p256')
  const { encoded, decoded } = await issue('vc+cose', did)
  const message = new Uint8Array(Buffer.from(encoded, 'base64'))
  const read = await verifyWithGoCose(did, message)
  if (typeof read === 'string') return t.fail(read)
  t.is(read.kid, urlOf(did))
  t.deepEqual(JSON.parse(read.payload.toString()), decoded)
  t.is(await verifyWithGoCose(await createDid(world, 'p256'), message), 'refused: verification error')
})
