import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { Refusal } from '../../../protocol/errors.ts'
import type { Json } from '../../../protocol/json.ts'
import { type JwsHeader, jwsAlgorithm, signCompactJws } from '../../../protocol/jws.ts'
import { SIGNED_METADATA_SECONDS, SIGNED_METADATA_TYPE } from '../../../protocol/openid/oid4vci/metadata.ts'
import { refuseIssuer } from '../../credentials/refusals.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Signers } from '../../dids/signers.ts'
import { byClock, singleFlight } from '../../frame/caches.ts'
import type { MobileSigners } from '../../mobile-credentials/signers.ts'
import type { Configurations } from './configurations.ts'

/** Who asks is nobody: a signature serves all that ask within a minute. */
const REMEMBERED_MS = 60_000

const KEY_TYPES = ['p256', 'ed25519'] as const

interface MetadataSigner {
  header: JwsHeader
  sign(data: Uint8Array): Promise<Uint8Array>
}

interface Parts extends Pick<Dependencies, 'now'> {
  configurations: Configurations
  signers: Signers
  mobileSigners: Pick<MobileSigners, 'signerOf'>
}

/** Undefined where the tenant has no such signer, whatever the reason. */
async function orNone<Result>(found: Promise<Result>): Promise<Result | undefined> {
  try {
    return await found
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/** The issuer's metadata as a JWT (OpenID4VCI 1.0, section 12.2.3). */
export function createSignedMetadata({ now, configurations, signers, mobileSigners }: Parts) {
  const cache = new LRUCache<string, { jwt: string }>({ max: 1_000, ttl: REMEMBERED_MS, ...byClock(now) })
  const once = singleFlight<string>()

  /** A document signer, whose certificate its IACA has issued, or else the DID that signs for the tenant (D-901). */
  async function signerOf(tenantId: string, needsCertificate: boolean): Promise<MetadataSigner | undefined> {
    const certified = await orNone(mobileSigners.signerOf(tenantId, undefined))
    if (certified) {
      const x5c = [Buffer.from(certified.certificate).toString('base64')]
      return { header: { alg: 'ES256', typ: SIGNED_METADATA_TYPE, x5c }, sign: certified.sign }
    }
    if (needsCertificate) return undefined
    const refuse = refuseIssuer('issuer')
    const did = await orNone(signers.chosen(tenantId, KEY_TYPES, refuse))
    const known = did === undefined ? undefined : await orNone(signers.signerOf(tenantId, did, refuse))
    if (!known) return undefined
    const { keyType, verificationMethod, sign } = known.withKey({ keyTypes: KEY_TYPES, neededBy: 'signed metadata' })
    return { header: { alg: jwsAlgorithm(keyType), typ: SIGNED_METADATA_TYPE, kid: verificationMethod }, sign }
  }

  async function sign(issuer: string, metadata: Json, { header, sign }: MetadataSigner): Promise<string> {
    const iat = Math.floor(now().getTime() / 1000)
    const claims = { ...metadata, sub: issuer, iat, exp: iat + SIGNED_METADATA_SECONDS }
    return signCompactJws(header, claims, sign)
  }

  return {
    /** Undefined where the tenant does not sign its metadata, or has nobody who could. Throws `openid_issuer.not_found`. */
    async signedMetadata(host: string): Promise<string | undefined> {
      const { tenantId, issuer, metadata, signsMetadata, needsCertificate } = await configurations.ofIssuer(host)
      const signer = signsMetadata ? await signerOf(tenantId, needsCertificate) : undefined
      if (!signer) return undefined
      const name = createHash('sha256')
        .update(JSON.stringify([tenantId, signer.header, metadata]))
        .digest('base64')
      return once(name, async () => {
        const known = cache.get(name)?.jwt
        if (known !== undefined) return known
        const jwt = await sign(issuer, metadata, signer)
        cache.set(name, { jwt })
        return jwt
      })
    },
  }
}

export type SignedMetadata = ReturnType<typeof createSignedMetadata>
