import { isDeepStrictEqual } from 'node:util'
import { UniqueConstraintViolationException } from '@mikro-orm/core'
import { LockMode, type SqlEntityManager } from '@mikro-orm/postgresql'
import { SemanticTemplate, SemanticTemplateVersion } from '../../entities/credentials/templates.ts'
import { inTenant } from '../../entities/orm.ts'
import {
  type CompactTemplate,
  payloadFromTemplate,
  templateErrors,
  typeKeyOf,
} from '../../protocol/compact-credentials/templates.ts'
import type { Profile } from '../../protocol/compact-credentials/text.ts'
import { Refusal } from '../../protocol/errors.ts'
import type { Json } from '../../protocol/json.ts'
import type { TemplateVersion } from '../credentials/format.ts'
import { refuseIssuer } from '../credentials/refusals.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Call, Operations } from '../frame/operations.ts'
import type { CompactSignRequest } from './sign.ts'

export interface StoredCompactTemplate {
  id: string
  version: number
  definition: CompactTemplate
}

export interface CompactTemplateClaims {
  claims: Json
  issuerDid?: string | null
  tag?: string | null
}

/** Names of the operations, which the log has. */
const CHANGES = {
  compact: { create: 'createCompactCredentialTemplate', update: 'updateCompactCredentialTemplate' },
  'compact-semantic': {
    create: 'createCompactSemanticCredentialTemplate',
    update: 'updateCompactSemanticCredentialTemplate',
  },
} as const

const notFound = () => new Refusal('credential_template.not_found', 'There is no such credential template.')

const templateOf = ({ templateId, version, definition }: SemanticTemplateVersion): StoredCompactTemplate => ({
  id: templateId,
  version,
  definition: definition as CompactTemplate,
})

/** For the engine: a version, by default the current one, also of deleted templates; undefined where there is none. */
export async function readCompactTemplateVersion(
  format: Profile,
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

/** Of two templates of a type that are made at once, the unique index lets one pass (semantic_templates_type). */
function typeTaken(error: unknown): never {
  if (!(error instanceof UniqueConstraintViolationException)) throw error
  throw new Refusal(
    'credential_template.type_taken',
    'Another compact or compact-semantic template of the tenant has this type.',
    [
      {
        path: 'type',
        code: 'unique',
        message: 'expected a type that no other compact or compact-semantic template of the tenant has',
      },
    ],
  )
}

const ISSUER_FIELD = 'issuer_did'
const refuseUnknown = refuseIssuer(ISSUER_FIELD)

/** The sign request that a template makes of claims. An empty issuer is none of the tenant, and not the default one. */
export const requestFrom = (
  profile: Profile,
  { definition }: Pick<StoredCompactTemplate, 'definition'>,
  { claims, issuerDid, tag = null }: CompactTemplateClaims,
  now: Date,
): CompactSignRequest => {
  if (issuerDid === '') throw refuseUnknown({ kind: 'unknown', expected: 'expected a DID of /v1/dids' })
  return {
    payload: payloadFromTemplate(profile, definition, { claims, issuer: issuerDid, now }),
    revocable: definition.revocable,
    tag,
    issuerField: ISSUER_FIELD,
    typeField: 'credential.type', // of the credential that the template makes
  }
}

/**
 * Versioned templates of the credentials of a profile: issued credentials keep their version. Templates of all formats
 * stand in the same tables.
 */
export function createCompactTemplates(
  format: Profile,
  { database, now, uuid, operations }: Pick<Dependencies, 'database' | 'now' | 'uuid'> & { operations: Operations },
) {
  function check(definition: CompactTemplate): CompactTemplate {
    const errors = templateErrors(definition, now(), format)
    if (errors.length > 0)
      throw new Refusal('credential_template.invalid', 'The credential template is not valid; see errors.', errors)
    return JSON.parse(JSON.stringify(definition)) as CompactTemplate // as JSON keeps it
  }

  async function current(em: SqlEntityManager, id: string, lockMode?: LockMode) {
    const template = await em.findOne(SemanticTemplate, { id, format, deletedAt: null }, lockMode ? { lockMode } : {})
    if (!template) throw notFound()
    return { template, last: await em.findOneOrFail(SemanticTemplateVersion, { id: template.versionId }) }
  }

  return {
    async createTemplate(call: Call, input: CompactTemplate): Promise<StoredCompactTemplate> {
      const { tenantId } = call
      const definition = check(input)
      const [id, versionId] = [uuid(), uuid()]
      const { type } = definition
      const made = operations.change(call, CHANGES[format].create, { id }, async (em) => {
        const row = { id, tenantId, format, type, typeKey: typeKeyOf(type), versionId, createdAt: now() }
        em.create(SemanticTemplate, row)
        await em.flush()
        em.create(SemanticTemplateVersion, { id: versionId, tenantId, templateId: id, version: 1, definition })
        return { id, version: 1, definition }
      })
      return made.catch(typeTaken)
    },

    /** Makes the next version, unless the definition is unchanged. */
    async updateTemplate(call: Call, id: string, input: CompactTemplate): Promise<StoredCompactTemplate> {
      const { tenantId } = call
      const definition = check(input)
      const changed = operations.change(call, CHANGES[format].update, { id }, async (em) => {
        const { template, last } = await current(em, id, LockMode.PESSIMISTIC_WRITE)
        if (isDeepStrictEqual(definition, last.definition)) return templateOf(last)
        const [versionId, version] = [uuid(), last.version + 1]
        em.create(SemanticTemplateVersion, { id: versionId, tenantId, templateId: id, version, definition })
        em.assign(template, { versionId, type: definition.type, typeKey: typeKeyOf(definition.type) })
        await em.flush()
        return { id, version, definition }
      })
      return changed.catch(typeTaken)
    },

    readTemplate: (tenantId: string, id: string): Promise<StoredCompactTemplate> =>
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
  }
}

export type CompactTemplates = ReturnType<typeof createCompactTemplates>
