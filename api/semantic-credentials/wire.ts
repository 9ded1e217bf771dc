import type { SignedCredential } from '../../activities/credentials/issue.ts'
import { type CredentialReader, jsonOf } from '../../activities/credentials/read.ts'
import type { PublicJwk } from '../../protocol/dids/jwk.ts'
import { type DisclosureTerms, disclosureTerms } from '../../protocol/semantic-credentials/enveloped/disclosure.ts'
import { openEnvelope } from '../../protocol/semantic-credentials/enveloped/index.ts'
import { envelopedCredential, partsOf } from '../../protocol/semantic-credentials/enveloped/issue.ts'
import type { ReasonType } from '../../protocol/semantic-credentials/index.ts'
import { isEnveloped } from '../../protocol/semantic-credentials/presentations/envelopes.ts'
import type { ListedIssuerOut } from '../credentials/trust.wire.ts'
import type { Count, DateTime, JsonObject, ProofType, Uri, Uuid } from '../frame/wire.ts'
import type { KeyBindingIn, SdJwtHolderKey, SdJwtPath } from '../sd-jwt-credentials/wire.ts'

/** A W3C credential before it is signed. Its contexts define further members. */
export type UnsignedCredential = JsonObject

/** A credential of any issuer. One that breaks the data model does not verify. */
export type CredentialToVerify = JsonObject

/** A JSON pointer (RFC 6901) into the credential. */
export type JsonPointer = string

/** Bytes in base64url without padding (RFC 4648 section 5). */
export type Base64Url = string

/** Rows as the activities return them. */
export type SemanticCredential = Awaited<ReturnType<CredentialReader['readCredential']>>

/** Has only the disclosed members; if there are none, its contexts, types and proof. */
export type DerivedCredential = JsonObject

/**
 * A credential as its holder gets it: with its proof, or as EnvelopedVerifiableCredential, whose id is a data: URL with
 * the envelope.
 */
export type IssuedCredential = JsonObject

/** Members of a credential in an envelope; absent where the credential has its proof in itself. */
export interface EnvelopeOut {
  /** The envelope: a JWT, an SD-JWT with all disclosures, or a COSE_Sign1 in base64. */
  encoded?: string
  /** The credential in the envelope. */
  decoded?: JsonObject
}

/** Of credentials as vc+sd-jwt alone. */
interface DisclosureIn {
  /**
   * Only with vc+sd-jwt: claims that the holder may leave out, by their paths in the payload. Default: every claim of the
   * subjects.
   */
  selectively?: SdJwtPath[] | null
  /**
   * Only with vc+sd-jwt: digests that stand for no claim, in each subject, so that their number does not tell how many
   * claims there are. Default: 0.
   * @isInt expected a whole number
   * @minimum 0
   * @maximum 50
   */
  decoys?: number | null
  /** Only with vc+sd-jwt: the key of the holder, which the credential is bound to. Default: none. */
  holderKey?: SdJwtHolderKey | null
}

export const toDisclosure = ({ selectively, decoys, holderKey }: DisclosureIn): DisclosureTerms =>
  disclosureTerms({ selectively, decoys, holderKey: holderKey as PublicJwk | null | undefined })

export interface SignIn extends DisclosureIn {
  /** The credential without proof; its issuer is a DID of the tenant. */
  payload: UnsignedCredential
  proofType: ProofType
  /** Gives the credential an entry in a status list. */
  revocable: boolean
  /** Adds a second entry, for suspension; only with revocable true and data model 2.0. Default: false. */
  suspendable?: boolean
  /**
   * A label to search the credential by; not part of it.
   * @maxLength 255
   */
  tag?: string | null
}

export interface SignOut extends EnvelopeOut {
  /** The signed credential, for its holder. */
  credential: IssuedCredential
  /** The platform's id of the credential, to read and revoke it. */
  id: Uuid
  tag?: string
}

export interface VerifyIn {
  /** The `credential` of a sign response, or a credential of any other issuer. */
  payload: CredentialToVerify
  /**
   * The verification fails if the credential has a context that is neither bundled, nor registered, nor in this list;
   * an empty list allows only bundled and registered contexts. Without the list, `warnings` names such contexts.
   * @maxItems 100
   */
  trustedContexts?: TrustedContext[] | null
  /**
   * DIDs whose credentials are accepted; an empty list accepts none. Default: any issuer.
   * @maxItems 1000
   */
  trustedIssuers?: string[] | null
  /** Present: the credential must be a vc+sd-jwt with a key binding JWT for this nonce and audience. */
  keyBinding?: KeyBindingIn | null
}

/** The URL of a context, whose pinned content is trusted; or an inline context object, compared word for word. */
export type TrustedContext = string | JsonObject

export interface WarningOut {
  type:
    | 'UntrustedContext'
    | 'UncheckedResource'
    | 'UndisclosedMembers'
    | 'KeyBindingNotChecked'
    | 'QueryWithoutContext'
    | 'ChallengeUnchecked'
    | 'DomainUnchecked'
  message: string
  /** JSON pointer into the verified document, or the path in the query. */
  path?: string
  /** URL of the context, or id of the related resource, as the document has it. */
  url?: string
}

export interface VerifyOut {
  verified: boolean
  /** Empty when verified. */
  reason: { type: ReasonType; message: string; code?: string }[]
  /**
   * What the verification does not cover: contexts that are neither bundled nor registered, related resources that were
   * not fetched.
   */
  warnings: WarningOut[]
  /** Where an enforced trust list has the issuer; absent: none is enforced, or none has it. */
  trust?: ListedIssuerOut
}

export interface StatusOut {
  id: Uri
  type: string
  /** Address of the status list. */
  revocation_list_credential: Uri
  revocation_list_index: Count
}

export interface CredentialOut extends EnvelopeOut {
  id: Uuid
  credential: IssuedCredential
  credential_status?: StatusOut
  issuance_date: DateTime
  tag?: string
  /** The batch in which the credential was signed, and its row there, from 1. */
  batch_id?: Uuid
  batch_row?: Count
}

export interface CredentialPageOut {
  data: CredentialOut[]
  limit: Count
  total_count: Count
  total_pages: Count
}

const statusOf = (credential: JsonObject): StatusOut | undefined => {
  // the first of several entries is for revocation
  const [status] = [credential.credentialStatus].flat()
  if (typeof status !== 'object' || status === null || Array.isArray(status)) return undefined
  const entry = status as JsonObject
  return {
    id: String(entry.id),
    type: String(entry.type),
    revocation_list_credential: String(entry.revocationListCredential ?? entry.statusListCredential),
    revocation_list_index: Number(entry.revocationListIndex ?? entry.statusListIndex),
  }
}

export function rowToWire(row: SemanticCredential): CredentialOut {
  const { id, envelope, issuanceDate, tag, statusListId, batchId, batchRow } = row
  const document = jsonOf(row)
  const status = statusListId ? statusOf(document) : undefined
  return {
    id,
    ...(envelope
      ? { credential: envelopedCredential(envelope), ...partsOf(envelope, document) }
      : { credential: document }),
    ...(status ? { credential_status: status } : {}),
    issuance_date: issuanceDate.toISOString(),
    ...(tag ? { tag } : {}),
    ...(batchId && batchRow ? { batch_id: batchId, batch_row: batchRow } : {}),
  }
}

/** A credential as it was just signed. */
export function signedToWire({ id, credential, tag }: Omit<SignedCredential, 'template'>): SignOut {
  const envelope = isEnveloped(credential) ? partsOf(String(credential.id), openEnvelope(credential).credential) : {}
  return { credential, ...envelope, id, ...(tag === null ? {} : { tag }) }
}

/** For the API document. */
export const SIGN_EXAMPLE: SignOut = {
  id: '2a1fbdfb-4f8f-4a06-a2f3-4bb9c6d7d3a8',
  tag: 'course-7',
  credential: {
    '@context': ['https://www.w3.org/ns/credentials/v2'],
    id: 'urn:uuid:2a1fbdfb-4f8f-4a06-a2f3-4bb9c6d7d3a8',
    type: ['VerifiableCredential'],
    issuer: { id: 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK' },
    validFrom: '2027-01-01T00:00:00Z',
    credentialSubject: { id: 'did:example:holder' },
  },
}

export const VERIFY_EXAMPLE: VerifyOut = {
  verified: false,
  reason: [{ type: 'Revoked', message: 'The issuer has revoked the credential.' }],
  warnings: [
    {
      type: 'UntrustedContext',
      message: 'The context https://issuer.example/contexts/course/v1 is neither bundled nor registered: …',
      path: '/@context/1',
      url: 'https://issuer.example/contexts/course/v1',
    },
  ],
}
