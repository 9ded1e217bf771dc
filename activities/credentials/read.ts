import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { inTenant } from '../../entities/orm.ts'
import { SemanticCredential } from '../../entities/semantic-credentials.ts'
import type { FormatName } from '../../protocol/credentials/formats.ts'
import type { Dependencies } from '../dependencies.ts'
import { credentialNotFound } from './refusals.ts'

/** A credential as it is kept, of whichever format. */
export type StoredCredential = SemanticCredential

/** The name of a credential's format. */
export const formatOf = (_credential: StoredCredential): FormatName => 'semantic'

/** Throws `Refusal('credential.not_found')`. */
export async function findCredential(em: SqlEntityManager, id: string): Promise<StoredCredential> {
  const credential = await em.findOne(SemanticCredential, { id })
  if (!credential) throw credentialNotFound()
  return credential
}

export interface CredentialFilter {
  tag?: string
  /** One of its types. */
  type?: string
  limit: number
  offset: number
}

/** Credentials as they were recorded, of whichever format. */
export const createCredentialReader = ({ database }: Pick<Dependencies, 'database'>) => ({
  /** Newest first. */
  listCredentials(tenantId: string, { tag, type, limit, offset }: CredentialFilter) {
    return inTenant(database.tenants, tenantId, async (em) => {
      const where = {
        ...(tag !== undefined ? { tag } : {}),
        ...(type !== undefined ? { types: { $contains: [type] } } : {}),
      }
      const orderBy = { createdAt: 'desc', id: 'asc' } as const
      const [credentials, total] = await em.findAndCount(SemanticCredential, where, { orderBy, limit, offset })
      return { credentials, total }
    })
  },

  /** Throws `Refusal('credential.not_found')`. */
  readCredential(tenantId: string, id: string): Promise<StoredCredential> {
    return inTenant(database.tenants, tenantId, (em) => findCredential(em, id))
  },
})

export type CredentialReader = ReturnType<typeof createCredentialReader>
