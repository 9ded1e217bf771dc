import type { KeptHead, LogVerdict } from '../../activities/tokens-logs/logs/verify.ts'
import { readSeal } from '../../protocol/tokens-logs/seals.ts'
import type { Count, DateTime, Uuid } from '../frame/wire.ts'

interface EventTypeOut {
  type: string
  category: string
  outcome: 'SUCCESS' | 'FAIL'
  /** Absent for entries that the platform's own work writes. */
  operationId?: string
}

export interface EventTypesOut {
  data: EventTypeOut[]
}

interface SealOut {
  /** Position of the last entry that the seal covers. */
  position: Count
  /** Its hash: SHA-256 in hexadecimal. */
  hash: string
  signedAt: DateTime
  /** The same, signed: a compact JWS (RFC 7515) of a key of `keys`. */
  jws: string
}

interface LogKeyOut {
  kty: string
  crv: string
  x: string
  /** The `kid` of the seals that the key signed. */
  kid: string
  use: string
  alg: string
}

export interface LogHeadOut {
  head: SealOut | null
  checkpoint: SealOut | null
  /** The keys that sign heads and checkpoints, newest first (RFC 7517). */
  keys: LogKeyOut[]
}

interface FaultOut {
  /**
   * altered: the entry is not the one that was chained. missing: the entry or its place is gone. inserted, reordered:
   * an entry stands where another one belongs. truncated: a signed head is further on. rewritten: the chain is not the
   * one that was signed. signature: a seal was not signed by the platform. key_lost: a seal was signed with a key that
   * the key store does not have any more. unchained: an entry stands beside the chain.
   */
  kind:
    | 'altered'
    | 'missing'
    | 'inserted'
    | 'reordered'
    | 'truncated'
    | 'rewritten'
    | 'signature'
    | 'key_lost'
    | 'unchained'
  /** null for an entry that has none. */
  position: Count | null
  /** Id of the entry, where one is named. */
  id: Uuid | null
}

interface CheckedOut {
  from: Count
  /** Below `from` where nothing was right, or there is nothing. */
  to: Count
}

export interface VerdictOut {
  /** Whether what was checked is right. */
  intact: boolean
  /** Whether the check came to the end of the log. */
  complete: boolean
  /** First and last position that are right. */
  checked: CheckedOut
  /** The first fault. */
  fault: FaultOut | null
  /** Position to go on at; null: there is nothing left, or a fault. */
  next: Count | null
  /** Position of the newest signed head; the entries after it are not signed yet. */
  signedTo: Count | null
  /** removed: retention has removed its place. beyond: the check did not come so far yet. */
  keptHead: 'matches' | 'differs' | 'removed' | 'beyond' | null
  /** Entries that have no place in the chain yet. */
  waiting: Count
}

export const sealToWire = (row: { position: number; hash: string; jws: string } | null): SealOut | null => {
  const seal = row && readSeal(row.jws)
  return row && seal ? { position: seal.position, hash: seal.hash, signedAt: seal.signedAt, jws: row.jws } : null
}

export const verdictToWire = ({
  intact,
  complete,
  checked,
  fault,
  head,
  keptHead,
  waiting,
}: LogVerdict): VerdictOut => ({
  intact,
  complete,
  checked,
  fault,
  next: complete || fault ? null : checked.to + 1,
  signedTo: head?.position ?? null,
  keptHead: keptHead satisfies KeptHead | null,
  waiting,
})

const HASH = '5b1f4d0c2f8c4b9f8f4a06a2f34bb9c6d7d3a82a1fbdfb4f8f4a06a2f34bb9c6'

export const HEAD: LogHeadOut = {
  head: {
    position: 4711,
    hash: HASH,
    signedAt: '2027-01-31T12:00:00.000Z',
    jws: 'eyJhbGciOiJFZERTQSJ9.e30.c2lnbmF0dXJl',
  },
  checkpoint: null,
  keys: [
    {
      kty: 'OKP',
      crv: 'Ed25519',
      x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
      kid: '7d0c5bfe-7a5b-49f3-9a1a-6c3f3f5c2a10',
      use: 'sig',
      alg: 'EdDSA',
    },
  ],
}

export const VERDICT: VerdictOut = {
  intact: false,
  complete: false,
  checked: { from: 1, to: 41 },
  fault: { kind: 'altered', position: 42, id: '9f0c5d5e-9b1b-4a51-b4f7-4d9a3d3a6d5f' },
  next: null,
  signedTo: 4711,
  keptHead: null,
  waiting: 0,
}
