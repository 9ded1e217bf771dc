import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { OpenIdWalletPolicy } from '../../../entities/openid/wallets.ts'
import { inTenant, takeTurn } from '../../../entities/orm.ts'
import { DEFAULT_POLICY, type WalletPolicy } from '../../../protocol/openid/oid4vci/authorization/types.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Call, Operations } from '../../frame/operations.ts'

/** What the tenant requires of wallets. */
export async function policyIn(em: SqlEntityManager): Promise<WalletPolicy> {
  const row = await em.findOne(OpenIdWalletPolicy, {})
  if (!row) return DEFAULT_POLICY
  const { requiresPar, requiresDpop, requiresClientAuthentication, allowsWalletInitiated } = row
  const { requiresEncryption, signsMetadata } = row
  return {
    ...{ requiresPar, requiresDpop, requiresClientAuthentication, allowsWalletInitiated },
    ...{ requiresEncryption, signsMetadata },
  }
}

interface Parts extends Pick<Dependencies, 'database' | 'now' | 'uuid'> {
  operations: Operations
}

/** The tenant's requirements of wallets. */
export const createWalletPolicies = ({ database, now, uuid, operations }: Parts) => ({
  readPolicy: (tenantId: string): Promise<WalletPolicy> => inTenant(database.tenants, tenantId, policyIn),

  /** Changes the members that are given; it counts from the next request of a wallet on. */
  updatePolicy(call: Call, changes: Partial<WalletPolicy>): Promise<WalletPolicy> {
    const { tenantId } = call
    return operations.change(call, 'updateOpenIdWalletPolicy', { ...changes }, async (em) => {
      await takeTurn(em, `openid wallet policy of ${tenantId}`)
      const policy = { ...(await policyIn(em)), ...changes }
      const row = await em.findOne(OpenIdWalletPolicy, {})
      if (row) Object.assign(row, { ...policy, updatedAt: now() })
      else em.create(OpenIdWalletPolicy, { id: uuid(), tenantId, ...policy, createdAt: now(), updatedAt: now() })
      return policy
    })
  },
})

export type WalletPolicies = ReturnType<typeof createWalletPolicies>
