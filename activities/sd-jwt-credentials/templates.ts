import { isDeepStrictEqual } from 'node:util'
import { SemanticTemplate, SemanticTemplateVersion } from '../../entities/credentials/templates.ts'
import { inTenant } from '../../entities/orm.ts'
import { Refusal } from '../../protocol/errors.ts'
import { sdJwtTemplateErrors } from '../../protocol/sd-jwt-credentials/templates.rules.ts'
import type { SdJwtTemplate, SdJwtTemplateInput } from '../../protocol/sd-jwt-credentials/templates.ts'
import { hostedType, typeDocument, typeDocumentErrors } from '../../protocol/sd-jwt-credentials/type-metadata/hosted.ts'
import {
  createTemplateReading,
  keptDefinition,
  refuseTemplate,
  type StoredTemplate,
  templateOf,
  versionReader,
} from '../credentials/templates.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Call, Operations } from '../frame/operations.ts'
import type { Tenants } from '../frame/tenants/index.ts'

export type StoredSdJwtTemplate = StoredTemplate<SdJwtTemplate>

const format = 'sd-jwt-vc' as const

/** Of PostgreSQL's integers: an address may have any number. */
const MAX_VERSION = 2_147_483_647

export const readSdJwtTemplateVersion = versionReader(format)

interface Parts extends Pick<Dependencies, 'database' | 'now' | 'uuid'> {
  operations: Operations
  tenants: Pick<Tenants, 'byId'>
}

/**
 * Versioned templates of SD-JWT VC credentials. The metadata of a type stays as it is at its address, because issued
 * credentials name their digest: a change of it gets an address with another version.
 */
export function createSdJwtTemplates({ database, now, uuid, operations, tenants }: Parts) {
  const check = (input: SdJwtTemplateInput): SdJwtTemplateInput =>
    keptDefinition(input, sdJwtTemplateErrors(input, now()))

  /** The metadata of a type, if it can be hosted. Throws `Refusal('credential_template.invalid')`. */
  function documentOf(vct: string, input: SdJwtTemplateInput): string {
    const document = typeDocument(vct, input)
    refuseTemplate(typeDocumentErrors(document, input))
    return document
  }

  /** The definition of a version, with the type that it names; `last`: the version before. */
  async function versionOf(
    tenantId: string,
    id: string,
    version: number,
    input: SdJwtTemplateInput,
    last?: SdJwtTemplate,
  ): Promise<SdJwtTemplate> {
    if (input.vct !== undefined) return { ...input, vct: input.vct }
    const { baseUrl } = await tenants.byId(tenantId)
    if (last?.hosted && last.vct === hostedType(baseUrl, id, last.hosted.version)) {
      const same = documentOf(last.vct, input)
      if (same === last.hosted.document) return { ...input, vct: last.vct, hosted: last.hosted }
    }
    const vct = hostedType(baseUrl, id, version)
    return { ...input, vct, hosted: { version, document: documentOf(vct, input) } }
  }

  const { locked, readTemplate, listTemplates } = createTemplateReading<SdJwtTemplate>(format, { database })

  return {
    async createTemplate(call: Call, input: SdJwtTemplateInput): Promise<StoredSdJwtTemplate> {
      const { tenantId } = call
      const [id, versionId] = [uuid(), uuid()]
      const definition = await versionOf(tenantId, id, 1, check(input))
      return operations.change(call, 'createSdJwtCredentialTemplate', { id }, async (em) => {
        em.create(SemanticTemplate, { id, tenantId, format, type: definition.vct, versionId, createdAt: now() })
        await em.flush()
        em.create(SemanticTemplateVersion, { id: versionId, tenantId, templateId: id, version: 1, definition })
        return { id, version: 1, definition }
      })
    },

    /** Makes the next version, unless the definition is unchanged. */
    async updateTemplate(call: Call, id: string, input: SdJwtTemplateInput): Promise<StoredSdJwtTemplate> {
      const { tenantId } = call
      const checked = check(input)
      return operations.change(call, 'updateSdJwtCredentialTemplate', { id }, async (em) => {
        const { template, last } = await locked(em, id)
        const [versionId, version] = [uuid(), last.version + 1]
        const definition = await versionOf(tenantId, id, version, checked, last.definition as SdJwtTemplate)
        if (isDeepStrictEqual(definition, last.definition)) return templateOf(last)
        em.create(SemanticTemplateVersion, { id: versionId, tenantId, templateId: id, version, definition })
        em.assign(template, { versionId, type: definition.vct })
        return { id, version, definition }
      })
    },

    /** Credentials issued from it stay valid, and the metadata of their types stays where it is. */
    async deleteTemplate(call: Call, id: string): Promise<void> {
      await operations.change(call, 'deleteSdJwtCredentialTemplate', { id }, async (em) => {
        const { template } = await locked(em, id)
        template.deletedAt = now()
        return null
      })
    },

    readTemplate,
    listTemplates,

    /** The hosted metadata of a type, also of a deleted template. Throws `Refusal('credential_type.not_found')`. */
    readType(tenantId: string, id: string, version: number): Promise<string> {
      return inTenant(database.tenants, tenantId, async (em) => {
        const stored = version <= MAX_VERSION ? await readSdJwtTemplateVersion(em, id, version) : undefined
        const hosted = (stored?.definition as SdJwtTemplate | undefined)?.hosted
        if (hosted?.version === version) return hosted.document
        throw new Refusal('credential_type.not_found', 'There is no such type of credentials.')
      })
    },
  }
}

export type SdJwtTemplates = ReturnType<typeof createSdJwtTemplates>
