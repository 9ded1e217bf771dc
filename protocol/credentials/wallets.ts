import type { PublicJwk } from '../dids/jwk.ts'
import type { Json } from '../json.ts'
import type { KeyRequirements } from './key-attestations.ts'

/** The key that a wallet proved, and the DID that stands for it. */
export interface Holder {
  jwk: PublicJwk
  did: string
}

/** A template as wallets see it. */
export interface WalletConfiguration {
  /** Format on the wire, e.g. `ldp_vc`. */
  format: string
  /** Types that name it in a request by format; the first one is in its scope. */
  types: string[]
  name: string
  /** How a credential names the key that the wallet proves, e.g. `did:key`; empty for one that is bound to no key. */
  bindingMethods: string[]
  /** Its keys have to be attested, whatever the tenant requires of others. */
  keyAttestations?: KeyRequirements
  /** No certificate in it says who issued it, where the format could have one; HAIP 1.0 forbids that. */
  lacksCertificate?: true
  /** Names or numbers of algorithms; absent where the issuer's key decides. */
  signingAlgorithms?: (string | number)[]
  /** Members of its format, e.g. `doctype`. */
  members: Json
  /** The same as the specification has them. */
  specifiedMembers: Json
}

/** Claims for a credential, and whom it is for. */
export interface WalletInput {
  claims: Json
  /** What an authentication provider said: a credential gets of it only what a mapping names; `claims` counts before it. */
  userClaims?: Json
  authenticationProvider?: { subjectId: string; url: string }
  /** The credential gets a second status entry, for suspension. */
  suspendable?: boolean
  /** Absent for a credential that is bound to no key. */
  holder?: Holder
}
