import { isDeepStrictEqual } from 'node:util'
import { LockMode, type SqlEntityManager } from '@mikro-orm/postgresql'
import { SemanticTemplate, SemanticTemplateVersion } from '../../entities/credentials/templates.ts'
import { inTenant } from '../../entities/orm.ts'
import { Refusal } from '../../protocol/errors.ts'
import { sdJwtTemplateErrors } from '../../protocol/sd-jwt-credentials/templates.rules.ts'
import type { SdJwtTemplate, SdJwtTemplateInput } from '../../protocol/sd-jwt-credentials/templates.ts'
import { hostedType, typeDocument } from '../../protocol/sd-jwt-credentials/types.hosted.ts'
import type { TemplateVersion } from '../credentials/format.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Call, Operations } from '../frame/operations.ts'
import type { Tenants } from '../frame/tenants/index.ts'

export interface StoredSdJwtTemplate {
  id: string
  version: number
  definition: SdJwtTemplate
}

const format = 'sd-jwt-vc' as const

/** Of PostgreSQL's integers: an address may have any number. */
const MAX_VERSION = 2_147_483_647

const notFound = () => new Refusal('credential_template.not_found', 'There is no such credential template.')

const templateOf = ({ templateId, version, definition }: SemanticTemplateVersion): StoredSdJwtTemplate => ({
  id: templateId,
  version,
  definition: definition as SdJwtTemplate,
})

/** For the engine: a version, by default the current one, also of deleted templates; undefined where there is none. */
export async function readSdJwtTemplateVersion(
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

interface Parts extends Pick<Dependencies, 'database' | 'now' | 'uuid'> {
  operations: Operations
  tenants: Pick<Tenants, 'byId'>
}

/**
 * Versioned templates of SD-JWT VC credentials. The metadata of a type stays as it is at its address, because issued
 * credentials name their digest: a change of it gets an address with another version.
 */
export function createSdJwtTemplates({ database, now, uuid, operations, tenants }: Parts) {
  function check(input: SdJwtTemplateInput): SdJwtTemplateInput {
    const errors = sdJwtTemplateErrors(input, now())
    if (errors.length > 0)
      throw new Refusal('credential_template.invalid', 'The credential template is not valid; see errors.', errors)
    return JSON.parse(JSON.stringify(input)) as SdJwtTemplateInput // as JSON keeps it
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
      const same = typeDocument(last.vct, input)
      if (same === last.hosted.document) return { ...input, vct: last.vct, hosted: last.hosted }
    }
    const vct = hostedType(baseUrl, id, version)
    return { ...input, vct, hosted: { version, document: typeDocument(vct, input) } }
  }

  async function current(em: SqlEntityManager, id: string, lockMode?: LockMode) {
    const template = await em.findOne(SemanticTemplate, { id, format, deletedAt: null }, lockMode ? { lockMode } : {})
    if (!template) throw notFound()
    return { template, last: await em.findOneOrFail(SemanticTemplateVersion, { id: template.versionId }) }
  }

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
        const { template, last } = await current(em, id, LockMode.PESSIMISTIC_WRITE)
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
        const { template } = await current(em, id, LockMode.PESSIMISTIC_WRITE)
        template.deletedAt = now()
        return null
      })
    },

    readTemplate: (tenantId: string, id: string): Promise<StoredSdJwtTemplate> =>
      inTenant(database.tenants, tenantId, async (em) => templateOf((await current(em, id)).last)),

    /** Newest first. */
    listTemplates(tenantId: string, { type, limit, offset }: { type?: string; limit: number; offset: number }) {
      return inTenant(database.tenants, tenantId, async (em) => {
        const where = { format, deletedAt: null, ...(type === undefined ? {} : { type }) }
        const orderBy = { createdAt: 'desc', id: 'asc' } as const
        const [templates, total] = await em.findAndCount(SemanticTemplate, where, { orderBy, limit, offset })
        const ids = templates.map(({ versionId }) => versionId)
        const versions = await em.find(SemanticTemplateVersion, { id: { $in: ids } })
        const byId = new Map(versions.map((version) => [version.id, version]))
        return { templates: ids.flatMap((id) => byId.get(id) ?? []).map(templateOf), total }
      })
    },

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
