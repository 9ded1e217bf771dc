import { digest, ES256, generateSalt } from '@sd-jwt/crypto-nodejs'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import { dereference, publicKeyOf, toJwk } from '../../protocol/dids/index.ts'
import { resolveDidKey } from '../../protocol/dids/key.ts'
import { serveJobs } from '../child.ts'
import { type Measured, repeated } from '../measure.ts'
import { SELECTIVE, sdJwtClaims } from '../sd-jwt/claims.ts'

/** One SD-JWT VC after another on one thread for a while, by @sd-jwt/sd-jwt-vc as its README says, with its keys in memory. */
export interface SdJwtLoop {
  verb: 'sign' | 'verify'
  seconds: number
  /** Issuer of the credentials. */
  did: string
  /** To verify, in turn. */
  credentials: string[]
}

function keyOf(did: string): object {
  const { method } = dereference(resolveDidKey(did), `${did}#${did.slice('did:key:'.length)}`, 'assertionMethod')
  return { ...toJwk(publicKeyOf(method)) }
}

async function instanceFor(issuer: object) {
  const { privateKey } = await ES256.generateKeyPair()
  return new SDJwtVcInstance({
    hashAlg: 'sha-256',
    hasher: digest,
    saltGenerator: generateSalt,
    signAlg: ES256.alg,
    signer: await ES256.getSigner(privateKey),
    verifier: await ES256.getVerifier(issuer),
  })
}

async function run({ verb, seconds, did, credentials }: SdJwtLoop): Promise<Measured> {
  const library = await instanceFor(keyOf(did))
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
