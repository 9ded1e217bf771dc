import type { Uuid } from '../frame/wire.ts'

/** Where a trust list has the issuer of a credential. */
export interface ListedIssuerOut {
  listId: Uuid
  listName: string
  /** As the list calls the issuer. */
  entryName?: string
  /** A DID or an https address. */
  identifier?: string
  /** SHA-256 of the certificate, in hex. */
  certificateFingerprint?: string
}
