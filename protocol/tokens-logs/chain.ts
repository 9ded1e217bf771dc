import { hash as sha256 } from 'node:crypto'
import serialize from 'canonicalize'

/** An entry of the log as its hash covers it: every value is the text that the database holds. */
export interface ChainedEntry {
  id: string
  tenantId: string
  category: string
  type: string
  /** UTC with microseconds, e.g. 2027-01-31T12:00:00.000000Z. */
  timestamp: string
  requestId: string
  /** A JSON object, as text. */
  data: string
  /** A JSON object, as text. */
  metadata: string
  /** null in entries of earlier releases. */
  objectIds: readonly string[] | null
}

/** A place in the chain of a tenant, and its hash: SHA-256 in hexadecimal. */
export interface Link {
  /** The first entry has 1. */
  position: number
  hash: string
}

/** What stands before the first entry. */
export const GENESIS: Link = { position: 0, hash: '0'.repeat(64) }

/** An entry with its place: what is exported, and what an auditor hashes. */
export interface ExportedEntry extends ChainedEntry, Link {
  previousHash: string
}

/** The canonical form of a flat object (RFC 8785). */
export function canonical(value: object): string {
  const text = serialize(value)
  if (text === undefined) throw new Error('an entry of the log has no canonical form')
  return text
}

/**
 * SHA-256 over the canonical form of the entry with its position and the hash before it. entities/functions/chain_log_entries.sql
 * computes the same.
 */
export const hashOf = (
  { category, data, id, metadata, objectIds, requestId, tenantId, timestamp, type }: ChainedEntry,
  { position: before, hash: previousHash }: Link,
): string => {
  const position = before + 1
  // members in their order, and texts alone: JSON has the canonical form, many times faster than `canonical`
  const text = JSON.stringify({
    category,
    data,
    id,
    metadata,
    objectIds,
    position,
    previousHash,
    requestId,
    tenantId,
    timestamp,
    type,
  })
  return sha256('sha256', text, 'hex')
}

/** A row of the chain; without its entry, if there is none any more. */
export interface ChainRow extends Link {
  entryId: string
  entry: ChainedEntry | undefined
}

export const FAULT_KINDS = [
  'altered',
  'missing',
  'inserted',
  'reordered',
  'truncated',
  'rewritten',
  'signature',
  'key_lost',
  'unchained',
] as const

/**
 * `altered`: the entry is not the one that was chained. `missing`: it is gone, or its place is. `inserted`: the chain goes on
 * from before it. `reordered`: another entry of the chain stood there. `truncated`: a signed head is further on. `rewritten`:
 * the chain is whole, and not the one that was signed. `signature`: a seal was not signed here. `key_lost`: a seal
 * fits a key of the table that the key store does not have, any more or at all. `unchained`: an entry stands in the log, and neither in the chain nor among those that wait for it.
 */
export type FaultKind = (typeof FAULT_KINDS)[number]

export interface ChainFault {
  kind: FaultKind
  position: number | null
  /** Id of the entry, where one is named. */
  id: string | null
}

const fits = ({ entry, hash }: ChainRow, previous: Link): boolean =>
  entry !== undefined && hashOf(entry, previous) === hash

/** Why a row does not continue `previous`; the rows that follow it may hold what belongs there. */
function kindOf(previous: Link, row: ChainRow, following: readonly ChainRow[]): FaultKind {
  const { hash } = row
  if (following.some(({ entry }) => entry && hashOf(entry, previous) === hash)) return 'reordered'
  const displaced = following.find((other) => fits(other, previous))
  if (!displaced) return 'altered'
  const isNext = displaced === following[0]
  return isNext && !fits(row, { position: previous.position + 1, hash: displaced.hash }) ? 'inserted' : 'reordered'
}

/** The first fault of rows that follow `previous`; undefined if each continues the one before it. */
export function firstFault(previous: Link, rows: readonly ChainRow[]): ChainFault | undefined {
  let before = previous
  for (const [index, row] of rows.entries()) {
    const position = before.position + 1
    const { entry, entryId: id } = row
    if (row.position !== position) return { kind: 'missing', position, id: null }
    if (!entry) return { kind: 'missing', position, id }
    if (!fits(row, before)) return { kind: kindOf(before, row, rows.slice(index + 1)), position, id }
    before = row
  }
  return undefined
}
