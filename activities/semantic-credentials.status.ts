import { inTenant } from '../entities/orm.ts'
import { SemanticCredential, StatusList } from '../entities/semantic-credentials.ts'
import { Refusal } from '../protocol/errors.ts'
import type { Dependencies } from './index.ts'
import type { Call, Operations } from './operations.ts'

const notFound = () => new Refusal('credential.not_found', 'There is no such credential.')

/** The stored status of our own credentials: right at once; the published list follows within a window. */
export const createCredentialStatus = ({
  database,
  systemSql,
  now,
  operations,
}: Pick<Dependencies, 'database' | 'systemSql' | 'now'> & { operations: Operations }) => ({
  async setStatus(call: Call, id: string, revoked: boolean): Promise<void> {
    const operation = {
      name: 'CREDENTIAL_WEB_SEMANTIC_REVOCATION_SET_STATUS',
      category: 'credential-web-semantic',
      metadata: { id, isRevoked: revoked },
    }
    await operations.change(call, operation, async (em) => {
      const credential = await em.findOne(SemanticCredential, { id })
      if (!credential) throw notFound()
      const { statusListId } = credential
      if (!statusListId)
        throw new Refusal(
          'credential.not_revocable',
          'The credential was signed with revocable false: it has no status.',
        )
      if (credential.revoked === revoked) return null
      credential.revoked = revoked
      credential.statusChangedAt = now()
      await em.flush()
      await em.execute('update status_lists set changes = changes + 1 where id = ?', [statusListId])
      return null
    })
  },

  async readStatus(tenantId: string, id: string): Promise<{ isRevoked: boolean }> {
    const credential = await inTenant(database.tenants, tenantId, (em) => em.findOne(SemanticCredential, { id }))
    if (!credential) throw notFound()
    return { isRevoked: credential.revoked }
  },

  async readList(tenantId: string, id: string): Promise<StatusList> {
    const list = await inTenant(database.tenants, tenantId, (em) => em.findOne(StatusList, { id }))
    if (!list) throw new Refusal('status_list.not_found', 'There is no such revocation list.')
    return list
  },

  /** The status of an entry of one of our lists, whoever's it is; undefined where the list is not ours. */
  async storedStatus(listId: string, index: number): Promise<'valid' | 'revoked' | undefined> {
    const { rows } = await systemSql.query<{ revoked: boolean | null }>({
      name: 'stored-status',
      text: `select c.revoked from status_lists l
        left join semantic_credentials c on c.status_list_id = l.id and c.status_index = $2 where l.id = $1`,
      values: [listId, index],
    })
    const row = rows[0]
    return row && (row.revoked ? 'revoked' : 'valid')
  },
})

export type CredentialStatus = ReturnType<typeof createCredentialStatus>
