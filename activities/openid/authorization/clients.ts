import { createHash } from 'node:crypto'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { inTenant } from '../../../entities/orm.ts'
import type { Json } from '../../../protocol/json.ts'
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
}

/** The wallet that a request is from. */
export interface WalletClient {
  clientId: string | undefined
  /** It has proved that with a key. */
  isAuthenticated: boolean
  /** Thumbprint of the key that it wants its token bound to. */
  jkt: string | undefined
  policy: WalletPolicy
}

interface Parts extends Pick<Dependencies, 'config' | 'database' | 'now'> {
  secrets: SessionSecrets
}

const USE_JTI = `insert into openid_used_jtis (tenant_id, jti_digest, expires_at) values (?, ?, ?)
on conflict (tenant_id, jti_digest) do nothing returning expires_at`

/** Authenticates wallets, and has them prove the keys of their tokens. */
export function createWalletClients({ config, database, now, secrets }: Parts) {
  const rules = () => ({ now: now(), toleranceMs: config.clockToleranceMs })

  /** Whether a JWT is used for the first time. `owner`: who chose its jti. */
  async function useOnce(em: SqlEntityManager, tenantId: string, [owner, jti]: [string, string], endsAt: Date) {
    const digest = createHash('sha256').update(`${owner} ${jti}`).digest()
    const keptUntil = new Date(endsAt.getTime() + config.clockToleranceMs)
    return (await em.execute<object[]>(USE_JTI, [tenantId, digest, keptUntil])).length === 1
  }

  async function authenticate(em: SqlEntityManager, assertion: Assertion, { tenantId, issuer, url }: WalletCall) {
    const wallet = await walletOf(em, assertion.clientId)
    if (!wallet?.jwks) throw invalidClient('The issuer knows no keys of this wallet.')
    const audiences = [...new Set([issuer, url, endpointsOf(issuer).token])]
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

  return {
    /** Nonces for the next proof. */
    newDpopNonce: (tenantId: string): string => secrets.newNonce(tenantId, 'dpop'),

    /** Whether the key of an access token is proved. Throws `wallet.invalid_dpop_proof_for_token`, `wallet.use_dpop_nonce_for_token`. */
    provesKey: async (call: WalletCall, accessToken: string, jkt: string): Promise<boolean> =>
      (await provenKey(call, accessToken)) === jkt,

    /**
     * The wallet that a request for a code or a token is from. A key has to be proved for a token only: a pushed request may
     * come without one (RFC 9449, section 10). Throws `wallet.invalid_client`, `wallet.invalid_request`,
     * `wallet.invalid_dpop_proof`, `wallet.use_dpop_nonce`.
     */
    async identify(call: WalletCall, body: Json, wanted: 'code' | 'token'): Promise<WalletClient> {
      const { tenantId, dpop } = call
      const named = body.client_id ?? body.clientId
      const assertion = readAssertion(body)
      if (assertion && typeof named === 'string' && named !== assertion.clientId)
        throw invalidClient('The client assertion is of another client than client_id.')
      const clientId = assertion?.clientId ?? (typeof named === 'string' && named !== '' ? named : undefined)
      // in this order: a wallet that is asked for a nonce sends its assertion again
      const jkt = dpop === undefined ? undefined : await provenKey(call)
      const policy = await inTenant(database.tenants, tenantId, async (em) => {
        if (assertion) await authenticate(em, assertion, call)
        else if (clientId !== undefined && (await walletOf(em, clientId))?.jwks)
          throw invalidClient('This wallet has to authenticate by private_key_jwt.')
        return policyIn(em)
      })
      if (policy.requiresClientAuthentication && !assertion)
        throw invalidClient('The issuer requires wallets to authenticate by private_key_jwt.')
      if (wanted === 'token' && policy.requiresDpop && jkt === undefined)
        throw refuseMember('invalid_request', 'DPoP', 'required', 'expected a DPoP proof: the issuer requires one')
      return { clientId, isAuthenticated: assertion !== undefined, jkt, policy }
    },
  }
}

export type WalletClients = ReturnType<typeof createWalletClients>
