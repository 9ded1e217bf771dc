import test from 'ava'
import { fromText, PREFIXES } from '../../protocol/compact-credentials/text.ts'
import { dereference, publicKeyOf, toJwk } from '../../protocol/dids/index.ts'
import { resolveDidKey } from '../../protocol/dids/key.ts'
import { signCompact, signCompactSemantic } from '../support/credentials/compact.ts'
import { createDid } from '../support/credentials/credentials.ts'
import { pythonWith } from '../support/parts/python.ts'
import { needs } from '../support/parts.ts'
import { openWorld, type World } from '../support/world.ts'

const withPython = needs('Python')

/** The library of another author, and its version. */
const python = pythonWith('cwt==3.3.0')

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

/** Verifies a CWT in hex with a public JWK, and prints its claims. */
const VERIFY = `
import json, sys
import cwt
jwk = json.loads(sys.argv[2])
claims = cwt.decode(bytes.fromhex(sys.argv[1]), cwt.COSEKey.from_jwk(jwk))
print(json.dumps({str(name): value.hex() if isinstance(value, bytes) else value for name, value in claims.items()}))
`

async function decode(did: string, bytes: Uint8Array, alg: string): Promise<Record<string, unknown>> {
  const fragment = did.slice('did:key:'.length)
  const { method } = dereference(resolveDidKey(did), `${did}#${fragment}`, 'assertionMethod')
  const jwk = { ...toJwk(publicKeyOf(method)), alg, kid: fragment }
  const hex = Buffer.from(bytes).toString('hex')
  return JSON.parse(await python(VERIFY, hex, JSON.stringify(jwk))) as Record<string, unknown>
}

for (const [keyType, alg] of [
  ['P-256', 'ES256'],
  ['ed25519', 'EdDSA'],
] as const)
  withPython(`Python's cwt verifies our ${alg} credentials, and refuses a changed one (RFC 8392)`, async (t) => {
    const iss = await createDid(world, keyType)
    const exp = Math.floor(Date.now() / 1000) + 3_600
    const signed = await signCompact(world, { iss, exp, name: 'Grüße' }, { revocable: true })
    const bytes = fromText(PREFIXES.compact, signed.encoded)
    const claims = await decode(iss, bytes, alg)
    t.like(claims, { 1: iss, 4: exp, 7: Buffer.from(signed.id, 'base64url').toString('hex'), name: 'Grüße' })
    t.deepEqual(claims['65535'], {
      status_list: { idx: Number(signed.decoded.status?.index), uri: signed.decoded.status?.url },
    })
    const at = Buffer.from(bytes).indexOf('Grüße')
    const changed = bytes.map((byte, index) => (index === at ? 0x67 : byte))
    await t.throwsAsync(decode(iss, changed, alg), { message: /VerifyError/ })
    const semantic = await signCompactSemantic(world, iss)
    const { vc } = await decode(iss, fromText(PREFIXES['compact-semantic'], semantic.encoded), alg)
    t.like(vc, { credentialSubject: { course: 'CS-101', grades: [1, 2.5], passed: true } })
  })
