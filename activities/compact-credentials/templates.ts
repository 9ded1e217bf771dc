import { isDeepStrictEqual } from 'node:util'
import { UniqueConstraintViolationException } from '@mikro-orm/core'
import { SemanticTemplate, SemanticTemplateVersion } from '../../entities/credentials/templates.ts'
import {
  type CompactTemplate,
  payloadFromTemplate,
  templateErrors,
  typeKeyOf,
} from '../../protocol/compact-credentials/templates.ts'
import type { Profile } from '../../protocol/compact-credentials/text.ts'
import { Refusal } from '../../protocol/errors.ts'
import type { Json } from '../../protocol/json.ts'
import { refuseIssuer } from '../credentials/refusals.ts'
import { createTemplateReading, keptDefinition, type StoredTemplate, templateOf } from '../credentials/templates.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Call, Operations } from '../frame/operations.ts'
import type { CompactSignRequest } from './sign.ts'

export type StoredCompactTemplate = StoredTemplate<CompactTemplate>

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
  const check = (definition: CompactTemplate): CompactTemplate =>
    keptDefinition(definition, templateErrors(definition, now(), format))

  const { locked, readTemplate, listTemplates } = createTemplateReading<CompactTemplate>(format, { database })

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
        const { template, last } = await locked(em, id)
        if (isDeepStrictEqual(definition, last.definition)) return templateOf<CompactTemplate>(last)
        const [versionId, version] = [uuid(), last.version + 1]
        em.create(SemanticTemplateVersion, { id: versionId, tenantId, templateId: id, version, definition })
        em.assign(template, { versionId, type: definition.type, typeKey: typeKeyOf(definition.type) })
        await em.flush()
        return { id, version, definition }
      })
      return changed.catch(typeTaken)
    },

    readTemplate,
    listTemplates,
  }
}

export type CompactTemplates = ReturnType<typeof createCompactTemplates>
