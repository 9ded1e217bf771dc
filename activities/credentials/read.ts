import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { Credential } from '../../entities/credentials/credentials.ts'
import { inTenant } from '../../entities/orm.ts'
import type { FormatName } from '../../protocol/credentials/formats.ts'
import type { Json } from '../../protocol/data-integrity/index.ts'
import type { Dependencies } from '../dependencies.ts'
import { credentialNotFound } from './refusals.ts'
import { findPage, searchedType } from './search.ts'

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

/** Credentials of a format, as they were recorded. */
export const createCredentialReader = ({ database, now }: Pick<Dependencies, 'database' | 'now'>) => ({
  /** Newest first. */
  listCredentials(tenantId: string, format: FormatName, { tag, type, limit, offset }: CredentialFilter) {
    return inTenant(database.tenants, tenantId, async (em) => {
      const { ids, total } = await findPage(
        em,
        { formats: [format], tag, type: searchedType(format, type) },
        { limit, offset },
        now(),
      )
      const orderBy = { createdAt: 'desc', id: 'asc' } as const
      const credentials = ids.length === 0 ? [] : await em.find(Credential, { id: { $in: ids } }, { orderBy })
      return { credentials, total }
    })
  },

  /** Throws `Refusal('credential.not_found')`. */
  readCredential(tenantId: string, format: FormatName, id: string): Promise<Credential> {
    return inTenant(database.tenants, tenantId, (em) => findCredential(em, id, format))
  },
})

export type CredentialReader = ReturnType<typeof createCredentialReader>
