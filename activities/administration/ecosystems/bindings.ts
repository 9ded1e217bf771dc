import { asSystem } from '../../../entities/orm.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Call } from '../../frame/operations.ts'
import type { EcosystemChanges } from './changes.ts'
import { findEcosystem, findParticipant, type Paging } from './rows.ts'

/** A tenant under the policy of an ecosystem. */
export interface BindingRecord {
  ecosystemId: string
  tenantId: string
  /** The participant that it verifies as; null: it verifies nothing. */
  participantId: string | null
}

const CURRENT = 'select ecosystem_id from tenants where id = ? and deleted_at is null for no key update'
const BIND = 'update tenants set ecosystem_id = ?, ecosystem_participant_id = ? where id = ?'
const LIST = `select id, ecosystem_participant_id from tenants where ecosystem_id = ?
order by created_at desc, id limit ? offset ?`
const COUNT = 'select count(*)::int as total from tenants where ecosystem_id = ?'

const tenantNotFound = () => new Refusal('ecosystem_tenant.not_found', 'The ecosystem has no such tenant.')

interface Parts extends Pick<Dependencies, 'database'> {
  changes: EcosystemChanges
}

/** Which tenants are under which policy. Operators bind them: a tenant could leave its policy otherwise. */
export function createEcosystemBindings({ database, changes }: Parts) {
  return {
    /**
     * Binds a tenant, or changes the participant that it verifies as. Throws `ecosystem.not_found`,
     * `ecosystem_participant.not_found`, `ecosystem_tenant.not_found`, and `ecosystem_tenant.bound` for a tenant of
     * another ecosystem.
     */
    async bindTenant(call: Call, { ecosystemId, tenantId, participantId }: BindingRecord): Promise<BindingRecord> {
      const metadata = { ecosystemId, boundTenantId: tenantId, participantId }
      return changes.change(call, 'bindEcosystemTenant', metadata, ecosystemId, async (em) => {
        const participant = participantId === null ? null : await findParticipant(em, ecosystemId, participantId)
        const [current] = await em.execute<{ ecosystem_id: string | null }[]>(CURRENT, [tenantId])
        if (!current) throw tenantNotFound()
        if (current.ecosystem_id !== null && current.ecosystem_id !== ecosystemId)
          throw new Refusal(
            'ecosystem_tenant.bound',
            'The tenant is bound to another ecosystem. Unbind it there first with unbindEcosystemTenant.',
          )
        await em.execute(BIND, [ecosystemId, participant?.id ?? null, tenantId])
        return { ecosystemId, tenantId, participantId: participant?.id ?? null }
      })
    },

    /** From then on the tenant has no policy. Throws `ecosystem.not_found`, `ecosystem_tenant.not_found`. */
    async unbindTenant(call: Call, ecosystemId: string, tenantId: string): Promise<void> {
      const metadata = { ecosystemId, boundTenantId: tenantId }
      await changes.change(call, 'unbindEcosystemTenant', metadata, ecosystemId, async (em) => {
        const [current] = await em.execute<{ ecosystem_id: string | null }[]>(CURRENT, [tenantId])
        if (current?.ecosystem_id !== ecosystemId) throw tenantNotFound()
        await em.execute(BIND, [null, null, tenantId])
      })
    },

    async listBindings(ecosystemId: string, { limit, offset }: Paging) {
      return asSystem(database.system, async (em) => {
        await findEcosystem(em, ecosystemId)
        const rows = await em.execute<{ id: string; ecosystem_participant_id: string | null }[]>(LIST, [
          ...[ecosystemId, limit, offset],
        ])
        const [counted] = await em.execute<{ total: number }[]>(COUNT, [ecosystemId])
        const bindings = rows.map(
          ({ id, ecosystem_participant_id: participantId }): BindingRecord => ({
            ...{ ecosystemId, tenantId: id, participantId },
          }),
        )
        return { bindings, total: counted?.total ?? 0 }
      })
    },
  }
}
