import type { SdJwtTemplateClaims } from '../../activities/sd-jwt-credentials/templates.sign.ts'
import type { StoredSdJwtTemplate } from '../../activities/sd-jwt-credentials/templates.ts'
import type { PublicJwk } from '../../protocol/dids/jwk.ts'
import type { SdJwtTemplateInput, TemplateClaim, TemplateDisplay } from '../../protocol/sd-jwt-credentials/templates.ts'
import { DURATION_UNITS } from '../../protocol/time.ts'
import {
  type KeyAttestationsIn,
  type KeyAttestationsOut,
  keyAttestationsToWire,
  toKeyAttestations,
} from '../credentials/key-attestations.wire.ts'
import { type PageQuery, snakeTotals, toPage } from '../frame/pagination.ts'
import type { Count, Did, JsonObject, TemplateVersion, Uuid } from '../frame/wire.ts'
import type { SdJwtIssuedAs, SdJwtTemplateSignIn } from './wire.ts'

/** The type of credentials: an https URL with its metadata, or another name that nobody else uses. */
export type SdJwtType = string

/** A digest of the metadata of a type (Subresource Integrity). */
export type SdJwtIntegrity = string

/** What people call it. */
export type SdJwtName = string

/** For people. */
export type SdJwtDescription = string

/** A language tag (BCP 47). */
export type SdJwtLocale = string

/** As #RRGGBB. */
export type SdJwtColor = string

/** An https URL. */
export type SdJwtLogo = string

/**
 * A claim: path, the way to it, with null for every element of an array; map_from, a path such as claims.given_name, else
 * default_value; required: a missing value is an error; disclosure, selectively (default) or always; display, its labels.
 */
export type SdJwtClaim = JsonObject

/**
 * A whole number; all of them together must not be 0.
 * @isLong expected a whole number
 * @minimum 0 expected 0 or more
 * @maximum 9007199254740991
 */
export type SdJwtDuration = number

/** Added to the time of issuance in UTC: years and months, then weeks and days, then hours, minutes and seconds. */
export interface SdJwtExpiration {
  years?: SdJwtDuration
  months?: SdJwtDuration
  weeks?: SdJwtDuration
  days?: SdJwtDuration
  hours?: SdJwtDuration
  minutes?: SdJwtDuration
  seconds?: SdJwtDuration
}

/** What wallets show of the type in a language. */
export interface SdJwtDisplay {
  locale: SdJwtLocale
  name: SdJwtName
  description?: SdJwtDescription | null
  background_color?: SdJwtColor | null
  text_color?: SdJwtColor | null
  logo_url?: SdJwtLogo | null
}

export interface SdJwtTemplateQuery extends PageQuery {
  /** Returns only templates of this vct. */
  type?: string
}

export interface SdJwtTemplateIn {
  name: SdJwtName
  description?: SdJwtDescription | null
  /** A type of the tenant's own. Default: a URL of the platform, which has the metadata of the type. */
  vct?: SdJwtType | null
  /** Of the metadata of the tenant's own type. */
  vct_integrity?: SdJwtIntegrity | null
  claims: SdJwtClaim[]
  /**
   * Digests that stand for no claim, so that their number does not tell how many claims there are. Default: 0.
   * @isInt expected a whole number
   * @minimum 0
   * @maximum 50
   */
  decoys?: number | null
  claim_source_id?: Uuid | null
  /** How long after issuance a credential expires. Default: never. */
  expiration?: SdJwtExpiration | null
  /** Gives each credential an entry in a Token Status List. Default: false. */
  revocable?: boolean | null
  /** Whether wallets must prove a key, which the credential is bound to. Default: true. */
  key_binding?: boolean | null
  key_attestations?: KeyAttestationsIn | null
  display?: SdJwtDisplay[] | null
  /** The type that this one extends. */
  extends?: SdJwtType | null
  extends_integrity?: SdJwtIntegrity | null
  /** Default: x5c with a document_signer_id, or else did. */
  issued_as?: SdJwtIssuedAs | null
  /** Default: the tenant's default issuer, or without one its only DID with a key that fits. */
  issuer_did?: Did | null
  /** With x5c. Default: the usable document signer that was created or changed last. */
  document_signer_id?: Uuid | null
}

export interface SdJwtTemplateOut {
  id: Uuid
  version: TemplateVersion
  name: string
  description?: string
  vct: SdJwtType
  vct_integrity?: SdJwtIntegrity
  /** Whether the platform has the metadata of the type at its URL. */
  hosted: boolean
  claims: SdJwtClaim[]
  decoys: Count
  claim_source_id?: Uuid
  expiration?: SdJwtExpiration
  revocable: boolean
  key_binding: boolean
  key_attestations?: KeyAttestationsOut
  display: SdJwtDisplay[]
  extends?: SdJwtType
  extends_integrity?: SdJwtIntegrity
  issued_as: SdJwtIssuedAs
  issuer_did?: Did
  document_signer_id?: Uuid
}

export interface SdJwtTemplatePageOut {
  data: SdJwtTemplateOut[]
  limit: Count
  total_count: Count
  total_pages: Count
}

/** The members that are given: null is none. */
const given = <T extends object>(members: T): Partial<{ [K in keyof T]: NonNullable<T[K]> }> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== null)) as Partial<{
    [K in keyof T]: NonNullable<T[K]>
  }>

/** The rules of a template look at each member. */
const claimOf = (claim: JsonObject): TemplateClaim =>
  ({ disclosure: 'selectively', ...given(claim) }) as JsonObject as TemplateClaim

const displayOf = (display: SdJwtDisplay): TemplateDisplay => ({
  locale: display.locale,
  name: display.name,
  ...given({
    description: display.description,
    backgroundColor: display.background_color,
    textColor: display.text_color,
    logoUrl: display.logo_url,
  }),
})

export const toTemplate = (body: SdJwtTemplateIn): SdJwtTemplateInput => ({
  name: body.name,
  ...given({
    description: body.description,
    vct: body.vct,
    vctIntegrity: body.vct_integrity,
    claimSourceId: body.claim_source_id?.toLowerCase(),
    extends: body.extends,
    extendsIntegrity: body.extends_integrity,
    issuerDid: body.issuer_did,
    documentSignerId: body.document_signer_id?.toLowerCase(),
  }),
  claims: body.claims.map(claimOf),
  decoys: body.decoys ?? 0,
  ...(body.expiration && {
    expiration: Object.fromEntries(
      DURATION_UNITS.flatMap((unit) => (body.expiration?.[unit] ? [[unit, body.expiration[unit]]] : [])),
    ),
  }),
  revocable: body.revocable ?? false,
  keyBinding: body.key_binding ?? true,
  ...toKeyAttestations(body.key_attestations),
  display: (body.display ?? []).map(displayOf),
  issuedAs: body.issued_as ?? (body.document_signer_id ? 'x5c' : 'did'),
})

export const templateToWire = ({ id, version, definition: it }: StoredSdJwtTemplate): SdJwtTemplateOut => ({
  id,
  version,
  name: it.name,
  vct: it.vct,
  hosted: it.hosted !== undefined,
  ...given({
    description: it.description,
    vct_integrity: it.vctIntegrity,
    claim_source_id: it.claimSourceId,
    expiration: it.expiration,
    extends: it.extends,
    extends_integrity: it.extendsIntegrity,
    issuer_did: it.issuerDid,
    document_signer_id: it.documentSignerId,
  }),
  claims: it.claims.map((claim) => ({ ...claim })),
  decoys: it.decoys,
  revocable: it.revocable,
  key_binding: it.keyBinding,
  ...keyAttestationsToWire(it.keyAttestations),
  display: it.display.map((each) => ({
    locale: each.locale,
    name: each.name,
    ...given({
      description: each.description,
      background_color: each.backgroundColor,
      text_color: each.textColor,
      logo_url: each.logoUrl,
    }),
  })),
  issued_as: it.issuedAs,
})

export const toFilter = ({ type, limit, page }: SdJwtTemplateQuery) => ({
  ...(type !== undefined && { type }),
  ...toPage(limit, page),
})

export const templatesToWire = (
  { templates, total }: { templates: StoredSdJwtTemplate[]; total: number },
  { limit }: { limit: number },
): SdJwtTemplatePageOut => ({ data: templates.map(templateToWire), ...snakeTotals(total, limit) })

export const toClaims = (body: SdJwtTemplateSignIn): SdJwtTemplateClaims => ({
  claims: body.claims,
  ...given({
    issuerDid: body.issuer_did,
    documentSignerId: body.document_signer_id?.toLowerCase(),
    holderKey: body.holder_key as PublicJwk | null | undefined,
  }),
  tag: body.tag ?? null,
})
