import type { StoredCompactTemplate } from '../../activities/compact-credentials/templates.ts'
import type { ClaimValue } from '../../protocol/compact-credentials/claims.ts'
import { jtiOfUuid } from '../../protocol/compact-credentials/cwt.ts'
import type { CompactTemplate } from '../../protocol/compact-credentials/templates.ts'
import type { Profile } from '../../protocol/compact-credentials/text.ts'
import { Refusal, within } from '../../protocol/errors.ts'
import { DURATION_UNITS } from '../../protocol/time.ts'
import { type PageQuery, snakeTotals, toPage } from '../frame/pagination.ts'
import type { Count, Did, JsonObject, TemplateVersion, Uuid } from '../frame/wire.ts'
import type { CompactId, CompactSemanticId, DecodedClaims, DecodedSemantic, EncodedCompact } from './wire.ts'

/** Unique among the tenant's compact and compact-semantic templates, without white space, and not VerifiableCredential. */
export type CompactType = string

/**
 * A whole number; all of them together must not be 0.
 * @isLong expected a whole number
 * @minimum 0 expected 0 or more
 * @maximum 9007199254740991
 */
export type CompactDuration = number

/** Added to the time of issuance in UTC: years and months, then weeks and days, then hours, minutes and seconds. */
export interface CompactExpiration {
  years?: CompactDuration
  months?: CompactDuration
  weeks?: CompactDuration
  days?: CompactDuration
  hours?: CompactDuration
  minutes?: CompactDuration
  seconds?: CompactDuration
}

/**
 * Source of a claim: map_from, a path such as claims.given_name, else default_value; required: a missing value is an
 * error. The names mapFrom and defaultValue mean the same.
 */
export type CompactMapping = JsonObject

export interface CompactTemplateQuery extends PageQuery {
  /** Returns only the template of this type. */
  type?: string
}

export interface CompactTemplateIn {
  type: CompactType
  /**
   * Source of each claim, by its name. Of a compact credential sub and aud may be among them; of a compact-semantic one
   * they are claims of its subject, and id is the subject's.
   */
  credential_mappings: { [claim: string]: CompactMapping }
  claim_source_id?: Uuid | null
  /** How long after issuance a credential expires. Default: never. */
  expiration?: CompactExpiration | null
  /** Gives each credential an entry in a status list. Default: false. */
  revocable?: boolean | null
}

export interface CompactTemplateOut {
  id: Uuid
  version: TemplateVersion
  type: CompactType
  credential_mappings: { [claim: string]: CompactMapping }
  claim_source_id?: Uuid
  expiration?: CompactExpiration
  revocable: boolean
}

export interface CompactTemplatePageOut {
  templates: CompactTemplateOut[]
  limit: Count
  total_count: Count
  total_pages: Count
}

export interface CompactTemplateSignIn {
  /** Claims of which the template's mappings take what they name. */
  claims: JsonObject
  /** A DID of the tenant. Default: its default issuer, or without one its only DID with a key that fits. */
  issuer_did?: Did | null
  /**
   * A label to search the credential by; not part of it.
   * @maxLength 255
   */
  tag?: string | null
}

export interface CompactTemplateSignOut {
  id: CompactId
  encoded: EncodedCompact
  decoded: DecodedClaims
  template_id: Uuid
  template_version: TemplateVersion
}

export interface CompactSemanticTemplateSignOut {
  id: CompactSemanticId
  encoded: EncodedCompact
  decoded: DecodedSemantic
  template_id: Uuid
  template_version: TemplateVersion
}

type Mapping = CompactTemplate['mappings'][string]

const isValue = (value: unknown): value is ClaimValue => ['string', 'number', 'boolean'].includes(typeof value)

/** Each member, under its two names, with its check. */
const MEMBERS = new Map<string, [member: keyof Mapping, check: (value: unknown) => boolean, expected: string]>([
  ['map_from', ['mapFrom', (value) => typeof value === 'string', 'expected a path such as claims.given_name']],
  ['mapFrom', ['mapFrom', (value) => typeof value === 'string', 'expected a path such as claims.given_name']],
  ['default_value', ['defaultValue', isValue, 'expected a text, a number or true or false']],
  ['defaultValue', ['defaultValue', isValue, 'expected a text, a number or true or false']],
  ['required', ['required', (value) => typeof value === 'boolean', 'expected true or false']],
])

function mappingOf(name: string, given: JsonObject): Mapping {
  const refuse = (member: string, message: string) =>
    new Refusal('credential_template.invalid', 'The credential template is not valid; see errors.', [
      {
        path: within('credential_mappings', name.slice(0, 255), member.slice(0, 255)),
        code: 'credential_template.claim_mapping',
        message,
      },
    ])
  const mapping = new Map<keyof Mapping, unknown>()
  for (const [wireName, value] of Object.entries(given)) {
    const [member, check, expected] = MEMBERS.get(wireName) ?? []
    if (!member || !check) throw refuse(wireName, 'expected one of map_from, default_value, required')
    if (value === undefined || value === null) continue
    if (mapping.has(member)) throw refuse(wireName, 'expected one of its two names')
    if (!check(value)) throw refuse(wireName, String(expected))
    mapping.set(member, value)
  }
  return Object.fromEntries(mapping) as Mapping
}

export const toDefinition = (body: CompactTemplateIn): CompactTemplate => ({
  type: body.type,
  ...(body.claim_source_id && { claimSourceId: body.claim_source_id }),
  mappings: Object.fromEntries(
    Object.entries(body.credential_mappings).map(([name, mapping]) => [name, mappingOf(name, mapping)]),
  ),
  ...(body.expiration && {
    expiration: Object.fromEntries(
      DURATION_UNITS.flatMap((unit) => (body.expiration?.[unit] ? [[unit, body.expiration[unit]]] : [])),
    ),
  }),
  revocable: body.revocable ?? false,
})

export const templateToWire = ({ id, version, definition }: StoredCompactTemplate): CompactTemplateOut => ({
  id,
  version,
  type: definition.type,
  credential_mappings: Object.fromEntries(
    Object.entries(definition.mappings).map(([name, { mapFrom, defaultValue, required }]) => [
      name,
      {
        ...(mapFrom !== undefined && { map_from: mapFrom }),
        ...(defaultValue !== undefined && { default_value: defaultValue }),
        ...(required !== undefined && { required }),
      },
    ]),
  ),
  ...(definition.claimSourceId && { claim_source_id: definition.claimSourceId }),
  ...(definition.expiration && { expiration: definition.expiration }),
  revocable: definition.revocable,
})

export const toFilter = ({ type, limit, page }: CompactTemplateQuery) => ({ type, ...toPage(limit, page) })

export const templatesToWire = (
  { templates, total }: { templates: StoredCompactTemplate[]; total: number },
  { limit }: { limit: number },
): CompactTemplatePageOut => ({ templates: templates.map(templateToWire), ...snakeTotals(total, limit) })

export const toClaims = ({ claims, issuer_did: issuerDid, tag }: CompactTemplateSignIn) => ({ claims, issuerDid, tag })

interface SignedFromTemplate {
  id: string
  encoded: string
  decoded: object
  template: { id: string; version: number }
}

/** Each profile has a prefix of its own in the id. */
export const signedToWire = ({ id, encoded, decoded, template }: SignedFromTemplate, profile: Profile) => ({
  id: jtiOfUuid(id, profile),
  encoded,
  decoded: { ...decoded },
  template_id: template.id,
  template_version: template.version,
})
