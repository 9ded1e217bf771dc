import { CoseKey, Holder, IssuerSigned } from '@owf/mdoc'
import { decode } from 'cbor2'
import { importJWK } from 'jose'
import { fromText, PREFIXES, type Profile } from '../../../protocol/compact-credentials/text.ts'
import { dereference, publicKeyOf, toJwk } from '../../../protocol/dids/index.ts'
import { resolveDidKey } from '../../../protocol/dids/key.ts'
import { peerVerifies } from '../credentials/linkage.ts'
import { context } from '../credentials/mobile.context.ts'
import { pythonWith } from '../parts/python.ts'
import type { WalletKey } from './wallet.ts'

/** What a credential says of its holder. A credential that does not verify is an error. */
type Said = Record<string, unknown>

/** By @digitalbazaar/vc. */
export async function readLdp(credential: unknown): Promise<Said> {
  const { verified, error } = await peerVerifies(credential as Said, async (did) => resolveDidKey(did))
  if (!verified) throw new Error(`@digitalbazaar/vc refuses it: ${error}`)
  return (credential as { credentialSubject: Said }).credentialSubject
}

/** By @owf/mdoc; the device key has to be the one that the wallet proved. */
export async function readMdoc(credential: unknown, root: Uint8Array, { publicJwk }: WalletKey): Promise<Said> {
  const issuerSigned = IssuerSigned.fromEncodedForOid4Vci(String(credential))
  await Holder.verifyIssuerSigned({ issuerSigned, trustedCertificates: [root] }, context)
  const { deviceKey } = issuerSigned.issuerAuth.mobileSecurityObject.deviceKeyInfo
  const proved = CoseKey.fromJwk(publicJwk).encode()
  if (!Buffer.from(deviceKey.encode()).equals(Buffer.from(proved))) throw new Error('the device key is another one')
  return issuerSigned.getPrettyClaims('org.iso.18013.5.1') ?? {}
}

/** The key of the issuer that a CWT names. */
function keyOfIssuer(bytes: Uint8Array) {
  const { contents } = decode(bytes) as { contents: [Uint8Array, unknown, Uint8Array, Uint8Array] }
  const did = String((decode(contents[2]) as Map<number, unknown>).get(1))
  const fragment = did.slice('did:key:'.length)
  const { method } = dereference(resolveDidKey(did), `${did}#${fragment}`, 'assertionMethod')
  const jwk = toJwk(publicKeyOf(method))
  return { ...jwk, alg: jwk.crv === 'Ed25519' ? 'EdDSA' : 'ES256', kid: fragment }
}

const python = pythonWith('cwt==3.3.0')

const VERIFY = `
import json, sys
import cwt
claims = cwt.decode(bytes.fromhex(sys.argv[1]), cwt.COSEKey.from_jwk(json.loads(sys.argv[2])))
print(json.dumps({str(name): value.hex() if isinstance(value, bytes) else value for name, value in claims.items()}))
`

/** By Python's cwt. */
export async function readCwtByPython(credential: unknown, profile: Profile): Promise<Said> {
  const bytes = fromText(PREFIXES[profile], String(credential))
  const hex = Buffer.from(bytes).toString('hex')
  return JSON.parse(await python(VERIFY, hex, JSON.stringify(keyOfIssuer(bytes)))) as Said
}

/** By cose-kit; its parts by cbor2. */
export async function readCwtByCoseKit(credential: unknown, profile: Profile): Promise<Said> {
  const { Sign1 } = await import('cose-kit')
  const bytes = fromText(PREFIXES[profile], String(credential))
  const { contents } = decode(bytes) as { contents: ConstructorParameters<typeof Sign1> }
  const sign1 = new Sign1(...contents)
  if (!(await sign1.verify(await importJWK(keyOfIssuer(bytes))))) throw new Error('cose-kit refuses it')
  return Object.fromEntries(decode(sign1.payload) as Map<string, unknown>)
}
