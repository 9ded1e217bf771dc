import { Refusal } from '../errors.ts'
import { isObject, type Json, listOf } from '../json.ts'
import { decodeList, readStatus } from './index.ts'

/** A parsed `credentialStatus` of any issuer. */
export interface ReadEntry {
  /** Type of the list's subject; StatusList2021 is a draft of Bitstring Status List. */
  listType: 'RevocationList2020' | 'BitstringStatusList' | 'StatusList2021'
  listUrl: string
  index: number
  purpose: string
  /** Bits per entry. */
  statusSize: number
}

const LIST_TYPES = {
  RevocationList2020Status: 'RevocationList2020',
  BitstringStatusListEntry: 'BitstringStatusList',
  StatusList2021Entry: 'StatusList2021',
} as const

const malformed = (message: string) => new Refusal('status_list.malformed', message)

/** Indexes are strings in the standards; some issuers write numbers. */
function indexOf(value: unknown): number {
  const index = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  if (typeof index === 'number' && Number.isSafeInteger(index) && index >= 0) return index
  throw malformed('The status index is not a whole number, 0 or more.')
}

/**
 * Throws `Refusal('status_list.unsupported')` for another type of status, `'status_list.malformed'` for a malformed
 * one.
 */
export function readStatusEntry(status: unknown): ReadEntry {
  if (!isObject(status)) throw malformed('The credential status is not an object.')
  const type = listOf(status.type).find(
    (each): each is keyof typeof LIST_TYPES => typeof each === 'string' && Object.hasOwn(LIST_TYPES, each),
  )
  if (type === undefined)
    throw new Refusal(
      'status_list.unsupported',
      `This type of credential status is not supported; supported are ${Object.keys(LIST_TYPES).join(', ')}.`,
    )
  const revocationOnly = type === 'RevocationList2020Status'
  const listUrl = revocationOnly ? status.revocationListCredential : status.statusListCredential
  const purpose = revocationOnly ? 'revocation' : status.statusPurpose
  const statusSize = type === 'BitstringStatusListEntry' ? (status.statusSize ?? 1) : 1
  if (typeof listUrl !== 'string' || !URL.canParse(listUrl))
    throw malformed('The credential status has no URL of a list.')
  if (typeof purpose !== 'string' || purpose === '') throw malformed('The credential status has no statusPurpose.')
  if (typeof statusSize !== 'number' || !Number.isInteger(statusSize) || statusSize < 1 || statusSize > 32) {
    throw malformed('The statusSize of the credential status is not 1 to 32.')
  }
  const index = indexOf(revocationOnly ? status.revocationListIndex : status.statusListIndex)
  return { listType: LIST_TYPES[type], listUrl, index, purpose, statusSize }
}

/** The encoded bits of a list credential; undefined if it has none. */
export const encodedListOf = ({ credentialSubject: subject }: Json): string | undefined =>
  isObject(subject) && typeof subject.encodedList === 'string' ? subject.encodedList : undefined

/**
 * Returns the status of an entry in a verified list credential: 0 is not revoked, not suspended. `bits`: the list's
 * decoded bits, if the caller has them. Throws a `Refusal('status_list.…')` if the list is not the one of the entry, or
 * is malformed.
 */
export function statusIn(listCredential: unknown, entry: ReadEntry, bits?: Uint8Array): number {
  const credential = isObject(listCredential) ? listCredential : {}
  const subject = credential.credentialSubject
  if (!listOf(credential.type).includes(`${entry.listType}Credential`) || !isObject(subject)) {
    throw malformed(`The status list is not a ${entry.listType}Credential.`)
  }
  if (!listOf(subject.type).includes(entry.listType))
    throw malformed(`The subject of the status list is not a ${entry.listType}.`)
  if (credential.id !== undefined && credential.id !== entry.listUrl) {
    throw new Refusal('status_list.mismatch', 'The id of the status list differs from its URL.')
  }
  // Bitstring Status List, 3.2: the purposes must be the same; RevocationList2020 has only one
  if (entry.listType !== 'RevocationList2020' && !listOf(subject.statusPurpose).includes(entry.purpose)) {
    throw new Refusal('status_list.mismatch', 'The statusPurpose of the status list differs from that of the entry.')
  }
  if (typeof subject.encodedList !== 'string') throw malformed('The status list has no encodedList.')
  return readStatus(bits ?? decodeList(subject.encodedList), entry.index, entry.statusSize)
}
