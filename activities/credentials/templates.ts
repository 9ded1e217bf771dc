import { LockMode, type SqlEntityManager } from '@mikro-orm/postgresql'
import { SemanticTemplate, SemanticTemplateVersion } from '../../entities/credentials/templates.ts'
import { inTenant } from '../../entities/orm.ts'
import type { FormatName } from '../../protocol/credentials/formats.ts'
import { type FieldError, Refusal } from '../../protocol/errors.ts'
import type { Dependencies } from '../dependencies.ts'
import type { CredentialFormat, TemplateRef } from './format.ts'

/** A version of a template as its format reads it. */
export interface StoredTemplate<Definition extends object> extends TemplateRef {
  definition: Definition
}

export const templateNotFound = () =>
  new Refusal('credential_template.not_found', 'There is no such credential template.')

export const templateOf = <Definition extends object>({
  templateId,
  version,
  definition,
}: SemanticTemplateVersion): StoredTemplate<Definition> => ({
  id: templateId,
  version,
  definition: definition as Definition,
})

/** Public metadata and workflows carry definitions, many at a time. */
const MAX_DEFINITION_BYTES = 512 * 1024

/** Throws `Refusal('credential_template.invalid')` for errors, if there are any. */
export function refuseTemplate(errors: FieldError[]): void {
  if (errors.length > 0)
    throw new Refusal('credential_template.invalid', 'The credential template is not valid; see errors.', errors)
}

/** Returns the definition as JSON keeps it, without undefined members. Throws `Refusal('credential_template.invalid')`. */
export function keptDefinition<Definition extends object>(definition: Definition, errors: FieldError[]): Definition {
  const text = JSON.stringify(definition)
  const isLong = Buffer.byteLength(text) > MAX_DEFINITION_BYTES
  const all = isLong ? [...errors, { path: '', code: 'length', message: 'expected at most 512 KiB of JSON' }] : errors
  refuseTemplate(all)
  return JSON.parse(text) as Definition
}

/** For the engine: a version, by default the current one, also of deleted templates; undefined where there is none. */
export const versionReader =
  (format: FormatName): NonNullable<CredentialFormat['readTemplate']> =>
  async (em, id, version) => {
    const template = await em.findOne(SemanticTemplate, { id, format })
    if (!template) return undefined
    const which = version === undefined ? { id: template.versionId } : { templateId: id, version }
    const row = await em.findOne(SemanticTemplateVersion, which)
    return row ? { ...templateOf(row), deleted: template.deletedAt != null } : undefined
  }

/** Reads the templates of a format; those of all formats stand in the same tables. */
export function createTemplateReading<Definition extends object>(
  format: FormatName,
  { database }: Pick<Dependencies, 'database'>,
) {
  /** Throws `Refusal('credential_template.not_found')`. */
  async function current(em: SqlEntityManager, id: string, lockMode?: LockMode) {
    const template = await em.findOne(SemanticTemplate, { id, format, deletedAt: null }, lockMode ? { lockMode } : {})
    if (!template) throw templateNotFound()
    return { template, last: await em.findOneOrFail(SemanticTemplateVersion, { id: template.versionId }) }
  }

  return {
    /** The row of a template, with its current version. */
    current,

    /** As `current`, until the transaction ends. */
    locked: (em: SqlEntityManager, id: string) => current(em, id, LockMode.PESSIMISTIC_WRITE),

    readTemplate: (tenantId: string, id: string): Promise<StoredTemplate<Definition>> =>
      inTenant(database.tenants, tenantId, async (em) => templateOf<Definition>((await current(em, id)).last)),

    /** Newest first. */
    listTemplates(tenantId: string, { type, limit, offset }: { type?: string; limit: number; offset: number }) {
      return inTenant(database.tenants, tenantId, async (em) => {
        const where = { format, deletedAt: null, ...(type === undefined ? {} : { type }) }
        const orderBy = { createdAt: 'desc', id: 'asc' } as const
        const [templates, total] = await em.findAndCount(SemanticTemplate, where, { orderBy, limit, offset })
        const ids = templates.map(({ versionId }) => versionId)
        const versions = await em.find(SemanticTemplateVersion, { id: { $in: ids } })
        const byId = new Map(versions.map((version) => [version.id, version]))
        return { templates: ids.flatMap((id) => byId.get(id) ?? []).map((row) => templateOf<Definition>(row)), total }
      })
    },
  }
}
