import { Ecosystem } from '../../../entities/administration/ecosystems.ts'
import { asSystem } from '../../../entities/orm.ts'
import { checkEcosystemName } from '../../../protocol/administration/ecosystems/credentials.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Call } from '../../frame/operations.ts'
import type { EcosystemChanges } from './changes.ts'
import {
  type EcosystemReader,
  type EcosystemReads,
  type EcosystemRecord,
  ecosystemRecord,
  findEcosystem,
  NEWEST,
  type Paging,
} from './rows.ts'

interface Parts extends Pick<Dependencies, 'database' | 'now' | 'uuid'> {
  changes: EcosystemChanges
  reads: EcosystemReads
}

const OWN = 'select ecosystem_id from tenants where id = ? and ecosystem_id is not null'
const BOUND = 'select count(*)::int as tenants from tenants where ecosystem_id = ?'

/** Ecosystems themselves: create, list, read, rename, delete (specification, Administration). */
export function createEcosystems({ database, now, uuid, changes, reads }: Parts) {
  return {
    /** Throws `ecosystem.invalid_name`. */
    async createEcosystem(call: Call, { name }: { name: string }): Promise<EcosystemRecord> {
      checkEcosystemName(name)
      const id = uuid()
      return changes.change(call, 'createEcosystem', { id }, undefined, async (em) => {
        const at = now()
        em.create(Ecosystem, { id, name, policyModifiedAt: at, createdAt: at, updatedAt: at })
        await em.flush()
        return { id, name }
      })
    },

    /** Newest first; for a tenant the one that it is bound to. */
    async listEcosystems(
      { tenantId, isOperator }: EcosystemReader,
      { limit, offset }: Paging,
    ): Promise<{ ecosystems: EcosystemRecord[]; total: number }> {
      return asSystem(database.system, async (em) => {
        const own = isOperator ? [] : await em.execute<{ ecosystem_id: string }[]>(OWN, [tenantId])
        const where = isOperator ? {} : { id: { $in: own.map((row) => row.ecosystem_id) } }
        const [rows, total] = await em.findAndCount(Ecosystem, where, { orderBy: NEWEST, limit, offset })
        return { ecosystems: rows.map(ecosystemRecord), total }
      })
    },

    readEcosystem: (reader: EcosystemReader, id: string): Promise<EcosystemRecord> =>
      reads.read(reader, id, async (_, ecosystem) => ecosystemRecord(ecosystem)),

    /** The policy does not show the name, so that it does not move. */
    async renameEcosystem(call: Call, id: string, { name }: { name: string }): Promise<EcosystemRecord> {
      checkEcosystemName(name)
      return changes.change(call, 'updateEcosystem', { id }, id, async (em) => {
        const row = await findEcosystem(em, id)
        Object.assign(row, { name, updatedAt: now() })
        await em.flush()
        return ecosystemRecord(row)
      })
    },

    /** Participants, credentials and what is allowed go along. Throws `ecosystem.in_use` while a tenant is bound to it. */
    async deleteEcosystem(call: Call, id: string): Promise<void> {
      await changes.change(call, 'deleteEcosystem', { id }, id, async (em) => {
        const row = await findEcosystem(em, id)
        const [bound] = await em.execute<{ tenants: number }[]>(BOUND, [id])
        if ((bound?.tenants ?? 0) > 0)
          throw new Refusal(
            'ecosystem.in_use',
            `The ecosystem is the policy of ${bound?.tenants} tenants. Unbind them first with unbindEcosystemTenant.`,
          )
        // as its credentials are allowed to its participants, the order of the cascades would decide
        await em.execute('delete from ecosystem_allowances where ecosystem_id = ?', [id])
        em.remove(row)
        await em.flush()
      })
    },
  }
}
