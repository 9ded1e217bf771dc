import type { StoredMobileTemplate } from '../../activities/mobile-credentials/templates.ts'
import type { MobileTemplate } from '../../protocol/mobile-credentials/templates.ts'
import { DURATION_UNITS } from '../../protocol/time.ts'
import {
  type KeyAttestationsIn,
  type KeyAttestationsOut,
  keyAttestationsToWire,
  toKeyAttestations,
} from '../credentials/key-attestations.wire.ts'
import { type PageQuery, snakeTotals, toPage } from '../frame/pagination.ts'
import type { Count, JsonObject, TemplateVersion, Uuid } from '../frame/wire.ts'

/** The docType of the credentials. */
export type MobileType = string

/**
 * A whole number; all of them together must not be 0.
 * @isLong expected a whole number
 * @minimum 0 expected 0 or more
 * @maximum 9007199254740991
 */
export type MobileDuration = number

/** Added to the time of issuance in UTC: years and months, then weeks and days, then hours, minutes and seconds. */
export interface MobileExpiration {
  years?: MobileDuration
  months?: MobileDuration
  weeks?: MobileDuration
  days?: MobileDuration
  hours?: MobileDuration
  minutes?: MobileDuration
  seconds?: MobileDuration
}

/**
 * Elements by namespace; each has map_from, a path such as claims.family_name, default_value, or both; required: a missing
 * value is an error.
 */
export type ElementMappings = JsonObject

export interface MobileTemplateQuery extends PageQuery {
  /** Returns only templates of this docType. */
  type?: string
}

export interface MobileTemplateIn {
  type: MobileType
  claim_mappings: ElementMappings
  claim_source_id?: Uuid | null
  /** How long after issuance a credential ends. Default: after a year, or with the certificate of its document signer. */
  expiration?: MobileExpiration | null
  /** Gives each credential an entry in a status list. Default: false. */
  revocable?: boolean | null
  key_attestations?: KeyAttestationsIn | null
}

export interface MobileTemplateOut {
  id: Uuid
  version: TemplateVersion
  type: MobileType
  claim_mappings: ElementMappings
  claim_source_id?: Uuid
  expiration?: MobileExpiration
  revocable: boolean
  key_attestations?: KeyAttestationsOut
}

export interface MobileTemplatePageOut {
  data: MobileTemplateOut[]
  limit: Count
  total_count: Count
  total_pages: Count
}

export const toMobileTemplate = (body: MobileTemplateIn): MobileTemplate => ({
  type: body.type,
  ...(body.claim_source_id && { claimSourceId: body.claim_source_id.toLowerCase() }),
  mappings: body.claim_mappings as MobileTemplate['mappings'], // checked with the template
  ...(body.expiration && {
    expiration: Object.fromEntries(
      DURATION_UNITS.flatMap((unit) => (body.expiration?.[unit] ? [[unit, body.expiration[unit]]] : [])),
    ),
  }),
  revocable: body.revocable ?? false,
  ...toKeyAttestations(body.key_attestations),
})

export const mobileTemplateToWire = ({ id, version, definition }: StoredMobileTemplate): MobileTemplateOut => ({
  id,
  version,
  type: definition.type,
  claim_mappings: definition.mappings,
  ...(definition.claimSourceId && { claim_source_id: definition.claimSourceId }),
  ...(definition.expiration && { expiration: definition.expiration }),
  revocable: definition.revocable,
  ...keyAttestationsToWire(definition.keyAttestations),
})

export const toTemplateFilter = ({ type, limit, page }: MobileTemplateQuery) => ({ type, ...toPage(limit, page) })

export const mobileTemplatesToWire = (
  { templates, total }: { templates: StoredMobileTemplate[]; total: number },
  { limit }: { limit: number },
): MobileTemplatePageOut => ({ data: templates.map(mobileTemplateToWire), ...snakeTotals(total, limit) })
