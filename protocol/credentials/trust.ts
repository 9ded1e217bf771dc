import type { Certificate } from './certificate.ts'
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
  /**
   * Listed certificates that a chain can lead to: its own, and those with the name of an issuer in it, each once and no
   * more than a verification can try.
   */
  anchorsOf(chain: ChainNames): readonly Certificate[]
  /** `issuer`: as policies know it (`JudgedCredential`); undefined where the credential leads to none. */
  find(issuer: string | undefined): TrustFinding
}

/** What wallet providers attest: that a wallet is their own, and how keys are kept. */
export const ATTESTED = ['wallets', 'keys'] as const
export type Attested = (typeof ATTESTED)[number]

/** A certificate that a list has of a wallet provider, or of who certifies its signers. */
export interface ListedProvider {
  listId: string
  fingerprint: string
  certificate: Certificate
}

/** The names by which a chain finds listed certificates. */
export type ChainNames = readonly { fingerprint: string; issuerName: string }[]

/** What every format asks when it verifies. The answer follows a change within a second, in every process. */
export interface TrustGate {
  /** undefined: the tenant enforces no trust list for this format. */
  trustFor(tenantId: string, format: FormatName): Promise<Trust | undefined>
  /** URLs of the tenant's lists, enforced or not, that have one of these issuers; without, of all lists for the format. */
  urlsOf(tenantId: string, format: FormatName, issuers?: readonly string[]): Promise<readonly string[]>
  /** Of enforced lists of wallet providers, the certificates that a chain can lead to. */
  providersOf(tenantId: string, attested: Attested, chain: ChainNames): Promise<readonly ListedProvider[]>
  /** Whether an enforced list has wallet providers that are trusted for this. */
  listsProviders(tenantId: string, attested: Attested): Promise<boolean>
}
