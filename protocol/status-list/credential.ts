import { Refusal } from '../errors.ts'
import { type CredentialListKind, encodeList, type StatusListKind, type StatusPurpose } from './index.ts'

/** Messages and references of an entry, for people (Bitstring Status List 1.0, section 2.1). */
export interface StatusExplanation {
  /** A message per value. */
  statusMessage?: { status: string; message: string }[]
  /** URLs with more information. */
  statusReference?: string | string[]
}

const CREDENTIAL_LISTS = 'revocation-lists'

/** Where the lists that are no credentials stand. */
const PLACES: Partial<Record<StatusListKind, string>> = {
  BitIndexRevocationList: 'credentials/compact/revocation-lists',
  TokenStatusList: 'credentials/mobile/status-lists',
}

/** Returns the public URL of a list. */
export const statusListUrl = (baseUrl: string, listId: string, kind?: StatusListKind): string =>
  `${baseUrl}/v1/${kind === undefined ? CREDENTIAL_LISTS : (PLACES[kind] ?? CREDENTIAL_LISTS)}/${listId}`

export interface StatusEntryInput extends StatusExplanation {
  kind: CredentialListKind
  /** URL of the list credential. */
  listUrl: string
  index: number
  purpose: StatusPurpose
}

export interface RevocationList2020Status {
  id: string
  type: 'RevocationList2020Status'
  revocationListIndex: string
  revocationListCredential: string
}

export interface BitstringStatusListEntry extends StatusExplanation {
  id: string
  type: 'BitstringStatusListEntry'
  statusPurpose: StatusPurpose
  statusListIndex: string
  statusListCredential: string
}

export type CredentialStatus = RevocationList2020Status | BitstringStatusListEntry

const assertPurpose = (kind: CredentialListKind, purpose: StatusPurpose): void => {
  if (kind === 'BitstringStatusList' || purpose === 'revocation') return
  throw new Refusal(
    'status_list.purpose_unsupported',
    'A RevocationList2020 supports revocation only. Use data model 2.0 for suspension.',
  )
}

/** Returns a `credentialStatus`: RevocationList2020 for data model 1.1, Bitstring Status List for 2.0. */
export function statusEntry({ kind, listUrl, index, purpose, ...explanation }: StatusEntryInput): CredentialStatus {
  assertPurpose(kind, purpose)
  if (kind === 'RevocationList2020' && Object.keys(explanation).length > 0)
    throw new Refusal(
      'status_list.unsupported',
      'An entry of a RevocationList2020 cannot have statusMessage or statusReference. Leave them out, or use data model 2.0.',
    )
  const id = `${listUrl}#${index}`
  return kind === 'RevocationList2020'
    ? { id, type: 'RevocationList2020Status', revocationListIndex: `${index}`, revocationListCredential: listUrl }
    : {
        id,
        type: 'BitstringStatusListEntry',
        statusPurpose: purpose,
        statusListIndex: `${index}`,
        statusListCredential: listUrl,
        ...explanation,
      }
}

export interface StatusListInput {
  kind: CredentialListKind
  /** The URL at which the credential is published. */
  id: string
  issuerDid: string
  purpose: StatusPurpose
  bits: Uint8Array
  /** ISO 8601 with a time zone. */
  validFrom: string
  validUntil: string
}

export type StatusListCredential = { '@context': string[]; id: string; type: string[]; issuer: string } & Record<
  string,
  unknown
>

/** Returns the list as an unsigned credential: data model 1.1 for RevocationList2020 (3.2), 2.0 for Bitstring (2.2). */
export function statusListCredential(input: StatusListInput): StatusListCredential {
  const { kind, id, issuerDid: issuer, purpose, bits, validFrom, validUntil } = input
  assertPurpose(kind, purpose)
  const type = ['VerifiableCredential', `${kind}Credential`]
  const list = { id: `${id}#list`, type: kind }
  const encodedList = encodeList(kind, bits)
  return kind === 'RevocationList2020'
    ? {
        '@context': ['https://www.w3.org/2018/credentials/v1', 'https://w3id.org/vc-revocation-list-2020/v1'],
        id,
        type,
        issuer,
        issuanceDate: validFrom,
        expirationDate: validUntil,
        credentialSubject: { ...list, encodedList },
      }
    : {
        '@context': ['https://www.w3.org/ns/credentials/v2'],
        id,
        type,
        issuer,
        validFrom,
        validUntil,
        credentialSubject: { ...list, statusPurpose: purpose, encodedList },
      }
}
