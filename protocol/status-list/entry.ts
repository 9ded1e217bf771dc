import { Refusal } from '../errors.ts'
import { isObject, type Json, listOf } from '../json.ts'
import { decodeList, readStatus } from './index.ts'

/** A `credentialStatus` of any issuer, read. */
export interface ReadEntry {
  /** Type of the list's subject; StatusList2021 is what Bitstring Status List was before it was finished. */
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

/** Indexes are strings in the standards, and numbers with some issuers. */
function indexOf(value: unknown): number {
  const index = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  if (typeof index === 'number' && Number.isSafeInteger(index) && index >= 0) return index
  throw malformed('The status index is not a whole number from 0.')
}

/** Throws `Refusal('status_list.unsupported')` for another type of status, `'status_list.malformed'` for a broken one. */
export function readStatusEntry(status: unknown): ReadEntry {
  if (!isObject(status)) throw malformed('A credential status is an object.')
  const type = listOf(status.type).find(
    (each): each is keyof typeof LIST_TYPES => typeof each === 'string' && Object.hasOwn(LIST_TYPES, each),
  )
  if (type === undefined) throw new Refusal('status_list.unsupported', 'This type of credential status is not known.')
  const revocationOnly = type === 'RevocationList2020Status'
  const listUrl = revocationOnly ? status.revocationListCredential : status.statusListCredential
  const purpose = revocationOnly ? 'revocation' : status.statusPurpose
  const statusSize = type === 'BitstringStatusListEntry' ? (status.statusSize ?? 1) : 1
  if (typeof listUrl !== 'string' || !URL.canParse(listUrl)) throw malformed('The status names no list by URL.')
  if (typeof purpose !== 'string' || purpose === '') throw malformed('The status has no purpose.')
  if (typeof statusSize !== 'number' || !Number.isInteger(statusSize) || statusSize < 1 || statusSize > 32) {
    throw malformed('The size of a status is 1 to 32 bits.')
  }
  const index = indexOf(revocationOnly ? status.revocationListIndex : status.statusListIndex)
  return { listType: LIST_TYPES[type], listUrl, index, purpose, statusSize }
}

/** The packed bits of a list credential; undefined where it has none. */
export const encodedListOf = ({ credentialSubject: subject }: Json): string | undefined =>
  isObject(subject) && typeof subject.encodedList === 'string' ? subject.encodedList : undefined

/**
 * The status that a list credential, verified before, holds for an entry: 0 is not revoked, not suspended. `bits`: its
 * bits, where they are unpacked already. Throws a `Refusal('status_list.…')` when the list is not the one that the entry
 * names, or is broken.
 */
export function statusIn(listCredential: unknown, entry: ReadEntry, bits?: Uint8Array): number {
  const credential = isObject(listCredential) ? listCredential : {}
  const subject = credential.credentialSubject
  if (!listOf(credential.type).includes(`${entry.listType}Credential`) || !isObject(subject)) {
    throw malformed(`The list is no ${entry.listType}Credential.`)
  }
  if (!listOf(subject.type).includes(entry.listType)) throw malformed(`The list's subject is no ${entry.listType}.`)
  if (credential.id !== undefined && credential.id !== entry.listUrl) {
    throw new Refusal('status_list.mismatch', 'The list has another id than the address it was found under.')
  }
  // Bitstring Status List, 3.2: the purposes must agree; RevocationList2020 has one purpose alone
  if (entry.listType !== 'RevocationList2020' && !listOf(subject.statusPurpose).includes(entry.purpose)) {
    throw new Refusal('status_list.mismatch', 'The list serves another purpose than the status.')
  }
  if (typeof subject.encodedList !== 'string') throw malformed('The list has no encoded list.')
  return readStatus(bits ?? decodeList(subject.encodedList), entry.index, entry.statusSize)
}
