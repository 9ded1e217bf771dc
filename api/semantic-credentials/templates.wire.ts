import type { CredentialTemplate } from '../../activities/semantic-credentials/templates.ts'
import type { ClaimMappings } from '../../protocol/semantic-credentials/templates/claims.ts'
import type { TemplateDefinition } from '../../protocol/semantic-credentials/templates/index.ts'
import type { Count, Did, JsonObject, ProofType, TemplateVersion, Uuid } from '../frame/wire.ts'
import type { SdJwtHolderKey, SdJwtPath } from '../sd-jwt-credentials/wire.ts'
import type { DisplayName } from './presentations.wire.ts'
import type { SignOut } from './wire.ts'

/** A JSON-LD term or IRI. */
export type CredentialType = string

export type Description = string

/** Types besides `type` and VerifiableCredential. */
export type AdditionalTypes = CredentialType[]

/** JSON-LD contexts: a URL, an object, or a list of them; the first one may select the data model. */
export type TemplateContexts = unknown

/** Path of a claim, such as claims.given_name. */
export type ClaimPath = string

/** #rgb, #rrggbb, #rrggbbaa, or a named colour of CSS. */
export type Colour = string

/** An https URL of a public host, or data:image/png, jpeg or webp in base64 of at most 32 KiB. */
export type ImageUrl = string

/** Added to the time of issuance in UTC: years and months, then weeks and days, then hours, minutes and seconds. */
export interface ExpiresIn {
  years?: Duration
  months?: Duration
  weeks?: Duration
  days?: Duration
  hours?: Duration
  minutes?: Duration
  seconds?: Duration
}

/** A whole number; at least one member must not be 0. */
export type Duration = number

export interface ProviderMapping {
  subject_id?: ClaimPath
  url?: ClaimPath
}

export interface CredentialBranding {
  backgroundColor?: Colour | null
  watermarkImageUrl?: ImageUrl | null
}

export interface TemplateIssuer {
  icon_url?: ImageUrl | null
  logo_url?: ImageUrl | null
  name: DisplayName
}

/**
 * Source of a claim: `map_from` (a path such as claims.given_name), else `default_value`. Or, for a claim that is
 * an object, the path of each of its members: address, family_name, given_name, authentication_provider.
 */
export interface ClaimMappingIn {
  map_from?: ClaimPath
  /** Any JSON value except null. */
  default_value?: unknown
  /** true: a missing value is an error. */
  required?: boolean
  address?: ClaimPath
  authentication_provider?: ProviderMapping
  family_name?: ClaimPath
  given_name?: ClaimPath
}

export interface TemplateIn {
  additional_types: AdditionalTypes
  /**
   * Sources of claims, by claim. A path is short for {map_from: path}. Without mappings, all claims are used as they
   * are.
   */
  claim_mappings?: { [claim: string]: ClaimPath | ClaimMappingIn } | null
  claim_source_id?: Uuid | null
  contexts?: TemplateContexts
  credential_branding?: CredentialBranding | null
  description?: Description | null
  expires_in?: ExpiresIn | null
  /**
   * true: claims that no mapping takes are left out of the credential. Otherwise such a claim is refused, and errors
   * names it. Default: false.
   */
  ignore_unmapped?: boolean | null
  issuer: TemplateIssuer
  name: DisplayName
  /** As in the sign operation. Default: the proof type that fits the issuer's key. */
  proof_type?: ProofType | null
  /** Gives each credential an entry in a status list. */
  revocable: boolean
  /**
   * Only with vc+sd-jwt: claims that the holder may leave out, by their paths in the credential, such as credentialSubject
   * and course. Default: every claim of the subject.
   */
  selectively?: SdJwtPath[] | null
  /**
   * Only with vc+sd-jwt: digests that stand for no claim, so that their number does not tell how many claims there are.
   * Default: 0.
   * @isInt expected a whole number
   * @minimum 0
   * @maximum 50
   */
  decoys?: number | null
  type: CredentialType
}

export interface TemplateUpdateIn extends TemplateIn {
  /** May repeat the id of the path. */
  id?: string | null
  /** The version that you changed: if it is no longer the current one, nothing changes (409). */
  version?: TemplateVersion | null
}

export interface TemplateOut extends TemplateIn {
  id: Uuid
  version: TemplateVersion
}

export interface TemplatePageOut {
  data: TemplateOut[]
  limit: Count
  total_count: Count
  total_pages: Count
}

export interface TemplateSignIn {
  /** Claims about the subject; `id` is the subject's id. */
  claims: JsonObject
  /**
   * A DID of the tenant. Default: the tenant's default issuer; without a default issuer, its only DID with a key that
   * fits.
   */
  issuer_did?: Did | null
  /** Of a template with vc+sd-jwt: the key of the holder, which the credential is bound to. Default: none. */
  holder_key?: SdJwtHolderKey | null
  /** Adds a second entry, for suspension; only with a revocable template of data model 2.0. Default: false. */
  suspendable?: boolean
  /**
   * A label to search the credential by; not part of it.
   * @maxLength 255
   */
  tag?: string | null
}

export interface TemplateSignOut extends SignOut {
  template_id: Uuid
  template_version: TemplateVersion
}

export const toDefinition = (body: TemplateIn): TemplateDefinition => ({
  additionalTypes: body.additional_types,
  claimMappings: body.claim_mappings as ClaimMappings | null | undefined,
  claimSourceId: body.claim_source_id,
  contexts: body.contexts,
  credentialBranding: body.credential_branding,
  description: body.description,
  expiresIn: body.expires_in,
  ignoreUnmapped: body.ignore_unmapped,
  issuer: { iconUrl: body.issuer.icon_url, logoUrl: body.issuer.logo_url, name: body.issuer.name },
  name: body.name,
  proofType: body.proof_type,
  revocable: body.revocable,
  selectively: body.selectively,
  decoys: body.decoys,
  type: body.type,
})

/** Returns members as they were sent: absent ones stay absent, null stays null. */
export const templateToWire = ({ id, version, definition }: CredentialTemplate): TemplateOut => ({
  id,
  version,
  additional_types: definition.additionalTypes,
  claim_mappings: definition.claimMappings,
  claim_source_id: definition.claimSourceId,
  contexts: definition.contexts,
  credential_branding: definition.credentialBranding,
  description: definition.description,
  expires_in: definition.expiresIn,
  ignore_unmapped: definition.ignoreUnmapped,
  issuer: {
    icon_url: definition.issuer.iconUrl,
    logo_url: definition.issuer.logoUrl,
    name: definition.issuer.name,
  },
  name: definition.name,
  proof_type: definition.proofType,
  revocable: definition.revocable,
  selectively: definition.selectively,
  decoys: definition.decoys,
  type: definition.type,
})

/** For the API document. */
export const TEMPLATE_EXAMPLE: TemplateOut = {
  id: '5e0f3a7c-8f04-4f5b-9d0a-0d7a2cf5f3b1',
  version: 1,
  name: 'Course certificate',
  description: 'Says which course was passed.',
  type: 'CourseCredential',
  additional_types: ['AlumniCredential'],
  contexts: ['https://www.w3.org/ns/credentials/v2', { '@vocab': 'https://example.edu/terms#' }],
  issuer: {
    name: 'Example University',
    icon_url: 'https://example.edu/icon.png',
    logo_url: 'https://example.edu/l.png',
  },
  credential_branding: { backgroundColor: '#B00AA0', watermarkImageUrl: 'https://example.edu/watermark.png' },
  proof_type: 'eddsa-rdfc-2022',
  revocable: true,
  expires_in: { years: 1 },
  claim_mappings: { givenName: { map_from: 'claims.given_name', required: true }, course: 'claims.course' },
}
