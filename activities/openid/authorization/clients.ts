import { createHash } from 'node:crypto'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { inTenant } from '../../../entities/orm.ts'
import type { Json } from '../../../protocol/json.ts'
import { BadAttestation } from '../../../protocol/openid/oid4vci/attestations/signed.ts'
import { type SentAttestation, verifyWalletAttestation } from '../../../protocol/openid/oid4vci/attestations/wallets.ts'
import {
  type Assertion,
  invalidClient,
  readAssertion,
  verifyAssertion,
} from '../../../protocol/openid/oid4vci/authorization/assertions.ts'
import {
  type DpopPlace,
  type DpopProof,
  invalidProof,
  verifyDpop,
} from '../../../protocol/openid/oid4vci/authorization/dpop.ts'
import type { WalletPolicy } from '../../../protocol/openid/oid4vci/authorization/types.ts'
import { endpointsOf } from '../../../protocol/openid/oid4vci/metadata.ts'
import { refuseMember, walletRefusal } from '../../../protocol/openid/oid4vci/refusals.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { AttestationStatus } from '../attestations/status.ts'
import type { TrustedProviders } from '../attestations/trusted.ts'
import type { SessionSecrets } from '../sessions/secrets.ts'
import { policyIn } from './policy.ts'
import { walletOf } from './wallets.ts'

/** What a wallet sent besides the request itself. */
export interface WalletCall {
  tenantId: string
  issuer: string
  /** Address of the endpoint, as the metadata has it. */
  url: string
  /** The header DPoP. */
  dpop: string | undefined
  /** The headers OAuth-Client-Attestation and OAuth-Client-Attestation-PoP. */
  attestation: SentAttestation | undefined
}

/** The wallet that a request is from. */
export interface WalletClient {
  clientId: string | undefined
  /** It has proved that with a key. */
  isAuthenticated: boolean
  /** By one that the tenant has registered. */
  isRegistered: boolean
  /** A provider of the tenant has vouched for it. */
  isAttested: boolean
  /** Addresses of the wallets of that provider. */
  vouchedUris: readonly string[]
  /** Thumbprint of the key of its instance, for which a provider of the tenant has vouched. */
  instanceJkt: string | undefined
  /** Thumbprint of the key that it wants its token bound to. */
  jkt: string | undefined
  policy: WalletPolicy
}

interface Parts extends Pick<Dependencies, 'config' | 'database' | 'now'> {
  secrets: SessionSecrets
  attestationStatus: AttestationStatus
  trustedProviders: Pick<TrustedProviders, 'trustedFor'>
}

const USE_JTI = `insert into openid_used_jtis (tenant_id, jti_digest, expires_at) values (?, ?, ?)
on conflict (tenant_id, jti_digest) do nothing returning expires_at`

/** Authenticates wallets, and has them prove the keys of their tokens. */
export function createWalletClients(parts: Parts) {
  const { config, database, now, secrets, attestationStatus, trustedProviders } = parts
  const rules = () => ({ now: now(), toleranceMs: config.clockToleranceMs })

  /** Whether a JWT is used for the first time. `owner`: who chose its jti. */
  async function useOnce(em: SqlEntityManager, tenantId: string, [owner, jti]: [string, string], endsAt: Date) {
    const digest = createHash('sha256').update(`${owner} ${jti}`).digest()
    const keptUntil = new Date(endsAt.getTime() + config.clockToleranceMs)
    return (await em.execute<object[]>(USE_JTI, [tenantId, digest, keptUntil])).length === 1
  }

  async function authenticate(
    em: SqlEntityManager,
    assertion: Assertion,
    { tenantId, issuer, url }: WalletCall,
    { profile }: WalletPolicy,
  ) {
    const wallet = await walletOf(em, assertion.clientId)
    if (!wallet?.jwks) throw invalidClient('The issuer knows no keys of this wallet.')
    // the profile has the issuer alone (FAPI 2.0 Security Profile, section 5.3.2.1)
    const endpoints = profile === 'haip' ? [] : [url, endpointsOf(issuer).token]
    const audiences = [...new Set([issuer, ...endpoints])]
    const { jti, endsAt } = await verifyAssertion(assertion, { keys: wallet.jwks.keys, audiences, ...rules() })
    if (!(await useOnce(em, tenantId, [`assertion ${wallet.clientId}`, jti], endsAt)))
      throw invalidClient('The client assertion was used already. Make one for each request.')
  }

  /** The end of its nonce, which lives no longer than the proof. */
  function nonceEnd(tenantId: string, { nonce }: DpopProof, where: DpopPlace): Date {
    const endsAt = nonce === undefined ? undefined : secrets.endOfNonce(tenantId, 'dpop', nonce)
    if (endsAt) return endsAt
    throw walletRefusal(
      where === 'token' ? 'use_dpop_nonce' : 'use_dpop_nonce_for_token',
      'Send a DPoP proof with the nonce of the header DPoP-Nonce.',
    )
  }

  /** The thumbprint of the key of a proof, which counts once. */
  async function provenKey({ tenantId, url, dpop = '' }: WalletCall, accessToken?: string): Promise<string> {
    const where: DpopPlace = accessToken === undefined ? 'token' : 'resource'
    const proof = await verifyDpop(dpop, { method: 'POST', url, ...rules(), ...(accessToken && { accessToken }) })
    const endsAt = nonceEnd(tenantId, proof, where)
    const isFirst = await inTenant(database.tenants, tenantId, (em) =>
      useOnce(em, tenantId, [`dpop ${proof.jkt}`, proof.jti], endsAt),
    )
    if (!isFirst) throw invalidProof(where, 'jti', 'expected a jti that was not used before')
    return proof.jkt
  }

  /**
   * The wallet that its provider vouches for, with a proof of the instance's key that counts once. Throws
   * `wallet.invalid_client`, `wallet.use_attestation_challenge`.
   */
  async function attestedClient(
    { tenantId, issuer }: WalletCall,
    sent: SentAttestation,
    { profile }: WalletPolicy,
  ): Promise<{ clientId: string; jkt: string; redirectUris: readonly string[] }> {
    const providers = await trustedProviders.trustedFor(tenantId, 'wallets', sent.attestation)
    const attested = await verifyWalletAttestation(sent, {
      ...{ audience: issuer, providers, requiresCertificate: profile === 'haip' },
      ...rules(),
    })
    const { clientId, jkt, jti, challenge, status, provider } = attested
    const endsAt = challenge === undefined ? undefined : secrets.endOfNonce(tenantId, 'attestation', challenge)
    if (!endsAt)
      throw walletRefusal(
        'use_attestation_challenge',
        'Send a proof of the attestation with the challenge of the header OAuth-Client-Attestation-Challenge.',
      )
    await attestationStatus.assertValid(tenantId, status, provider).catch((error: unknown) => {
      if (error instanceof BadAttestation)
        throw invalidClient(`The attestation of the wallet is not valid: ${error.expected}.`, error)
      throw error
    })
    const isFirst = await inTenant(database.tenants, tenantId, (em) =>
      useOnce(em, tenantId, [`attestation ${jkt}`, jti], endsAt),
    )
    if (!isFirst) throw invalidClient('The proof of the attestation was used already. Make one for each request.')
    return { clientId, jkt, redirectUris: provider.redirectUris }
  }

  return {
    /** Challenges for the next proof of an attestation. */
    newChallenge: (tenantId: string): string => secrets.newNonce(tenantId, 'attestation'),

    /** Whether tokens are good with a proof of their key alone. */
    requiresDpop: async (tenantId: string): Promise<boolean> =>
      (await inTenant(database.tenants, tenantId, policyIn)).requiresDpop,

    /** Nonces for the next proof. */
    newDpopNonce: (tenantId: string): string => secrets.newNonce(tenantId, 'dpop'),

    /** Whether the key of an access token is proved. Throws `wallet.invalid_dpop_proof_for_token`, `wallet.use_dpop_nonce_for_token`. */
    provesKey: async (call: WalletCall, accessToken: string, jkt: string): Promise<boolean> =>
      (await provenKey(call, accessToken)) === jkt,

    /**
     * The wallet that a request for a code or a token is from. A key has to be proved for a token only: a pushed request may
     * come without one (RFC 9449, section 10). Throws `wallet.invalid_client`, `wallet.invalid_request`,
     * `wallet.invalid_dpop_proof`, `wallet.use_dpop_nonce`, `wallet.use_attestation_challenge`.
     */
    async identify(call: WalletCall, body: Json, wanted: 'code' | 'token'): Promise<WalletClient> {
      const { tenantId, dpop, attestation } = call
      const named = body.client_id ?? body.clientId
      const assertion = readAssertion(body)
      if (assertion && typeof named === 'string' && named !== assertion.clientId)
        throw invalidClient('The client assertion is of another client than client_id.')
      // in this order: a wallet that is asked for a nonce sends its assertion again
      const jkt = dpop === undefined ? undefined : await provenKey(call)
      const policy = await inTenant(database.tenants, tenantId, policyIn)
      const instance = attestation && (await attestedClient(call, attestation, policy))
      const attested = instance?.clientId
      if (
        attested !== undefined &&
        [assertion?.clientId, named || undefined].some((id) => (id ?? attested) !== attested)
      )
        throw invalidClient('The attestation is of another client than client_id.')
      const clientId =
        assertion?.clientId ?? attested ?? (typeof named === 'string' && named !== '' ? named : undefined)
      await inTenant(database.tenants, tenantId, async (em) => {
        if (assertion) await authenticate(em, assertion, call, policy)
        // whoever is trusted to vouch does not stand for a wallet that has keys of its own
        else if (clientId !== undefined && (await walletOf(em, clientId))?.jwks)
          throw invalidClient('This wallet has to authenticate by private_key_jwt.')
      })
      const isAttested = attested !== undefined
      if (policy.requiresWalletAttestation && !isAttested)
        throw invalidClient('The issuer requires wallets to authenticate by an attestation of their provider.')
      const isAuthenticated = assertion !== undefined || isAttested
      if (policy.requiresClientAuthentication && !isAuthenticated)
        throw invalidClient('The issuer requires wallets to authenticate by private_key_jwt, or by an attestation.')
      if (wanted === 'token' && policy.requiresDpop && jkt === undefined)
        throw refuseMember('invalid_request', 'DPoP', 'required', 'expected a DPoP proof: the issuer requires one')
      const isRegistered = assertion !== undefined
      const { jkt: instanceJkt, redirectUris: vouchedUris = [] } = instance ?? {}
      return { clientId, isAuthenticated, isRegistered, isAttested, vouchedUris, instanceJkt, jkt, policy }
    },
  }
}

export type WalletClients = ReturnType<typeof createWalletClients>
