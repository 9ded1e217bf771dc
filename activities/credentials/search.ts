import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { Credential } from '../../entities/credentials/credentials.ts'
import { Did } from '../../entities/dids.ts'
import { inTenant } from '../../entities/orm.ts'
import type { FormatName } from '../../protocol/credentials/formats.ts'
import { type CredentialState, stateOf } from '../../protocol/credentials/state.ts'
import { isUuid } from '../../protocol/uuid.ts'
import type { Dependencies } from '../dependencies.ts'
import { credentialNotFound } from './refusals.ts'
import { countStatement, pageStatement, type SearchFilter } from './search.statement.ts'
import { createSubjectIndex } from './subjects.ts'

interface Page {
  limit: number
  offset: number
}

/** Columns of a credential but its document, which can be large. */
export const WITHOUT_DOCUMENT = [
  'id',
  'tenantId',
  'createdAt',
  'didId',
  'documentSignerId',
  'format',
  'tag',
  'types',
  'issuanceDate',
  'expirationDate',
  'statusListId',
  'revoked',
  'suspensionListId',
  'suspended',
  'statusChangedAt',
  'templateId',
  'templateVersion',
  'batchId',
  'batchRow',
] as const

export type CredentialRow = Pick<Credential, (typeof WITHOUT_DOCUMENT)[number]>

/** A credential of any format without its document, which only its format reads. */
export interface CredentialSummary {
  row: CredentialRow
  state: CredentialState
  /** DID of the issuer; undefined for a document signer, and for a DID that was deleted. */
  issuer?: string | undefined
}

export interface Search extends Omit<SearchFilter, 'didIds' | 'documentSignerId' | 'formats' | 'subject'>, Page {
  /** Id of a subject: a DID or another URI. */
  subject?: string | undefined
  /** DID, or our id of it or of a document signer. */
  issuer?: string | undefined
}

/** Formats whose credentials all have the type VerifiableCredential, which no row repeats. */
const OF_W3C: readonly FormatName[] = ['semantic', 'compact-semantic']
const BASE_TYPE = 'VerifiableCredential'

/** The type to search for among credentials of a format; undefined: all of them have it. */
export const searchedType = (format: FormatName, type: string | undefined): string | undefined =>
  type === BASE_TYPE && OF_W3C.includes(format) ? undefined : type

const withoutBase = (formats: readonly FormatName[], type: string | undefined) =>
  type === BASE_TYPE ? { formats: formats.filter((format) => OF_W3C.includes(format)) } : { formats, type }

export const NEWEST_FIRST = { createdAt: 'desc', id: 'asc' } as const

/** Ids of a page, newest first, and the total. */
export async function findPage(em: SqlEntityManager, filter: SearchFilter, page: Page, now: Date) {
  if (filter.formats.length === 0 || filter.didIds?.length === 0) return { ids: [], total: 0 }
  const counted = countStatement(filter, now)
  const [count] = await em.execute<{ total: number }[]>(counted.text, counted.values)
  const paged = pageStatement(filter, page, now)
  const rows = page.limit === 0 ? [] : await em.execute<{ id: string }[]>(paged.text, paged.values)
  return { ids: rows.map(({ id }) => id), total: count?.total ?? 0 }
}

/** Credentials of all formats. */
export function createCredentialSearch({ config, database, now }: Pick<Dependencies, 'config' | 'database' | 'now'>) {
  const subjectIndex = createSubjectIndex(config)

  async function summarise(em: SqlEntityManager, rows: CredentialSummary['row'][]): Promise<CredentialSummary[]> {
    const ids = [...new Set(rows.flatMap(({ didId }) => didId ?? []))]
    const dids = new Map((await em.find(Did, { id: { $in: ids } })).map(({ id, did }) => [id, did]))
    const time = now()
    return rows.map((row) => ({ row, state: stateOf(row, time), issuer: dids.get(row.didId ?? '') }))
  }

  /** An id that is of no DID can only be a document signer's. */
  async function issuedBy(em: SqlEntityManager, issuer: string) {
    const rows = await em.find(Did, isUuid(issuer) ? { id: issuer } : { did: issuer })
    if (rows.length === 0 && isUuid(issuer)) return { documentSignerId: issuer }
    return { didIds: rows.map(({ id }) => id) }
  }

  return {
    /** Credentials of the formats, newest first. */
    searchCredentials(tenantId: string, readable: readonly FormatName[], search: Search) {
      const { issuer, type, subject, limit, offset, ...rest } = search
      return inTenant(database.tenants, tenantId, async (em) => {
        const filter = {
          ...rest,
          ...withoutBase(readable, type),
          ...(subject !== undefined && { subject: subjectIndex.of(tenantId, subject) }),
          ...(issuer === undefined ? {} : await issuedBy(em, issuer)),
        }
        const { ids, total } = await findPage(em, filter, { limit, offset }, now())
        const options = { orderBy: NEWEST_FIRST, fields: WITHOUT_DOCUMENT }
        const rows = ids.length === 0 ? [] : await em.find(Credential, { id: { $in: ids } }, options)
        return { credentials: await summarise(em, rows), total }
      })
    },

    /** A credential of any format. Throws `Refusal('credential.not_found')`. */
    summary(tenantId: string, id: string): Promise<CredentialSummary> {
      return inTenant(database.tenants, tenantId, async (em) => {
        const row = await em.findOne(Credential, { id }, { fields: WITHOUT_DOCUMENT })
        const [summary] = row ? await summarise(em, [row]) : []
        if (!summary) throw credentialNotFound()
        return summary
      })
    },
  }
}

export type CredentialSearch = ReturnType<typeof createCredentialSearch>
