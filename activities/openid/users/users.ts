import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { AuthenticationProvider } from '../../../entities/openid/providers.ts'
import { OpenIdUser } from '../../../entities/openid/users.ts'
import { inTenant } from '../../../entities/orm.ts'
import type { Json } from '../../../protocol/json.ts'
import { criteriaOf, leavesOf, listed } from '../../../protocol/openid/claims.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Sealer } from '../../frame/sealing.ts'
import { findProvider } from '../providers/lifecycle.ts'
import { userNotFound } from './erase.ts'
import type { UserIndex } from './user-index.ts'

export interface UserRecord {
  id: string
  /** Those of claims_to_persist at the last authentication. */
  claims: Json
  authenticationProvider: { providerId: string; url: string; subjectId: string }
}

export interface Page {
  limit: number
  offset: number
}

export interface UserSearch {
  providerId?: string | undefined
  subjectId?: string | undefined
  claims: Json
}

interface Content {
  subjectId: string
  claims: Json
}

type UserRow = Pick<OpenIdUser, 'id' | 'tenantId' | 'providerId' | 'subjectIndex' | 'content'>

/** Decrypted in one turn of the event loop. */
const TURN_BYTES = 256 * 1024

/** By provider and subject, not by id: the row of an earlier authentication keeps its id. */
const boundTo = ({ tenantId, providerId, subjectIndex }: Omit<UserRow, 'id' | 'content'>) =>
  `${tenantId}/openid/${providerId}/users/${Buffer.from(subjectIndex).toString('hex')}`

const UPSERT = `insert into openid_users (id, tenant_id, provider_id, subject_index, content, created_at, updated_at)
values (?, ?, ?, ?, ?, ?, ?)
on conflict (tenant_id, provider_id, subject_index) do update
  set content = excluded.content, updated_at = excluded.updated_at
returning id`

/** Digests as hex, joined: a parameter of one text for a list of any length. */
const DIGESTS = `select decode(digest, 'hex') from unnest(string_to_array(?, ' ')) digest`

const INDEX = `insert into openid_user_claims (tenant_id, user_id, claim_index) select ?, ?, digests.* from (${DIGESTS}) digests`

const hexOf = (digests: readonly Buffer[]): string =>
  [...new Set(digests.map((digest) => digest.toString('hex')))].join(' ')

const COLUMNS = `id, tenant_id as "tenantId", provider_id as "providerId", subject_index as "subjectIndex", content`

export const openUser = (sealer: Sealer, row: Omit<UserRow, 'id'>): Content =>
  JSON.parse(sealer.open(row.content, boundTo(row)).toString('utf8')) as Content

/** What the row of a user keeps of the subject and the claims, and the digests by which claims find the user. */
export function sealUser(
  { sealer, index }: { sealer: Sealer; index: UserIndex },
  { tenantId, providerId, ...content }: Content & { tenantId: string; providerId: string },
) {
  const subjectIndex = index.ofSubject(tenantId, providerId, content.subjectId)
  const sealed = sealer.seal(Buffer.from(JSON.stringify(content)), boundTo({ tenantId, providerId, subjectIndex }))
  return { subjectIndex, sealed, digests: leavesOf(content.claims).map((leaf) => index.ofClaim(tenantId, leaf)) }
}

/** Writes the digests of a user's claims. */
export async function indexUser(em: SqlEntityManager, tenantId: string, id: string, digests: readonly Buffer[]) {
  if (digests.length > 0) await em.execute(INDEX, [tenantId, id, hexOf(digests)])
}

interface Parts extends Pick<Dependencies, 'database' | 'now' | 'uuid'> {
  sealer: Sealer
  index: UserIndex
}

/** Users: saved after an authentication, listed, searched (specification, User). */
export function createUsers({ database, now, uuid, sealer, index }: Parts) {
  const open = (row: UserRow): Content => openUser(sealer, row)

  async function toRecords(em: SqlEntityManager, rows: readonly UserRow[]): Promise<UserRecord[]> {
    const providers = await em.find(AuthenticationProvider, { id: { $in: rows.map(({ providerId }) => providerId) } })
    const urls = new Map(providers.map(({ id, url }) => [id, url]))
    const records: UserRecord[] = []
    let bytes = 0
    for (const row of rows) {
      const { subjectId, claims } = open(row)
      const { id, providerId, content } = row
      records.push({ id, claims, authenticationProvider: { providerId, url: urls.get(providerId) ?? '', subjectId } })
      bytes += content.length
      if (bytes < TURN_BYTES) continue
      bytes = 0
      await nextTurn()
    }
    return records
  }

  return {
    /**
     * Creates the user of a provider and subject, or replaces their claims, in the caller's transaction; returns the id.
     * Of the claims only those that the provider persists are stored, encrypted. Safe to repeat.
     */
    async saveUser(
      em: SqlEntityManager,
      provider: Pick<AuthenticationProvider, 'id' | 'tenantId' | 'claimsToPersist'>,
      identified: { subjectId: string; claims: Json },
    ): Promise<string> {
      const { tenantId, id: providerId, claimsToPersist } = provider
      const { subjectId } = identified
      const claims = listed(identified.claims, claimsToPersist)
      const user = { tenantId, providerId, subjectId, claims }
      const { subjectIndex, sealed, digests } = sealUser({ sealer, index }, user)
      const at = now()
      const values = [uuid(), tenantId, providerId, subjectIndex, sealed, at, at]
      const [row] = await em.execute<{ id: string }[]>(UPSERT, values)
      if (!row) throw new Error('an upsert returns its row')
      await em.execute('delete from openid_user_claims where tenant_id = ? and user_id = ?', [tenantId, row.id])
      await indexUser(em, tenantId, row.id, digests)
      return row.id
    },

    /** Newest first. Throws `authentication_provider.not_found` for a provider that the tenant does not have. */
    listUsers: (tenantId: string, { limit, offset }: Page, providerId?: string) =>
      inTenant(database.tenants, tenantId, async (em) => {
        if (providerId !== undefined) await findProvider(em, providerId)
        const orderBy = { createdAt: 'desc', id: 'asc' } as const
        const where = providerId === undefined ? {} : { providerId }
        const [rows, total] = await em.findAndCount(OpenIdUser, where, { orderBy, limit, offset })
        return { users: await toRecords(em, rows), total }
      }),

    /**
     * Finds users that have every one of the claims, exactly. Throws `user.not_found` where nobody matches,
     * `authentication_provider.not_found`, `request.invalid`.
     */
    async searchUsers(tenantId: string, { providerId, subjectId, claims }: UserSearch, { limit, offset }: Page) {
      const criteria = criteriaOf(claims)
      return inTenant(database.tenants, tenantId, async (em) => {
        const providers =
          providerId === undefined
            ? (await em.find(AuthenticationProvider, {})).map(({ id }) => id)
            : [(await findProvider(em, providerId)).id]
        const conditions = ['u.tenant_id = ?']
        const values: unknown[] = [tenantId]
        if (providerId !== undefined) {
          conditions.push('u.provider_id = ?')
          values.push(providerId)
        }
        if (subjectId !== undefined) {
          conditions.push(`u.subject_index in (${DIGESTS})`)
          values.push(hexOf(providers.map((id) => index.ofSubject(tenantId, id, subjectId))))
        }
        for (const leaf of criteria) {
          const claimed =
            'select from openid_user_claims c where c.tenant_id = ? and c.claim_index = ? and c.user_id = u.id'
          conditions.push(`exists (${claimed})`)
          values.push(tenantId, index.ofClaim(tenantId, leaf))
        }
        const found = `from openid_users u where ${conditions.join(' and ')}`
        const [count] = await em.execute<{ total: number }[]>(`select count(*)::float8 as total ${found}`, values)
        const total = count?.total ?? 0
        if (total === 0) throw userNotFound('No user matches the search.')
        const page = `select ${COLUMNS} ${found} order by u.created_at desc, u.id limit ? offset ?`
        const rows = await em.execute<UserRow[]>(page, [...values, limit, offset])
        return { users: await toRecords(em, rows), total }
      })
    },
  }
}

export type Users = ReturnType<typeof createUsers>
