import { isDeepStrictEqual } from 'node:util'
import { LockMode, type SqlEntityManager } from '@mikro-orm/postgresql'
import { SemanticTemplate, SemanticTemplateVersion } from '../../entities/credentials/templates.ts'
import { inTenant } from '../../entities/orm.ts'
import { Refusal } from '../../protocol/errors.ts'
import { type TemplateDefinition, templateErrors } from '../../protocol/semantic-credentials/templates/index.ts'
import type { TemplateVersion } from '../credentials/format.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Call, Operations } from '../frame/operations.ts'
import type { TemplateTrial } from './templates.trial.ts'

export interface CredentialTemplate {
  id: string
  version: number
  definition: TemplateDefinition
}

const notFound = () => new Refusal('credential_template.not_found', 'There is no such credential template.')

const templateOf = ({ templateId, version, definition }: SemanticTemplateVersion): CredentialTemplate => ({
  id: templateId,
  version,
  definition: definition as TemplateDefinition,
})

/** Templates of other formats stand in the same tables. */
const format = 'semantic' as const

/**
 * Returns a version, by default the current one; undefined where there is none. For the engine: also of deleted
 * templates.
 */
export async function readTemplateVersion(
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

/** Versioned credential templates: a change makes a new version, and issued credentials keep theirs. */
export function createCredentialTemplates(
  dependencies: Pick<Dependencies, 'database' | 'now' | 'uuid'> & {
    operations: Operations
    templateTrial: TemplateTrial
  },
) {
  const { database, now, uuid, operations, templateTrial } = dependencies

  /** Returns the definition as JSON keeps it, without undefined members. */
  async function checked(tenantId: string, definition: TemplateDefinition): Promise<TemplateDefinition> {
    const errors = templateErrors(definition, now())
    if (errors.length > 0)
      throw new Refusal('credential_template.invalid', 'The credential template is not valid; see errors.', errors)
    const stored = JSON.parse(JSON.stringify(definition)) as TemplateDefinition
    await templateTrial.assertSignable(tenantId, stored)
    return stored
  }

  async function current(em: SqlEntityManager, id: string, lockMode?: LockMode) {
    const template = await em.findOne(SemanticTemplate, { id, format, deletedAt: null }, lockMode ? { lockMode } : {})
    if (!template) throw notFound()
    return { template, version: await em.findOneOrFail(SemanticTemplateVersion, { id: template.versionId }) }
  }

  return {
    async createTemplate(call: Call, input: TemplateDefinition): Promise<CredentialTemplate> {
      const { tenantId } = call
      const definition = await checked(tenantId, input)
      const [id, versionId] = [uuid(), uuid()]
      return operations.change(call, 'createWebSemanticCredentialTemplate', { id }, async (em) => {
        em.create(SemanticTemplate, { id, tenantId, format, type: definition.type, versionId, createdAt: now() })
        await em.flush()
        em.create(SemanticTemplateVersion, { id: versionId, tenantId, templateId: id, version: 1, definition })
        return { id, version: 1, definition }
      })
    },

    /**
     * Makes the next version, unless the definition is unchanged. `readVersion`: the version that the caller read, if
     * it names one; throws `credential_template.version_differs` if another one is current.
     */
    async updateTemplate(
      call: Call,
      id: string,
      input: TemplateDefinition,
      readVersion?: number,
    ): Promise<CredentialTemplate> {
      const { tenantId } = call
      const definition = await checked(tenantId, input)
      return operations.change(call, 'updateWebSemanticCredentialTemplate', { id }, async (em) => {
        const { template, version: last } = await current(em, id, LockMode.PESSIMISTIC_WRITE)
        if (readVersion !== undefined && readVersion !== last.version)
          throw new Refusal(
            'credential_template.version_differs',
            `The template is at version ${last.version} now. Read it again and change that version.`,
          )
        if (isDeepStrictEqual(definition, last.definition)) return templateOf(last)
        const [versionId, version] = [uuid(), last.version + 1]
        em.create(SemanticTemplateVersion, { id: versionId, tenantId, templateId: id, version, definition })
        template.versionId = versionId
        template.type = definition.type
        return { id, version, definition }
      })
    },

    /** Credentials issued from it stay valid and still name their version. */
    async deleteTemplate(call: Call, id: string): Promise<void> {
      await operations.change(call, 'deleteWebSemanticCredentialTemplate', { id }, async (em) => {
        const { template } = await current(em, id, LockMode.PESSIMISTIC_WRITE)
        template.deletedAt = now()
        return null
      })
    },

    /** Returns the current version of a template, or the given one. */
    readTemplate(tenantId: string, id: string, version?: number): Promise<CredentialTemplate> {
      return inTenant(database.tenants, tenantId, async (em) => {
        const { version: last } = await current(em, id)
        if (version === undefined) return templateOf(last)
        const older = await em.findOne(SemanticTemplateVersion, { templateId: id, version })
        if (!older) throw notFound()
        return templateOf(older)
      })
    },

    /** Returns the template version of a credential, even if the template was deleted. */
    readSource(tenantId: string, id: string, version: number): Promise<CredentialTemplate> {
      return inTenant(database.tenants, tenantId, async (em) =>
        templateOf(await em.findOneOrFail(SemanticTemplateVersion, { templateId: id, version })),
      )
    },

    /** Newest first. */
    listTemplates(tenantId: string, { type, limit, offset }: { type?: string; limit: number; offset: number }) {
      return inTenant(database.tenants, tenantId, async (em) => {
        const where = { format, deletedAt: null, ...(type === undefined ? {} : { type }) }
        const orderBy = { createdAt: 'desc', id: 'asc' } as const
        const [templates, total] = await em.findAndCount(SemanticTemplate, where, { orderBy, limit, offset })
        const versions = await em.find(SemanticTemplateVersion, {
          id: { $in: templates.map(({ versionId }) => versionId) },
        })
        const byId = new Map(versions.map((version) => [version.id, version]))
        const records = templates.flatMap(({ versionId }) => byId.get(versionId) ?? []).map(templateOf)
        return { templates: records, total }
      })
    },
  }
}

export type CredentialTemplates = ReturnType<typeof createCredentialTemplates>
