import { isDeepStrictEqual } from 'node:util'
import { LockMode, type SqlEntityManager } from '@mikro-orm/postgresql'
import { SemanticTemplate, SemanticTemplateVersion } from '../../entities/credentials/templates.ts'
import { inTenant } from '../../entities/orm.ts'
import { Refusal } from '../../protocol/errors.ts'
import { type MobileTemplate, mobileTemplateErrors } from '../../protocol/mobile-credentials/templates.ts'
import type { TemplateVersion } from '../credentials/format.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Call, Operations } from '../frame/operations.ts'

export interface StoredMobileTemplate {
  id: string
  version: number
  definition: MobileTemplate
}

const format = 'mobile'

const notFound = () => new Refusal('credential_template.not_found', 'There is no such credential template.')

const templateOf = ({ templateId, version, definition }: SemanticTemplateVersion): StoredMobileTemplate => ({
  id: templateId,
  version,
  definition: definition as MobileTemplate,
})

/** For the engine: a version, by default the current one, also of deleted templates; undefined where there is none. */
export async function readMobileTemplateVersion(
  em: SqlEntityManager,
  id: string,
  version?: number,
): Promise<TemplateVersion | undefined> {
  const template = await em.findOne(SemanticTemplate, { id, format })
  if (!template) return undefined
  const which = version === undefined ? { id: template.versionId } : { templateId: id, version }
  const row = await em.findOne(SemanticTemplateVersion, which)
  return row ? { ...templateOf(row), deleted: template.deletedAt != null } : undefined
}

/** Versioned templates of mobile credentials, in the tables that templates of all formats share. */
export function createMobileTemplates({
  database,
  now,
  uuid,
  operations,
}: Pick<Dependencies, 'database' | 'now' | 'uuid'> & { operations: Operations }) {
  function check(definition: MobileTemplate): MobileTemplate {
    const errors = mobileTemplateErrors(definition, now())
    if (errors.length > 0)
      throw new Refusal('credential_template.invalid', 'The credential template is not valid; see errors.', errors)
    return JSON.parse(JSON.stringify(definition)) as MobileTemplate // as JSON keeps it
  }

  async function current(em: SqlEntityManager, id: string, lockMode?: LockMode) {
    const template = await em.findOne(SemanticTemplate, { id, format, deletedAt: null }, lockMode ? { lockMode } : {})
    if (!template) throw notFound()
    return { template, last: await em.findOneOrFail(SemanticTemplateVersion, { id: template.versionId }) }
  }

  return {
    async createTemplate(call: Call, input: MobileTemplate): Promise<StoredMobileTemplate> {
      const { tenantId } = call
      const definition = check(input)
      const [id, versionId] = [uuid(), uuid()]
      return operations.change(call, 'createMobileCredentialTemplate', { id }, async (em) => {
        const row = { id, tenantId, format, type: definition.type, versionId, createdAt: now() } as const
        em.create(SemanticTemplate, row)
        await em.flush()
        em.create(SemanticTemplateVersion, { id: versionId, tenantId, templateId: id, version: 1, definition })
        return { id, version: 1, definition }
      })
    },

    /** Makes the next version, unless the definition is unchanged. */
    async updateTemplate(call: Call, id: string, input: MobileTemplate): Promise<StoredMobileTemplate> {
      const { tenantId } = call
      const definition = check(input)
      return operations.change(call, 'updateMobileCredentialTemplate', { id }, async (em) => {
        const { template, last } = await current(em, id, LockMode.PESSIMISTIC_WRITE)
        if (isDeepStrictEqual(definition, last.definition)) return templateOf(last)
        const [versionId, version] = [uuid(), last.version + 1]
        em.create(SemanticTemplateVersion, { id: versionId, tenantId, templateId: id, version, definition })
        em.assign(template, { versionId, type: definition.type })
        await em.flush()
        return { id, version, definition }
      })
    },

    readTemplate: (tenantId: string, id: string): Promise<StoredMobileTemplate> =>
      inTenant(database.tenants, tenantId, async (em) => templateOf((await current(em, id)).last)),

    /** Newest first. */
    listTemplates(tenantId: string, { type, limit, offset }: { type?: string; limit: number; offset: number }) {
      return inTenant(database.tenants, tenantId, async (em) => {
        const where = { format, deletedAt: null, ...(type === undefined ? {} : { type }) } as const
        const orderBy = { createdAt: 'desc', id: 'asc' } as const
        const [templates, total] = await em.findAndCount(SemanticTemplate, where, { orderBy, limit, offset })
        const ids = templates.map(({ versionId }) => versionId)
        const versions = await em.find(SemanticTemplateVersion, { id: { $in: ids } })
        const byId = new Map(versions.map((version) => [version.id, version]))
        return { templates: ids.flatMap((id) => byId.get(id) ?? []).map(templateOf), total }
      })
    },
  }
}

export type MobileTemplates = ReturnType<typeof createMobileTemplates>
