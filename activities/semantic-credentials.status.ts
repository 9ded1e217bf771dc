import { inTenant } from '../entities/orm.ts'
import { StatusChange } from '../entities/semantic-credentials.status.ts'
import { SemanticCredential, StatusList } from '../entities/semantic-credentials.ts'
import { Refusal } from '../protocol/errors.ts'
import { type PastStatus, statusAt } from '../protocol/status-list.history.ts'
import type { Dependencies } from './index.ts'
import type { Call, Operations } from './operations.ts'

export interface CurrentStatus {
  isRevoked: boolean
  /** Of credentials that may be suspended. */
  isSuspended?: boolean
}

const notFound = () => new Refusal('credential.not_found', 'There is no such credential.')

const without = {
  revocation: () =>
    new Refusal('credential.not_revocable', 'The credential was signed with revocable false: it has no status.'),
  suspension: () => new Refusal('credential.not_suspendable', 'The credential was not signed with suspendable true.'),
}

const STORED = `select coalesce(c.revoked, false) as revoked, coalesce(s.suspended, false) as suspended from status_lists l
  left join semantic_credentials c on c.status_list_id = l.id and c.status_index = $2
  left join semantic_credentials s on s.suspension_list_id = l.id and s.suspension_index = $2
  where l.id = $1`

/** The stored status of our own credentials: right at once; the published list follows within a window. */
export const createCredentialStatus = ({
  database,
  systemSql,
  now,
  operations,
}: Pick<Dependencies, 'database' | 'systemSql' | 'now'> & { operations: Operations }) => {
  /** The change, its place in the history and the mark on the list are one transaction with the log entry. */
  async function set(call: Call, id: string, purpose: 'revocation' | 'suspension', value: boolean): Promise<void> {
    const operation = {
      name: `CREDENTIAL_WEB_SEMANTIC_${purpose === 'revocation' ? 'REVOCATION' : 'SUSPENSION'}_SET_STATUS`,
      category: 'credential-web-semantic',
      metadata: { id, [purpose === 'revocation' ? 'isRevoked' : 'isSuspended']: value },
    }
    await operations.change(call, operation, async (em) => {
      const [row] = await em.execute<{ outcome: string }[]>(
        'select set_semantic_credential_status(?, ?, ?, ?) as outcome',
        [id, purpose, value, call.requestId],
      )
      if (row?.outcome === 'not_found') throw notFound()
      if (row?.outcome === 'no_status') throw without[purpose]()
      return null
    })
  }

  const find = async (tenantId: string, id: string): Promise<SemanticCredential> => {
    const credential = await inTenant(database.tenants, tenantId, (em) => em.findOne(SemanticCredential, { id }))
    if (!credential) throw notFound()
    return credential
  }

  return {
    setStatus: (call: Call, id: string, revoked: boolean) => set(call, id, 'revocation', revoked),

    /** Throws `credential.not_suspendable` for one without the entry for it. */
    setSuspension: (call: Call, id: string, suspended: boolean) => set(call, id, 'suspension', suspended),

    async readStatus(tenantId: string, id: string): Promise<CurrentStatus> {
      const { revoked, suspended, suspensionListId } = await find(tenantId, id)
      return { isRevoked: revoked, ...(suspensionListId && { isSuspended: suspended }) }
    },

    /** Whether the credential was valid at a time, by its dates and by the history of its status. No future times. */
    async readStatusAt(tenantId: string, id: string, at: Date): Promise<PastStatus> {
      if (at > now())
        throw new Refusal('request.invalid', 'What will be is not known.', [
          { path: 'at', code: 'range', message: 'expected a time that has passed' },
        ])
      return inTenant(database.tenants, tenantId, async (em) => {
        const credential = await em.findOne(SemanticCredential, { id })
        if (!credential) throw notFound()
        const orderBy = { id: 'asc' } as const
        const changes = await em.find(StatusChange, { credentialId: id, changedAt: { $lte: at } }, { orderBy })
        return statusAt(credential, changes, at)
      })
    },

    /** Newest first. */
    async listChanges(tenantId: string, id: string, { limit, offset }: { limit: number; offset: number }) {
      return inTenant(database.tenants, tenantId, async (em) => {
        if (!(await em.findOne(SemanticCredential, { id }))) throw notFound()
        const orderBy = { id: 'desc' } as const
        const [changes, total] = await em.findAndCount(StatusChange, { credentialId: id }, { orderBy, limit, offset })
        return { changes, total }
      })
    },

    async readList(tenantId: string, id: string): Promise<StatusList> {
      const list = await inTenant(database.tenants, tenantId, (em) => em.findOne(StatusList, { id }))
      if (!list) throw new Refusal('status_list.not_found', 'There is no such revocation list.')
      return list
    },

    /** The status of an entry of one of our lists, whoever's it is; undefined where the list is not ours. */
    async storedStatus(listId: string, index: number): Promise<'valid' | 'revoked' | 'suspended' | undefined> {
      const { rows } = await systemSql.query<{ revoked: boolean; suspended: boolean }>({
        name: 'stored-status',
        text: STORED,
        values: [listId, index],
      })
      const [row] = rows
      if (!row) return undefined
      if (row.revoked) return 'revoked'
      return row.suspended ? 'suspended' : 'valid'
    },
  }
}

export type CredentialStatus = ReturnType<typeof createCredentialStatus>
