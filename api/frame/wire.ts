import { readUuid } from '../../protocol/uuid.ts'

/**
 * @pattern ^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$ expected a UUID
 * @format uuid
 */
export type Uuid = string

/**
 * A date and time with its zone (RFC 3339).
 * @format date-time
 */
export type DateTime = string

/**
 * A decentralized identifier (DID Core 1.0).
 * @example "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK"
 */
export type Did = string

/**
 * An absolute URI.
 * @format uri
 */
export type Uri = string

/**
 * An absolute https URL.
 * @format uri
 */
export type HttpsUrl = string

/**
 * A whole number of things.
 * @isLong expected a whole number
 * @minimum 0
 */
export type Count = number

/**
 * Milliseconds since 1970-01-01T00:00:00Z.
 * @isLong expected a whole number
 */
export type EpochMilliseconds = number

/** A UUID as it is stored; other texts stay as they are. */
export const inLowerCase = (text: string): string => readUuid(text) ?? text

/** An empty object. */
// biome-ignore lint/complexity/noBannedTypes: tsoa turns an empty interface into the empty object schema
export type EmptyOut = {}

/** A JSON object with any members. */
export interface JsonObject {
  [member: string]: unknown
}

/** The status lists of credentials say these two things of a credential. */
export type StatusPurpose = 'revocation' | 'suspension'

/**
 * How a credential is signed. BbsSignature2022 has no published specification: it gives a bbs-2023 proof. vc+jwt,
 * vc+cose and vc+sd-jwt enclose the credential in a JWT, a COSE_Sign1 or an SD-JWT; only in data model 2.0.
 */
export type ProofType = string

/**
 * 1 at first; each change adds 1.
 * @isInt expected a whole number
 * @minimum 1
 */
export type TemplateVersion = number

/** A signed credential of the W3C (data model 1.1 or 2.0); its contexts define further members. */
export type VerifiableCredential = JsonObject
