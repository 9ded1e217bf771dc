import { createHash } from 'node:crypto'
import { calculateJwkThumbprint } from 'jose'
import { inTenant } from '../../../entities/orm.ts'
import type { KeyRequirements } from '../../../protocol/credentials/key-attestations.ts'
import type { Holder } from '../../../protocol/credentials/wallets.ts'
import { type PublicJwk, parseDidUrl, publicKeyOf, toJwk } from '../../../protocol/dids/index.ts'
import { usableMethod } from '../../../protocol/dids/usable.ts'
import { parseJson } from '../../../protocol/json.strict.ts'
import { isObject } from '../../../protocol/json.ts'
import {
  assertedLevels,
  attestedKey,
  type KeyAttestation,
  type KeyAttestationRules,
  requirementsFor,
  verifyKeyAttestation,
} from '../../../protocol/openid/oid4vci/attestations/keys.ts'
import { BadAttestation } from '../../../protocol/openid/oid4vci/attestations/signed.ts'
import type { WalletPolicy } from '../../../protocol/openid/oid4vci/authorization/types.ts'
import { invalidKeyProof, type Proof, verifyProof } from '../../../protocol/openid/oid4vci/proofs.ts'
import { refuseMember, walletRefusal } from '../../../protocol/openid/oid4vci/refusals.ts'
import type { CredentialRequest, SentProof } from '../../../protocol/openid/oid4vci/requests.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { DidResolver } from '../../dids/resolver.ts'
import type { AttestationStatus } from '../attestations/status.ts'
import type { TrustedProviders } from '../attestations/trusted.ts'
import { policyIn } from '../authorization/policy.ts'
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

/** Who asks, and whom. */
interface Wallet {
  tenantId: string
  issuer: string
  clientId: string | undefined
}

interface Proven {
  holders: Holder[]
  nonces: string[]
}

interface Attested {
  /** By their thumbprints. */
  keys: ReadonlyMap<string, Holder>
  attestation: KeyAttestation
}

const thumbprintOf = ({ jwk }: Holder): Promise<string> => calculateJwkThumbprint({ ...jwk })

interface Parts extends Pick<Dependencies, 'config' | 'database' | 'now'> {
  attestationStatus: AttestationStatus
  didResolver: Pick<DidResolver, 'documentFor'>
  secrets: SessionSecrets
  trustedProviders: Pick<TrustedProviders, 'trustedFor'>
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
export function createKeyProofs(parts: Parts) {
  const { config, database, now, didResolver, secrets, attestationStatus, trustedProviders } = parts

  /** DIDs of strangers have a budget of their own, so that they take nothing from the tenant's verifications. */
  async function keyOf(tenantId: string, didUrl: string): Promise<PublicJwk> {
    if (didUrl.startsWith('did:jwk:')) return jwkOfDid(didUrl)
    const document = await didResolver.documentFor(`${tenantId} wallets`, parseDidUrl(didUrl).did)
    // a did:key names its one key also without a fragment
    const url = didUrl.includes('#') ? didUrl : `${didUrl}#${didUrl.slice('did:key:'.length)}`
    const clock = { now: now(), toleranceMs: config.clockToleranceMs }
    const { method, fault } = usableMethod(document, url, 'authentication', clock)
    if (fault) throw refuseMember('invalid_proof', 'kid', 'kid', 'expected a key that its DID uses to authenticate')
    return toJwk(publicKeyOf(method))
  }

  function nonceOf(tenantId: string, nonce: string): UsedNonce {
    const endsAt = secrets.endOfNonce(tenantId, 'proof', nonce)
    if (endsAt) return { digest: createHash('sha256').update(nonce).digest(), endsAt }
    throw walletRefusal('invalid_nonce', 'The nonce is unknown or has ended. Get a new one from the nonce endpoint.')
  }

  /** Verifies that a provider attests keys, and which ones. */
  async function attestedKeys(
    { tenantId }: Wallet,
    { jwt, at }: SentProof,
    { profile, keyStorage, userAuthentication, batchSize }: WalletPolicy,
    proofType: KeyAttestationRules['proofType'],
  ): Promise<KeyAttestation> {
    const providers = await trustedProviders.trustedFor(tenantId, 'keys', jwt)
    const clock = { now: now(), toleranceMs: config.clockToleranceMs }
    const rules = {
      ...clock,
      providers,
      requiresCertificate: profile === 'haip',
      keyStorage,
      userAuthentication,
      batchSize,
      proofType,
    }
    try {
      const attestation = await verifyKeyAttestation(jwt, rules)
      await attestationStatus.assertValid(tenantId, attestation.status, attestation.provider)
      return attestation
    } catch (error) {
      throw error instanceof BadAttestation ? invalidKeyProof(at, error.rule, error.expected, error) : error
    }
  }

  /** The keys of an attestation alone: that its wallet has them, the provider says (appendix F.3). */
  async function byAttestation(wallet: Wallet, sent: SentProof, policy: WalletPolicy): Promise<Proven> {
    const { holders, nonce } = await attestedKeys(wallet, sent, policy, 'attestation')
    return { holders, nonces: [nonce] }
  }

  /** The keys of an attestation that comes with a proof, by their thumbprints. */
  async function attestedWith(wallet: Wallet, sent: SentProof, policy: WalletPolicy): Promise<Attested> {
    const attestation = await attestedKeys(wallet, sent, policy, 'jwt')
    const entries = attestation.holders.map(async (holder) => [await thumbprintOf(holder), holder] as const)
    return { keys: new Map(await Promise.all(entries)), attestation }
  }

  /** The key of each proof, and those that are attested with it (appendix F.1). */
  async function byProofs(wallet: Wallet, proofs: readonly SentProof[], policy: WalletPolicy): Promise<Proven> {
    const { tenantId, issuer, clientId } = wallet
    const attestations = new Map<string, Attested>()
    const attestedBy = async (sent: SentProof): Promise<Attested> => {
      const attested = attestations.get(sent.jwt) ?? (await attestedWith(wallet, sent, policy))
      attestations.set(sent.jwt, attested)
      return attested
    }
    const attestedKeyOf = async (jwt: string, kid: string, at: string): Promise<Holder> => {
      const holder = attestedKey((await attestedBy({ jwt, at })).attestation, kid)
      if (holder) return holder
      throw invalidKeyProof(at, 'kid', 'expected as kid the index of one of the attested_keys, or the kid of one')
    }
    const clock = { now: now(), toleranceMs: config.clockToleranceMs }
    const rules = {
      ...{ audience: issuer, clientId, ...clock, attestedKeyOf },
      keyOf: (didUrl: string) => keyOf(tenantId, didUrl),
      assertNonce: (nonce: string) => void nonceOf(tenantId, nonce),
    }
    const verified: (Proof & { at: string; thumbprint: string })[] = []
    for (const { jwt, at } of proofs) {
      const proof = await verifyProof(jwt, at, rules)
      verified.push({ ...proof, at, thumbprint: await thumbprintOf(proof) })
    }
    const thumbprints = verified.map(({ thumbprint }) => thumbprint)
    const twice = verified.find(({ thumbprint }, place) => thumbprints.indexOf(thumbprint) < place)
    if (twice) throw refuseMember('invalid_proof', twice.at, 'repeated', 'expected each key once')
    const holders = new Map<string, Holder>()
    for (const { keyAttestation, at, jwk, did, thumbprint } of verified) {
      if (keyAttestation !== undefined) {
        const attested = await attestedBy({ jwt: keyAttestation, at })
        if (!attested.keys.has(thumbprint))
          throw refuseMember('invalid_proof', at, 'key_attestation', 'expected a proof by one of the attested keys')
        for (const [each, holder] of attested.keys) if (!holders.has(each)) holders.set(each, holder)
      } else if (policy.requiresKeyAttestation)
        throw refuseMember(
          'invalid_proof',
          at,
          'key_attestation',
          `expected a key_attestation in its header${assertedLevels(policy)}`,
        )
      // in the place of its key, with the DID that the proof names
      holders.set(thumbprint, { jwk, did })
    }
    const attested = [...attestations.values()].map(({ attestation }) => attestation)
    const nonces = new Set([...verified, ...attested].map(({ nonce }) => nonce))
    return { holders: [...holders.values()], nonces: [...nonces] }
  }

  return {
    /**
     * Verifies the proofs of a request; `own`: what the template requires of the keys. That a nonce is used once is settled when the request is accepted. Throws
     * `wallet.invalid_proof`, `wallet.invalid_nonce`.
     */
    async verifyProofs(
      wallet: Wallet,
      { proofs, attestation }: Pick<CredentialRequest, 'proofs' | 'attestation'>,
      own: KeyRequirements | undefined,
    ): Promise<ProvenKeys> {
      const policy = requirementsFor(await inTenant(database.tenants, wallet.tenantId, policyIn), own)
      const { holders, nonces } = attestation
        ? await byAttestation(wallet, attestation, policy)
        : await byProofs(wallet, proofs, policy)
      if (holders.length > policy.batchSize)
        throw refuseMember('invalid_proof', 'proofs', 'count', `expected at most ${policy.batchSize} keys`)
      const thumbprints = await Promise.all(holders.map(thumbprintOf))
      return {
        holders,
        nonces: nonces.map((nonce) => nonceOf(wallet.tenantId, nonce)),
        digest: createHash('sha256').update(JSON.stringify(thumbprints)).digest(),
      }
    },
  }
}

export type KeyProofs = ReturnType<typeof createKeyProofs>
