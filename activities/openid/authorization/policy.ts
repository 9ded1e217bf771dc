import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { OpenIdWalletPolicy } from '../../../entities/openid/wallets.ts'
import { inTenant, takeTurn } from '../../../entities/orm.ts'
import { checkPolicy, effectivePolicy } from '../../../protocol/openid/oid4vci/authorization/policy.ts'
import { DEFAULT_POLICY, type WalletPolicy } from '../../../protocol/openid/oid4vci/authorization/types.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Call, Operations } from '../../frame/operations.ts'
import { sinceAfter } from '../reissuances/life.ts'

/** What the tenant has chosen. */
async function storedIn(em: SqlEntityManager): Promise<WalletPolicy> {
  const [row] = await em.find(OpenIdWalletPolicy, {}, { limit: 1 })
  if (!row) return DEFAULT_POLICY
  const { requiresPar, requiresDpop, requiresClientAuthentication, allowsWalletInitiated } = row
  const { requiresEncryption, signsMetadata, requiresWalletAttestation, requiresKeyAttestation } = row
  const { keyStorage, userAuthentication, batchSize, reissueDays, profile } = row
  return {
    ...{ requiresPar, requiresDpop, requiresClientAuthentication, allowsWalletInitiated },
    ...{ requiresEncryption, signsMetadata, requiresWalletAttestation, requiresKeyAttestation },
    ...{ keyStorage, userAuthentication, batchSize, reissueDays, profile: profile ?? null },
  }
}

/** What counts: what the tenant has chosen, and what its profile demands. */
export const policyIn = async (em: SqlEntityManager): Promise<WalletPolicy> => effectivePolicy(await storedIn(em))

/** The log has no lists. */
const loggedAs = (changes: Partial<WalletPolicy>) =>
  Object.fromEntries(
    Object.entries(changes).map(([name, value]) => [name, Array.isArray(value) ? value.join(' ') : value]),
  )

interface Parts extends Pick<Dependencies, 'database' | 'now' | 'uuid'> {
  operations: Operations
}

/** The tenant's requirements of wallets. */
export const createWalletPolicies = ({ database, now, uuid, operations }: Parts) => ({
  readPolicy: (tenantId: string): Promise<WalletPolicy> => inTenant(database.tenants, tenantId, policyIn),

  /** Changes the members that are given; it counts from the next request of a wallet on. Throws `openid_wallet_policy.invalid`. */
  updatePolicy(call: Call, changes: Partial<WalletPolicy>): Promise<WalletPolicy> {
    const { tenantId } = call
    return operations.change(call, 'updateOpenIdWalletPolicy', loggedAs(changes), async (em) => {
      await takeTurn(em, `openid wallet policy of ${tenantId}`)
      const policy = { ...(await storedIn(em)), ...changes }
      checkPolicy(changes, policy.profile)
      const row = await em.findOne(OpenIdWalletPolicy, {})
      const at = now()
      const columns = { ...policy, reissuesSince: sinceAfter(row, policy.reissueDays, at), updatedAt: at }
      if (row) Object.assign(row, columns)
      else em.create(OpenIdWalletPolicy, { id: uuid(), tenantId, ...columns, createdAt: at })
      return effectivePolicy(policy)
    })
  },
})

export type WalletPolicies = ReturnType<typeof createWalletPolicies>
