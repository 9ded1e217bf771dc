import { isDeepStrictEqual } from 'node:util'
import { SemanticTemplate, SemanticTemplateVersion } from '../../entities/credentials/templates.ts'
import { inTenant } from '../../entities/orm.ts'
import { Refusal } from '../../protocol/errors.ts'
import { type TemplateDefinition, templateErrors } from '../../protocol/semantic-credentials/templates/index.ts'
import {
  createTemplateReading,
  keptDefinition,
  type StoredTemplate,
  templateNotFound,
  templateOf,
  versionReader,
} from '../credentials/templates.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Call, Operations } from '../frame/operations.ts'
import type { TemplateTrial } from './templates.trial.ts'

export type CredentialTemplate = StoredTemplate<TemplateDefinition>

/** Templates of other formats stand in the same tables. */
const format = 'semantic' as const

export const readTemplateVersion = versionReader(format)

/** Versioned credential templates: a change makes a new version, and issued credentials keep theirs. */
export function createCredentialTemplates(
  dependencies: Pick<Dependencies, 'database' | 'now' | 'uuid'> & {
    operations: Operations
    templateTrial: TemplateTrial
  },
) {
  const { database, now, uuid, operations, templateTrial } = dependencies

  async function checked(tenantId: string, definition: TemplateDefinition): Promise<TemplateDefinition> {
    const stored = keptDefinition(definition, templateErrors(definition, now()))
    await templateTrial.assertSignable(tenantId, stored)
    return stored
  }

  const { current, locked, listTemplates } = createTemplateReading<TemplateDefinition>(format, { database })

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
        const { template, last } = await locked(em, id)
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
        const { template } = await locked(em, id)
        template.deletedAt = now()
        return null
      })
    },

    /** Returns the current version of a template, or the given one. */
    readTemplate(tenantId: string, id: string, version?: number): Promise<CredentialTemplate> {
      return inTenant(database.tenants, tenantId, async (em) => {
        const { last } = await current(em, id)
        if (version === undefined) return templateOf(last)
        const older = await em.findOne(SemanticTemplateVersion, { templateId: id, version })
        if (!older) throw templateNotFound()
        return templateOf(older)
      })
    },

    /** Returns the template version of a credential, even if the template was deleted. */
    readSource(tenantId: string, id: string, version: number): Promise<CredentialTemplate> {
      return inTenant(database.tenants, tenantId, async (em) =>
        templateOf(await em.findOneOrFail(SemanticTemplateVersion, { templateId: id, version })),
      )
    },

    listTemplates,
  }
}

export type CredentialTemplates = ReturnType<typeof createCredentialTemplates>
