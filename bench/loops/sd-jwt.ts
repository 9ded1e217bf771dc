import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  verify,
} from 'node:crypto'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import { dereference, publicKeyOf, toJwk } from '../../protocol/dids/index.ts'
import { resolveDidKey } from '../../protocol/dids/key.ts'
import { serveJobs } from '../child.ts'
import { type Measured, repeated } from '../measure.ts'
import { SELECTIVE, sdJwtClaims } from '../sd-jwt/claims.ts'

/** One SD-JWT VC after another on one thread for a while, by @sd-jwt/sd-jwt-vc with its keys in memory. */
export interface SdJwtLoop {
  verb: 'sign' | 'verify'
  seconds: number
  /** Issuer of the credentials. */
  did: string
  /** To verify, in turn. */
  credentials: string[]
}

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

function keyOf(did: string): KeyObject {
  const { method } = dereference(resolveDidKey(did), `${did}#${did.slice('did:key:'.length)}`, 'assertionMethod')
  return createPublicKey({ key: { ...toJwk(publicKeyOf(method)) }, format: 'jwk' })
}

function instanceFor(issuer: KeyObject) {
  return new SDJwtVcInstance({
    hashAlg: 'sha-256',
    hasher: (data: string | ArrayBuffer) =>
      new Uint8Array(
        createHash('sha256')
          .update(typeof data === 'string' ? data : new Uint8Array(data))
          .digest(),
      ),
    saltGenerator: (length: number) => randomBytes(length).toString('base64url'),
    signAlg: 'ES256',
    signer: (data: string) =>
      sign('sha256', Buffer.from(data), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url'),
    verifier: (data: string, signature: string) =>
      verify(
        'sha256',
        Buffer.from(data),
        { key: issuer, dsaEncoding: 'ieee-p1363' },
        Buffer.from(signature, 'base64url'),
      ),
  })
}

async function run({ verb, seconds, did, credentials }: SdJwtLoop): Promise<Measured> {
  const library = instanceFor(keyOf(did))
  return repeated(seconds, async (done) => {
    if (verb === 'sign') {
      const iat = Math.floor(Date.now() / 1_000)
      const encoded = await library.issue({ iss: did, iat, ...sdJwtClaims(String(done)) }, { _sd: SELECTIVE })
      if (encoded.split('~').length !== SELECTIVE.length + 2) throw new Error('the library signed something else')
    } else {
      const { payload } = await library.verify(credentials[done % credentials.length] ?? '')
      if (payload.iss !== did) throw new Error('the library verified something else')
    }
  })
}

serveJobs(run)
