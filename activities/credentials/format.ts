import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { Credential } from '../../entities/credentials.ts'
import type { BatchOptions, RowInput } from '../../protocol/credentials/batches.ts'
import type { FormatName } from '../../protocol/credentials/formats.ts'
import type { NamedEntry } from '../../protocol/credentials/notifications.ts'
import type { Json } from '../../protocol/data-integrity/index.ts'
import type { StatusListKind, StatusPurpose } from '../../protocol/status-list/index.ts'
import type { SignedRow } from './record.ts'

/** A version of a template: what a credential was made by. */
export interface TemplateRef {
  id: string
  version: number
}

/** A template as it was at a version; its format alone reads the definition. */
export interface TemplateVersion extends TemplateRef {
  definition: object
  /** Deleted since: what was issued from it is still out there. */
  deleted: boolean
}

/** What the messages to holders take from a credential. */
export interface ShownCredential {
  /** DIDs of its subjects. */
  subjects: string[]
  /** For its revocation; undefined for one that has no status. */
  statusEntry?: NamedEntry
}

export interface ListToSign {
  tenantId: string
  kind: StatusListKind
  purpose: StatusPurpose
  /** As the list's credentials are signed. */
  proofType: string
  /** DID of the issuer. */
  did: string
  /** Address of the list. */
  url: string
  bits: Uint8Array
  validFrom: Date
  validUntil: Date
}

/** Signs lists of a kind as their issuer, for everybody to read. */
export type SignList = (list: ListToSign) => Promise<Json>

/** By kind, how its lists are signed. */
export type StatusKinds = Readonly<Partial<Record<StatusListKind, SignList>>>

/** The options of a batch as they hold until its end. */
export interface SettledOptions {
  options: BatchOptions
  /** The version that all rows are signed by. */
  template?: TemplateRef
}

/** What the rows of a batch have in common. */
export interface BatchTerms {
  options: BatchOptions
  template?: TemplateVersion
}

/** What batches need of a format, besides how it signs. */
export interface BatchFormat {
  /** Checks the options before any row is read: what all rows would fail by is refused at upload, naming the option. */
  settle(tenantId: string, upload: { source: 'jsonl' | 'csv'; options: BatchOptions }): Promise<SettledOptions>

  /** DID of a row's issuer, if it names one: a batch pauses when an issuer is deleted. */
  issuerOf(input: RowInput, options: BatchOptions): string | undefined

  /**
   * Signs a row, and by the template where it holds claims for one. `together`: how many rows like it are signed at a time.
   * A `Refusal` is the row's own fault, and names fields as the row does; so is a `DocumentFault` while `prove` holds.
   */
  signRow(tenantId: string, id: string, input: RowInput, terms: BatchTerms, together: number): Promise<SignedRow>

  /**
   * Signs a document of the platform's own, where a process may lose the means to sign any. Throws what is broken: then no
   * row is refused for a fault that no rule names.
   */
  prove?(): Promise<void>
}

/**
 * A format of credentials, as the engine sees it: it records, lists, revokes, suspends, publishes, notifies and batches what
 * the format signs. `Request`: what the format's own `sign` takes, which the engine hands on unseen.
 */
export interface CredentialFormat<Request = never, Row extends SignedRow = SignedRow> {
  name: FormatName
  /** Kinds of the status lists in which its credentials have entries. */
  statusKinds: StatusKinds

  /** Signs a credential under our id of it; recording it is the engine's. Throws `Refusal` for what the caller can mend. */
  sign(tenantId: string, id: string, request: Request): Promise<Row>

  show(credential: Credential): ShownCredential

  /** The template's current version unless told, also when it is deleted; undefined for an id of none. A format may have none. */
  readTemplate?(em: SqlEntityManager, id: string, version?: number): Promise<TemplateVersion | undefined>

  batches: BatchFormat
}

/** The formats of this process, by name. Those that share a kind of status list share how it is signed. */
export function createFormats(formats: readonly CredentialFormat[]) {
  const byName = new Map(formats.map((format) => [format.name, format]))
  if (byName.size < formats.length) throw new Error('two formats have the same name')
  const statusKinds: StatusKinds = {}
  for (const format of formats) Object.assign(statusKinds, format.statusKinds)

  return {
    statusKinds,

    /** Throws for a format that this process does not have: a row of it was made by another release. */
    of(name: FormatName): CredentialFormat {
      const format = byName.get(name)
      if (!format) throw new Error(`this process has no credential format ${name}`)
      return format
    },

    /** Of whichever format it is; undefined for an id of none. */
    async findTemplate(em: SqlEntityManager, id: string): Promise<TemplateVersion | undefined> {
      for (const { readTemplate } of formats) {
        const template = await readTemplate?.(em, id)
        if (template) return template
      }
      return undefined
    },
  }
}

export type Formats = ReturnType<typeof createFormats>
