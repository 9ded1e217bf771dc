/** Digital Credentials Query Language (OpenID4VP 1.0, section 6). */
export interface DcqlQuery {
  credentials: DcqlCredential[]
  credential_sets?: DcqlSet[]
}

export const DCQL_FORMATS = ['dc+sd-jwt', 'mso_mdoc', 'ldp_vc'] as const
export type DcqlFormat = (typeof DCQL_FORMATS)[number]

/** A claims path pointer (section 7): a name, an index, or null for every element of an array. */
export type ClaimPath = (string | number | null)[]

export interface DcqlClaim {
  id?: string
  path: ClaimPath
  values?: (string | number | boolean)[]
  /** Of an mdoc alone (appendix B.2.4). */
  intent_to_retain?: boolean
}

/** Key identifiers of authorities, in base64url (section 6.1.1.1), or URLs of trust lists that the tenant has (6.1.1.2). */
export interface DcqlAuthorities {
  type: 'aki' | 'etsi_tl'
  values: string[]
}

/** The part of a query that is about one kind of credential (section 6.1). */
export type DcqlCredential = {
  id: string
  multiple?: boolean
  trusted_authorities?: DcqlAuthorities[]
  require_cryptographic_holder_binding?: boolean
  claims?: DcqlClaim[]
  claim_sets?: string[][]
} & (
  | { format: 'dc+sd-jwt'; meta: { vct_values: string[] } }
  | { format: 'mso_mdoc'; meta: { doctype_value: string } }
  | { format: 'ldp_vc'; meta: { type_values: string[][] } }
)

/** Which credentials satisfy a purpose together (section 6.2). Required unless it says otherwise. */
export interface DcqlSet {
  options: string[][]
  required?: boolean
}

/** Whether the holder has to prove that the credential is theirs: unless the query says otherwise. */
export const needsHolder = ({ require_cryptographic_holder_binding: needed = true }: DcqlCredential): boolean => needed

/** A path as people read it. */
export const shownPath = ({ format }: Pick<DcqlCredential, 'format'>, path: ClaimPath): string =>
  format === 'mso_mdoc' ? `${path[1]} of ${path[0]}` : path.map((step) => (step === null ? '*' : step)).join('.')
