import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { asSystem } from '../../../entities/orm.ts'
import type { OrganizationDetails } from '../../../protocol/administration/organizations/details.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Call, Operations } from '../../frame/operations.ts'
import type { Sealer } from '../../frame/sealing.ts'
import { lockOwnAccount } from '../accounts/standing.ts'
import { type OrganizationRecord, type OrganizationRow, openOrganization, sealDetails } from './records.ts'

/** Of one account: more of them are a script's. */
const MOST_OF_ACCOUNT = 100

/** A call, and whether its token is an operator's. */
export interface OrganizationCall extends Call {
  isOperator: boolean
}

const COLUMNS = `o.id, o.name, o.content, m.role, o.created_at as "createdAt", o.updated_at as "updatedAt"`

/** The organizations that a caller sees: an operator all, a person their own. */
const SEEN = `from organizations o left join organization_members m on m.organization_id = o.id and m.account_id = ?::uuid
where (m.account_id is not null or ?::boolean)`

const NOBODY = '00000000-0000-0000-0000-000000000000'

/** The account of a session; a program is no member of anything. */
const memberOf = ({ clientId, sessionId }: Call): string => (sessionId === undefined ? NOBODY : clientId)

const notFound = () => new Refusal('organization.not_found', 'There is no such organization.')

/** Throws `organization.not_found` for one that the caller does not see. */
export async function findOrganization(
  em: SqlEntityManager,
  call: OrganizationCall,
  id: string,
): Promise<OrganizationRow> {
  const statement = `select ${COLUMNS} ${SEEN} and o.id = ?`
  const [row] = await em.execute<OrganizationRow[]>(statement, [memberOf(call), call.isOperator, id])
  if (!row) throw notFound()
  return row
}

/** Also for a member whose role is another one. Throws `organization.not_found`, `organization.admin_required`. */
export async function findAdministered(
  em: SqlEntityManager,
  call: OrganizationCall,
  id: string,
): Promise<OrganizationRow> {
  const row = await findOrganization(em, call, id)
  if (row.role === 'admin' || call.isOperator) return row
  throw new Refusal('organization.admin_required', 'Only an administrator of the organization may do this.')
}

/**
 * A person whose session has ended changes nothing any more (D-612). After the organization is locked, in the order of every
 * change of members. Throws `session.invalid`, `account.not_found`.
 */
async function assertCallerStands(em: SqlEntityManager, call: OrganizationCall): Promise<void> {
  if (call.sessionId !== undefined) await lockOwnAccount(em, call)
}

/**
 * Locks an organization that the caller sees, for a change by a caller who stands, and finds it once more: a statement that
 * waits for the lock would read the members as they were before it waited. Throws what `find` throws, and `session.invalid`.
 */
async function locked(
  em: SqlEntityManager,
  call: OrganizationCall,
  id: string,
  find: typeof findOrganization,
): Promise<OrganizationRow> {
  await findOrganization(em, call, id)
  await em.execute('select id from organizations where id = ? for update', [id])
  const row = await find(em, call, id)
  await assertCallerStands(em, call)
  return row
}

/** What `findOrganization` returns, for a change by a caller who stands. */
export const lockOrganization = (em: SqlEntityManager, call: OrganizationCall, id: string): Promise<OrganizationRow> =>
  locked(em, call, id, findOrganization)

/** What `findAdministered` returns, for a change by a caller who stands. */
export const lockAdministered = (em: SqlEntityManager, call: OrganizationCall, id: string): Promise<OrganizationRow> =>
  locked(em, call, id, findAdministered)

interface Parts extends Pick<Dependencies, 'database' | 'uuid'> {
  operations: Operations
  sealer: Sealer
}

/** Organizations: created, listed, read, updated. */
export function createOrganizations({ database, uuid, operations, sealer }: Parts) {
  const INSERT = 'insert into organizations (id, name, content) values (?, ?, ?)'

  async function addAdmin(em: SqlEntityManager, organizationId: string, call: Call): Promise<void> {
    const accountId = await lockOwnAccount(em, call)
    const [count] = await em.execute<{ total: number }[]>(
      'select count(*)::int as total from organization_members where account_id = ?',
      [accountId],
    )
    if ((count?.total ?? 0) >= MOST_OF_ACCOUNT)
      throw new Refusal('organization.too_many', `An account has at most ${MOST_OF_ACCOUNT} organizations.`)
    const statement = `insert into organization_members (organization_id, account_id, role)
      values (?, ?, 'admin')`
    await em.execute(statement, [organizationId, accountId])
  }

  return {
    /** A person who creates it becomes its administrator. Throws `organization.too_many`, `account.not_found`. */
    async createOrganization(call: OrganizationCall, details: OrganizationDetails): Promise<OrganizationRecord> {
      const id = uuid()
      return operations.changePlatform(call, 'createOrganization', { id }, async (em) => {
        await em.execute(INSERT, [id, details.name, sealDetails(sealer, id, details)])
        if (call.sessionId !== undefined) await addAdmin(em, id, call)
        return openOrganization(sealer, await findOrganization(em, { ...call, isOperator: true }, id))
      })
    },

    /** Newest first. */
    listOrganizations: (call: OrganizationCall, { limit, offset }: { limit: number; offset: number }) =>
      asSystem(database.system, async (em) => {
        const who = [memberOf(call), call.isOperator]
        const page = `select ${COLUMNS} ${SEEN} order by o.created_at desc, o.id limit ? offset ?`
        const rows = await em.execute<OrganizationRow[]>(page, [...who, limit, offset])
        const [count] = await em.execute<{ total: number }[]>(`select count(*)::int as total ${SEEN}`, who)
        return { organizations: rows.map((row) => openOrganization(sealer, row)), total: count?.total ?? 0 }
      }),

    /** Throws `organization.not_found`. */
    readOrganization: (call: OrganizationCall, id: string): Promise<OrganizationRecord> =>
      asSystem(database.system, async (em) => openOrganization(sealer, await findOrganization(em, call, id))),

    /** Throws `organization.not_found`, `organization.admin_required`, `session.invalid`. */
    async updateOrganization(
      call: OrganizationCall,
      id: string,
      details: OrganizationDetails,
    ): Promise<OrganizationRecord> {
      return operations.changePlatform(call, 'updateOrganization', { id }, async (em) => {
        await lockAdministered(em, call, id)
        const statement = 'update organizations set name = ?, content = ?, updated_at = now() where id = ?'
        await em.execute(statement, [details.name, sealDetails(sealer, id, details), id])
        return openOrganization(sealer, await findOrganization(em, call, id))
      })
    },
  }
}

export type Organizations = ReturnType<typeof createOrganizations>
