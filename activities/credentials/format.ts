import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { Credential } from '../../entities/credentials/credentials.ts'
import type { Column } from '../../protocol/credentials/batches.csv.ts'
import type { BatchOptions, RowInput } from '../../protocol/credentials/batches.ts'
import type { FormatName } from '../../protocol/credentials/formats.ts'
import type { NamedEntry } from '../../protocol/credentials/notifications.ts'
import type { WalletConfiguration, WalletInput } from '../../protocol/credentials/wallets.ts'
import type { Json } from '../../protocol/data-integrity/index.ts'
import type { StatusListKind, StatusPurpose } from '../../protocol/status-list/index.ts'
import type { SignedRow } from './record.ts'

/** A version of a template, from which a credential was issued. */
export interface TemplateRef {
  id: string
  version: number
}

/** A version of a template; only its format reads the definition. */
export interface TemplateVersion extends TemplateRef {
  definition: object
  /** Deleted since; the credentials issued from it still exist. */
  deleted: boolean
}

/** Data of a credential that notifications to holders need. */
export interface ShownCredential {
  /** DIDs of its subjects. */
  subjects: string[]
  /** Its revocation entry; undefined for a credential without a status. */
  statusEntry?: NamedEntry
}

export interface ListToSign {
  tenantId: string
  kind: StatusListKind
  purpose: StatusPurpose
  /** Proof type of the list's credentials. */
  proofType: string
  /** DID of the issuer, or the id of the IACA whose document signers sign. */
  issuer: string
  /** Address of the list. */
  url: string
  bits: Uint8Array
  validFrom: Date
  /** The latest end that it may have. */
  validUntil: Date
}

export interface SignedList {
  /** A credential, or the texts of a list in several forms. */
  signed: Json
  /** The end that it has: no list outlives the certificate of its signer. */
  validUntil: Date
}

/** Signs public lists of a kind as their issuer. */
export type SignList = (list: ListToSign) => Promise<SignedList>

/** Signing function by kind of list. */
export type StatusKinds = Readonly<Partial<Record<StatusListKind, SignList>>>

/** The options of a batch, valid until its end. */
export interface SettledOptions {
  options: BatchOptions
  /** The version that all rows are signed by. */
  template?: TemplateRef
  /** Throws `Refusal` for columns of a CSV that do not fit the template. */
  checkColumns?(columns: readonly Column[]): void
  /** Throws `Refusal` for a row that does not fit the template; it is refused before it is stored. */
  checkRow?(input: RowInput): void
}

/** Options and template that all rows of a batch share. */
export interface BatchTerms {
  options: BatchOptions
  template?: TemplateVersion
}

/** Functions of a format that batches need. */
export interface BatchFormat {
  /** Checks the options before any row is read, and refuses an option that would make every row fail. */
  settle(tenantId: string, upload: { source: 'jsonl' | 'csv'; options: BatchOptions }): Promise<SettledOptions>

  /** Returns a row's issuer, a DID by default, if it names one: a batch pauses when an issuer is deleted. */
  issuerOf(input: RowInput, options: BatchOptions): string | undefined

  /**
   * Signs a row, by the template where the row has claims. `together`: how many similar rows are signed at a time.
   * Throws `Refusal` for the row's own fault, with the row's field names; a `DocumentFault` is the row's fault if
   * `prove` succeeds.
   */
  signRow(tenantId: string, id: string, input: RowInput, terms: BatchTerms, together: number): Promise<SignedRow>

  /**
   * Signs a document of the platform's own. Throws where this process can sign none: then no row is refused for an
   * unexpected fault.
   */
  prove?(): Promise<void>

  /** Issuers of the format's own. By default they are DIDs. */
  issuers?: BatchIssuers
}

/** What a batch asks about issuers. */
export interface BatchIssuers {
  /** Codes of refusals for rows whose issuer can sign no more. */
  goneCodes: readonly string[]
  /** Drops what was remembered of an issuer. */
  forget(tenantId: string, issuer: string): void
  /** Returns an issuer by its one name if it can issue now. Throws `Refusal`. */
  usable(tenantId: string, issuer: string): Promise<string>
}

/** Functions of a format that issuing into wallets needs. */
export interface WalletFormat {
  /** How wallets see a template. */
  configurationOf(template: Pick<TemplateVersion, 'definition'>): WalletConfiguration

  /** Whether wallets can get what a template gives; absent where they can get all. */
  isOffered?(template: Pick<TemplateVersion, 'definition'>): boolean

  /** The claim source that a template names. */
  claimSourceOf(template: Pick<TemplateVersion, 'definition'>): string | undefined

  /** Throws `Refusal` for claims of an offer that the template would lose or that it lacks a value for. */
  checkClaims(template: Pick<TemplateVersion, 'definition'>, claims: Json): void

  /** Whether what a template gives may be suspended; absent where nothing of the format may. */
  isSuspendable?(template: Pick<TemplateVersion, 'definition'>): boolean

  /**
   * Signs from a version of a template. Claims that no mapping takes are left out: providers and claim sources say more
   * than a credential is to have. `together`: how many the caller signs for one wallet. Throws `Refusal`.
   */
  sign(
    tenantId: string,
    id: string,
    template: TemplateVersion,
    input: WalletInput,
    together: number,
  ): Promise<SignedRow>

  /** A credential as it is in the answer to a wallet. */
  documentOf(credential: Credential): unknown
}

/**
 * A format of credentials for the engine, which records, lists, revokes, suspends, publishes, notifies and batches what
 * the format signs. `Request`: the input of the format's `sign`, which the engine does not read.
 */
export interface CredentialFormat<Request = never, Row extends SignedRow = SignedRow> {
  name: FormatName
  /** Kinds of the status lists in which its credentials have entries. */
  statusKinds: StatusKinds

  /** Signs a credential with our id; the engine records it. Throws `Refusal` for what the caller can correct. */
  sign(tenantId: string, id: string, request: Request): Promise<Row>

  show(credential: Credential): ShownCredential

  /** Returns a version of a template, by default the current one, even if deleted; undefined where there is none. */
  readTemplate?(em: SqlEntityManager, id: string, version?: number): Promise<TemplateVersion | undefined>

  /** Whether an issuer that is no DID, and signs credentials of the format, has this id; it may be deleted. */
  hasIssuer?(em: SqlEntityManager, id: string): Promise<boolean>

  batches: BatchFormat

  /** Absent where wallets get none of its credentials. */
  wallets?: WalletFormat
}

/** The formats of this process, by name. Those that share a kind of status list share how it is signed. */
export function createFormats(formats: readonly CredentialFormat[]) {
  const byName = new Map(formats.map((format) => [format.name, format]))
  if (byName.size < formats.length) throw new Error('two formats have the same name')
  const statusKinds: StatusKinds = {}
  for (const format of formats) Object.assign(statusKinds, format.statusKinds)

  return {
    statusKinds,

    /** Throws for an unknown format, whose rows another release must have written. */
    of(name: FormatName): CredentialFormat {
      const format = byName.get(name)
      if (!format) throw new Error(`this process has no credential format ${name}`)
      return format
    },

    /** The formats that the issuer with this id, which is no DID, signs; empty for DIDs and unknown ids. */
    async formatsOfIssuer(em: SqlEntityManager, id: string): Promise<FormatName[]> {
      const found: FormatName[] = []
      for (const { name, hasIssuer } of formats) if (await hasIssuer?.(em, id)) found.push(name)
      return found
    },

    /** Finds a template of any format, with its format; undefined where there is none. */
    async findTemplate(
      em: SqlEntityManager,
      id: string,
    ): Promise<(TemplateVersion & { format: FormatName }) | undefined> {
      for (const { name: format, readTemplate } of formats) {
        const template = await readTemplate?.(em, id)
        if (template) return { ...template, format }
      }
      return undefined
    },
  }
}

export type Formats = ReturnType<typeof createFormats>
