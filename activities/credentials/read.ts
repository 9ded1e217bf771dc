import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { Credential } from '../../entities/credentials/credentials.ts'
import { inTenant } from '../../entities/orm.ts'
import type { FormatName } from '../../protocol/credentials/formats.ts'
import type { Json } from '../../protocol/data-integrity/index.ts'
import type { Dependencies } from '../dependencies.ts'
import { credentialNotFound } from './refusals.ts'
import { type CredentialRow, findPage, NEWEST_FIRST, searchedType, WITHOUT_DOCUMENT } from './search.ts'

async function find(
  em: SqlEntityManager,
  id: string,
  format: FormatName | undefined,
  kept: boolean,
): Promise<Credential> {
  const credential = await em.findOne(Credential, { id, ...(format && { format }) }, { filters: { kept } })
  if (!credential) throw credentialNotFound()
  return credential
}

/** Finds a credential, by default of any format. Throws `Refusal('credential.not_found')`, also for an erased one. */
export const findCredential = (em: SqlEntityManager, id: string, format?: FormatName): Promise<Credential> =>
  find(em, id, format, true)

/** The same for its status alone, which an erased one has as well. Its document must not be read. */
export const findStatusOf = (em: SqlEntityManager, id: string, format?: FormatName) => find(em, id, format, false)

/** The document of a credential of a format whose documents are JSON. */
export function jsonOf({ id, document }: Pick<Credential, 'id' | 'document'>): Json {
  if (!document) throw new Error(`the document of credential ${id} is not JSON`)
  return document
}

export interface CredentialFilter {
  tag?: string
  /** One of its types. */
  type?: string
  limit: number
  offset: number
}

/** `iss` of a compact JSON document, which stays in the database. */
const ISS_OF = `select id, document->'decoded'->>'iss' as iss from credentials where id = any (string_to_array(?, ' ')::uuid[])`

/** Credentials of a format, as they were recorded. */
export const createCredentialReader = ({ database, now }: Pick<Dependencies, 'database' | 'now'>) => {
  const pageOf = (em: SqlEntityManager, format: FormatName, { tag, type, limit, offset }: CredentialFilter) =>
    findPage(em, { formats: [format], tag, type: searchedType(format, type) }, { limit, offset }, now())

  async function withoutDocuments(em: SqlEntityManager, ids: readonly string[]): Promise<CredentialRow[]> {
    const options = { orderBy: NEWEST_FIRST, fields: WITHOUT_DOCUMENT }
    return ids.length === 0 ? [] : em.find(Credential, { id: { $in: [...ids] } }, options)
  }

  return {
    /** Newest first, with their documents. */
    listCredentials(tenantId: string, format: FormatName, filter: CredentialFilter) {
      return inTenant(database.tenants, tenantId, async (em) => {
        const { ids, total } = await pageOf(em, format, filter)
        const options = { orderBy: NEWEST_FIRST }
        const credentials = ids.length === 0 ? [] : await em.find(Credential, { id: { $in: ids } }, options)
        return { credentials, total }
      })
    },

    /** The same without documents. */
    listRows(tenantId: string, format: FormatName, filter: CredentialFilter) {
      return inTenant(database.tenants, tenantId, async (em) => {
        const { ids, total } = await pageOf(em, format, filter)
        return { rows: await withoutDocuments(em, ids), total }
      })
    },

    /** The same with the `iss` that stands in the document, of a format whose documents have it in `decoded`. */
    listNamed(tenantId: string, format: FormatName, filter: CredentialFilter) {
      return inTenant(database.tenants, tenantId, async (em) => {
        const { ids, total } = await pageOf(em, format, filter)
        const rows = await withoutDocuments(em, ids)
        const named = await em.execute<{ id: string; iss: string | null }[]>(ISS_OF, [ids.join(' ')])
        const byId = new Map(named.map(({ id, iss }) => [id, iss]))
        return { credentials: rows.map((row) => ({ row, iss: byId.get(row.id) ?? undefined })), total }
      })
    },

    /** Throws `Refusal('credential.not_found')`. */
    readCredential(tenantId: string, format: FormatName, id: string): Promise<Credential> {
      return inTenant(database.tenants, tenantId, (em) => findCredential(em, id, format))
    },
  }
}

export type CredentialReader = ReturnType<typeof createCredentialReader>
