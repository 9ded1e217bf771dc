import { isDeepStrictEqual } from 'node:util'
import { SemanticTemplate, SemanticTemplateVersion } from '../../entities/credentials/templates.ts'
import { type MobileTemplate, mobileTemplateErrors } from '../../protocol/mobile-credentials/templates.ts'
import {
  createTemplateReading,
  keptDefinition,
  type StoredTemplate,
  templateOf,
  versionReader,
} from '../credentials/templates.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Call, Operations } from '../frame/operations.ts'

export type StoredMobileTemplate = StoredTemplate<MobileTemplate>

const format = 'mobile'

export const readMobileTemplateVersion = versionReader(format)

/** Versioned templates of mobile credentials, in the tables that templates of all formats share. */
export function createMobileTemplates({
  database,
  now,
  uuid,
  operations,
}: Pick<Dependencies, 'database' | 'now' | 'uuid'> & { operations: Operations }) {
  const check = (definition: MobileTemplate): MobileTemplate =>
    keptDefinition(definition, mobileTemplateErrors(definition, now()))

  const { locked, readTemplate, listTemplates } = createTemplateReading<MobileTemplate>(format, { database })

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
        const { template, last } = await locked(em, id)
        if (isDeepStrictEqual(definition, last.definition)) return templateOf(last)
        const [versionId, version] = [uuid(), last.version + 1]
        em.create(SemanticTemplateVersion, { id: versionId, tenantId, templateId: id, version, definition })
        em.assign(template, { versionId, type: definition.type })
        await em.flush()
        return { id, version, definition }
      })
    },

    readTemplate,
    listTemplates,
  }
}

export type MobileTemplates = ReturnType<typeof createMobileTemplates>
