import { UniqueConstraintViolationException } from '@mikro-orm/core'
import { Environment, Tenant } from '../../../entities/administration/tenants.ts'
import type { ImportFailure } from '../../../entities/administration/transfers.ts'
import { TenantImport } from '../../../entities/administration/transfers.ts'
import { asSystem } from '../../../entities/orm.ts'
import { checkSubdomain } from '../../../protocol/administration/tenants/subdomains.ts'
import type { Counts, Header } from '../../../protocol/administration/transfers/file.ts'
import type { Need } from '../../../protocol/administration/transfers/kinds.ts'
import type { ImportState } from '../../../protocol/administration/transfers/work.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Call, Operations } from '../../frame/operations.ts'
import { newSecret } from '../../frame/secrets.ts'
import type { Tenants } from '../../frame/tenants/index.ts'
import { hashClientSecret } from '../../tokens-logs/clients.ts'
import { environmentNotFound } from '../environments.ts'
import { assertSubdomainFree, checkTenantName, findOrganization } from '../tenants/lifecycle.ts'
import { createReception, type FileUpload } from './reception.ts'

/** Days that the report of an import can be read. */
export const IMPORT_DAYS = 30

export interface NewImport {
  environmentId: string
  subdomain: string
  /** Default: the subdomain. */
  name?: string | null
  organizationId?: string | null
}

export interface ImportRecord {
  id: string
  state: ImportState
  /** The tenant that it makes; nobody finds it before the import is done. */
  tenantId: string
  environmentId: string
  subdomain: string
  name: string
  /** What the file says of itself. */
  source: Pick<Header, 'platformVersion' | 'exportedAt' | 'tenant'> | null
  /** Whether rows have the ids of the file. */
  keepsIds: boolean
  /** Lines that are checked or written. */
  lines: number
  /** Rows by kind. */
  counts: Counts
  needs: Need[]
  /** Needs that the list has no room for. */
  moreNeeds: number
  failure: ImportFailure | null
  createdAt: string
  endedAt: string | null
  expiresAt: string
}

/** The secret is shown once. */
export interface CreatedImport extends ImportRecord {
  client: { clientId: string; clientSecret: string | null }
}

export function toImportRecord(row: TenantImport): ImportRecord {
  const { header } = row
  return {
    id: row.id,
    state: row.state,
    tenantId: row.subjectTenantId,
    environmentId: row.environmentId,
    subdomain: row.subdomain,
    name: row.name,
    source: header
      ? { platformVersion: header.platformVersion, exportedAt: header.exportedAt, tenant: header.tenant }
      : null,
    keepsIds: row.keepsIds,
    lines: row.lines,
    counts: row.counts,
    needs: row.needs,
    moreNeeds: row.moreNeeds,
    failure: row.failure ?? null,
    createdAt: row.createdAt.toISOString(),
    endedAt: row.endedAt?.toISOString() ?? null,
    expiresAt: row.expiresAt.toISOString(),
  }
}

const notFound = () => new Refusal('tenant_import.not_found', 'There is no such import, or its time is over.')

const UNDER_WAY = ['CHECKING', 'WRITING', 'DONE'] as const

interface Parts extends Pick<Dependencies, 'config' | 'database' | 'systemSql' | 'now' | 'uuid' | 'outbox' | 'log'> {
  operations: Operations
  tenants: Pick<Tenants, 'first'>
}

/** Imports of tenants, for operators. */
export function createTenantImports(parts: Parts) {
  const { database, now, uuid, outbox, log, operations, tenants } = parts
  const reception = createReception(parts)

  /** Refuses what the creation of a tenant would, before the file is read. */
  async function check({ environmentId, organizationId, ...given }: NewImport) {
    const subdomain = checkSubdomain(given.subdomain)
    const name = checkTenantName(given.name ?? subdomain)
    return asSystem(database.system, async (em) => {
      if (!(await em.findOne(Environment, { id: environmentId }))) throw environmentNotFound()
      return { environmentId, subdomain, name, organizationId: await findOrganization(em, organizationId) }
    })
  }

  /** The import of the same file by the same caller under the same subdomain, unless it failed or its tenant was deleted. */
  const earlier = (call: Call, fileDigest: Buffer, subdomain: string) =>
    asSystem(database.system, async (em) => {
      const same = { clientId: call.clientId, fileDigest, subdomain, state: { $in: [...UNDER_WAY] } }
      const row = await em.findOne(TenantImport, same)
      if (row?.state !== 'DONE' || (await em.findOne(Tenant, { id: row.subjectTenantId, deletedAt: null }))) return row
      // its report stays, and the file may be imported again
      row.fileDigest = null
      return null
    })

  const toAnswer = (row: TenantImport, clientSecret: string | null): CreatedImport => ({
    ...toImportRecord(row),
    client: { clientId: row.firstClientId, clientSecret },
  })

  return {
    /**
     * Stores the file as it arrives, and starts the work. A file that the caller sent before under the subdomain is not
     * imported again. Throws `tenant_import.*`, and what the creation of a tenant throws.
     */
    async receiveTenantImport(call: Call, given: NewImport, upload: FileUpload): Promise<CreatedImport> {
      const wanted = await check(given)
      const [id, secret, createdAt] = [uuid(), newSecret(), now()]
      await asSystem(database.system, async (em) => {
        em.create(TenantImport, {
          ...{ id, ...wanted, state: 'RECEIVING', subjectTenantId: uuid(), firstClientId: uuid() },
          ...{ secretHash: hashClientSecret(secret), counts: {}, needs: [], createdAt },
          ...{ keepsIds: true, segments: 0, segmentAt: 0, lines: 0, moreNeeds: 0 },
          ...{ requestId: call.requestId, clientId: call.clientId },
          expiresAt: new Date(createdAt.getTime() + IMPORT_DAYS * 86_400_000),
        })
      })
      try {
        const { header, segments } = await reception.receive(id, upload)
        const fileDigest = upload.digest()
        const known = await earlier(call, fileDigest, wanted.subdomain)
        if (known) {
          await reception.discard(id)
          return toAnswer(known, null)
        }
        return await operations.changePlatform(call, 'createTenantImport', { id }, async (em) => {
          await assertSubdomainFree(em, wanted.subdomain)
          const row = await em.findOneOrFail(TenantImport, { id })
          Object.assign(row, { state: 'CHECKING', fileDigest, header, segments })
          await em.flush()
          await outbox.start(em, 'importTenant', { tenantId: (await tenants.first()).id, importId: id })
          return toAnswer(row, secret)
        })
      } catch (error) {
        await reception.discard(id).catch((failure: unknown) => {
          log.warn({ err: failure, importId: id }, 'a failed upload could not be discarded; the purge will do it')
        })
        if (!(error instanceof UniqueConstraintViolationException)) throw error
        // of two uploads of one file at the same time the second finds the first
        const known = await earlier(call, upload.digest(), wanted.subdomain)
        if (!known) throw error
        return toAnswer(known, null)
      }
    },

    /** Throws `tenant_import.not_found`. */
    readTenantImport: (id: string): Promise<ImportRecord> =>
      asSystem(database.system, async (em) => {
        const row = await em.findOne(TenantImport, { id, state: { $ne: 'RECEIVING' }, expiresAt: { $gt: now() } })
        if (!row) throw notFound()
        return toImportRecord(row)
      }),

    /** SHA-256 of the file of an import. */
    fileDigestOf: (id: string): Promise<Buffer | undefined> =>
      asSystem(database.system, async (em) => {
        const row = await em.findOne(TenantImport, { id })
        return row?.fileDigest ? Buffer.from(row.fileDigest) : undefined
      }),
  }
}

export type TenantImports = ReturnType<typeof createTenantImports>
