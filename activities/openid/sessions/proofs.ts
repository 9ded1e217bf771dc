import { createHash } from 'node:crypto'
import { calculateJwkThumbprint } from 'jose'
import type { Holder } from '../../../protocol/credentials/wallets.ts'
import { dereference, type PublicJwk, parseDidUrl, publicKeyOf, toJwk } from '../../../protocol/dids/index.ts'
import { parseJson } from '../../../protocol/json.strict.ts'
import { isObject } from '../../../protocol/json.ts'
import { type Proof, verifyProof } from '../../../protocol/openid/oid4vci/proofs.ts'
import { refuseMember, walletRefusal } from '../../../protocol/openid/oid4vci/refusals.ts'
import type { CredentialRequest } from '../../../protocol/openid/oid4vci/requests.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { DidResolver } from '../../dids/resolver.ts'
import type { SessionSecrets } from './secrets.ts'

/** A nonce that a proof has used, with its end. */
export interface UsedNonce {
  digest: Buffer
  endsAt: Date
}

export interface ProvenKeys {
  holders: Holder[]
  nonces: UsedNonce[]
  /** The same for the same keys in the same order. */
  digest: Buffer
}

interface Parts extends Pick<Dependencies, 'config' | 'now'> {
  didResolver: Pick<DidResolver, 'resolve'>
  secrets: SessionSecrets
}

const DID_JWK = /^did:jwk:([A-Za-z0-9_-]{1,2000})(?:#0)?$/

/** The key in a did:jwk, which is its own document (did:jwk, section 3.2). */
function jwkOfDid(didUrl: string): PublicJwk {
  const [, encoded] = DID_JWK.exec(didUrl) ?? []
  const jwk = encoded === undefined ? undefined : parseJson(Buffer.from(encoded, 'base64url').toString('utf8'))
  if (!isObject(jwk)) throw refuseMember('invalid_proof', 'kid', 'kid', 'expected a did:jwk with the fragment 0')
  const { kty, crv, x, y } = jwk as PublicJwk
  return { kty, ...(crv !== undefined && { crv }), ...(x !== undefined && { x }), ...(y !== undefined && { y }) }
}

/** Keys that wallets prove. */
export function createKeyProofs({ config, now, didResolver, secrets }: Parts) {
  async function keyOf(didUrl: string): Promise<PublicJwk> {
    if (didUrl.startsWith('did:jwk:')) return jwkOfDid(didUrl)
    const { document } = await didResolver.resolve(parseDidUrl(didUrl).did)
    // a did:key names its one key also without a fragment
    const url = didUrl.includes('#') ? didUrl : `${didUrl}#${didUrl.slice('did:key:'.length)}`
    const { method, authorized } = dereference(document, url, 'authentication')
    if (!authorized)
      throw refuseMember('invalid_proof', 'kid', 'kid', 'expected a key that its DID uses to authenticate')
    return toJwk(publicKeyOf(method))
  }

  function nonceOf(tenantId: string, { nonce }: Proof): UsedNonce {
    const endsAt = secrets.endOfNonce(tenantId, 'proof', nonce)
    if (endsAt) return { digest: createHash('sha256').update(nonce).digest(), endsAt }
    throw walletRefusal('invalid_nonce', 'The nonce is unknown or has ended. Get a new one from the nonce endpoint.')
  }

  return {
    /**
     * Verifies the proofs of a request. That a nonce is used once is settled when the request is accepted. Throws
     * `wallet.invalid_proof`, `wallet.invalid_nonce`.
     */
    async verifyProofs(
      { tenantId, issuer, clientId }: { tenantId: string; issuer: string; clientId: string | undefined },
      proofs: CredentialRequest['proofs'],
    ): Promise<ProvenKeys> {
      const rules = { audience: issuer, clientId, now: now(), toleranceMs: config.clockToleranceMs, keyOf }
      const verified: Proof[] = []
      for (const { jwt, at } of proofs) verified.push(await verifyProof(jwt, at, rules))
      const thumbprints = await Promise.all(verified.map(({ jwk }) => calculateJwkThumbprint({ ...jwk })))
      const twice = thumbprints.findIndex((thumbprint, at) => thumbprints.indexOf(thumbprint) < at)
      if (twice >= 0)
        throw refuseMember('invalid_proof', proofs[twice]?.at ?? 'proofs', 'repeated', 'expected each key once')
      const nonces = new Map(verified.map((proof) => [proof.nonce, nonceOf(tenantId, proof)]))
      return {
        holders: verified.map(({ jwk, did }) => ({ jwk, did })),
        nonces: [...nonces.values()],
        digest: createHash('sha256').update(JSON.stringify(thumbprints)).digest(),
      }
    },
  }
}

export type KeyProofs = ReturnType<typeof createKeyProofs>
