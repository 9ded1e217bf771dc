import type { FormatName } from './formats.ts'

/** The reason of a verdict over a credential whose issuer is in no enforced trust list. */
export const NOT_LISTED = 'IssuerNotListed'

/** Where an issuer was found. */
export interface ListedIssuer {
  listId: string
  listName: string
  /** As the list calls it. */
  entryName?: string
  /** A DID or an https address. */
  identifier?: string
  /** SHA-256 of the certificate, in hex. */
  certificateFingerprint?: string
}

export type TrustFinding = { listed: ListedIssuer } | { fault: string }

/** What a verdict says of a finding: where the issuer is listed; nothing where no list is enforced, or none has it. */
export const trustIn = (finding: TrustFinding | undefined): { trust?: ListedIssuer } =>
  finding && 'listed' in finding ? { trust: finding.listed } : {}

/** The enforced trust lists of a tenant for one format. */
export interface Trust {
  /** Listed certificates in DER that a chain can lead to: its own, and those with the name of an issuer in it. */
  anchorsOf(chain: readonly { fingerprint: string; issuerName: string }[]): readonly Uint8Array[]
  /** `issuer`: as policies know it (`JudgedCredential`); undefined where the credential leads to none. */
  find(issuer: string | undefined): TrustFinding
}

/** What every format asks when it verifies. The answer follows a change within a second, in every process. */
export interface TrustGate {
  /** undefined: the tenant enforces no trust list for this format. */
  trustFor(tenantId: string, format: FormatName): Promise<Trust | undefined>
  /** URLs of the tenant's lists, enforced or not, that have an issuer; without one, of all lists for the format. */
  urlsOf(tenantId: string, format: FormatName, issuer?: string): Promise<readonly string[]>
}
