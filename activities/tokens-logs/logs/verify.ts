import { Refusal } from '../../../protocol/errors.ts'
import type { ChainFault, Link } from '../../../protocol/tokens-logs/chain.ts'
import type { Seal } from '../../../protocol/tokens-logs/seals.ts'
import { NIL_UUID } from '../../../protocol/uuid.ts'
import type { LogKeys } from './keys.ts'
import type { ChainRows, LogPlace, SealRow } from './rows.ts'
import type { Walk, Walked } from './walk.ts'

/** Entries of one look for those that are in no chain. */
const SLICE = 20_000
const NEWEST = 'infinity'
const OLDEST = '-infinity'

export interface LogCheck {
  /** First position to check; absent: the first that is kept. */
  from?: number | undefined
  /** Places to check at most. */
  most: number
  /** A head that the caller kept, as a compact JWS. */
  head?: string | undefined
}

/** `removed`: retention has removed its place. `beyond`: the check did not come so far. */
export type KeptHead = 'matches' | 'differs' | 'removed' | 'beyond'

export interface LogVerdict {
  /** No fault was found in what was checked. */
  intact: boolean
  /** The end of the chain was reached. */
  complete: boolean
  /** First and last position that are right; `from` is above `to` where none is. */
  checked: { from: number; to: number }
  fault: ChainFault | null
  /** The newest signed head. */
  head: Seal | null
  keptHead: KeptHead | null
  /** Entries that have no place in the chain yet. */
  waiting: number
}

const badHead = (message: string) =>
  new Refusal('log.head_invalid', message, [
    { path: 'head', code: 'head', message: 'expected the member jws of a head of getLogHead' },
  ])

/** Verifies the chain of a tenant. A broken chain is a verdict; only a broken request throws. */
export function createLogVerification({ rows, keys, walk }: { rows: ChainRows; keys: LogKeys; walk: Walk }) {
  async function keptSeal(tenantId: string, jws: string): Promise<Seal> {
    const { seal, isLost } = (await keys.verified(jws)) ?? {}
    if (isLost) throw badHead('The key store does not have the key of this head, so nobody can tell who signed it.')
    if (seal?.kind !== 'head') throw badHead('The head was not signed by this platform. Send the member jws of a head.')
    if (seal.tenantId !== tenantId) throw badHead("The head is of another tenant's log.")
    return seal
  }

  async function beginning(tenantId: string, from: number | undefined) {
    const start = await walk.start(tenantId)
    if (from === undefined || from <= start.from.position + 1) return start
    const before = await rows.placeAt(tenantId, from - 1)
    if (before) return { ...start, from: before }
    const message = 'The chain has no such position. Leave from out, and the check begins at the first entry.'
    throw new Refusal('log.position_unknown', message, [
      { path: 'from', code: 'position', message: 'expected a position of the chain, or the one after its last' },
    ])
  }

  /**
   * Looks for an entry beside the chain, made between the entries of two places; only where the chain itself is right. One
   * check after the other looks at all times there are, and each at about as many entries as it has places.
   */
  async function unchained(tenantId: string, from: number, to: number | undefined) {
    const since = await rows.timeAt(tenantId, from)
    const until = to === undefined ? NEWEST : await rows.timeAt(tenantId, to)
    for (let place: LogPlace = { timestamp: until ?? NEWEST, id: NIL_UUID }; ; ) {
      const slice = await rows.unchainedIn(tenantId, since ?? OLDEST, place, SLICE)
      if (slice?.found) return { kind: 'unchained', position: null, id: slice.found } satisfies ChainFault
      if (!slice || slice.count < SLICE) return undefined
      place = slice
    }
  }

  /** How a head that was kept fits the chain as far as it was walked. */
  async function compare(tenantId: string, kept: Seal, removed: number, reached: Link, ended: boolean) {
    if (kept.position < removed) return 'removed'
    if (kept.position > reached.position) return ended ? 'differs' : 'beyond'
    const place =
      kept.position === removed ? (await walk.start(tenantId)).from : await rows.placeAt(tenantId, kept.position)
    return place?.hash === kept.hash ? 'matches' : 'differs'
  }

  /** What is wrong with the end of a chain that is right up to there. */
  async function endFault(tenantId: string, last: Link, newest: SealRow | undefined): Promise<ChainFault | undefined> {
    if (!newest || newest.position <= last.position || (await rows.placeAt(tenantId, newest.position))) return undefined
    // a head is signed of places that the chain has
    const { fault } = await walk.sealOf(tenantId, 'head', newest)
    if (fault) return { kind: fault, position: newest.position, id: null }
    return { kind: 'truncated', position: last.position + 1, id: null }
  }

  async function check(tenantId: string, { from, most }: LogCheck, kept: Seal | undefined): Promise<LogVerdict> {
    const start = await beginning(tenantId, from)
    const { last, ended, ...walked }: Walked = start.fault
      ? { last: start.from, fault: start.fault, ended: false }
      : await walk.walk(tenantId, { from: start.from, most })
    const newest = await rows.newestSeal(tenantId, 'head')
    let fault = walked.fault ?? (ended ? await endFault(tenantId, last, newest) : undefined)
    fault ??= await unchained(tenantId, start.from.position, ended ? undefined : last.position)
    const keptHead = kept ? await compare(tenantId, kept, start.checkpoint?.position ?? 0, last, ended) : null
    if (!fault && kept && keptHead === 'differs') {
      const gone = kept.position > last.position
      fault = { kind: gone ? 'truncated' : 'rewritten', position: gone ? last.position + 1 : kept.position, id: null }
    }
    const newestHead = newest && (await walk.sealOf(tenantId, 'head', newest))
    return {
      intact: !fault,
      complete: ended,
      checked: { from: start.from.position + 1, to: last.position },
      fault: fault ?? null,
      head: newestHead && !newestHead.fault ? newestHead.seal : null,
      keptHead,
      waiting: await rows.waiting(tenantId),
    }
  }

  return {
    async verifyLog(tenantId: string, wanted: LogCheck): Promise<LogVerdict> {
      const kept = wanted.head === undefined ? undefined : await keptSeal(tenantId, wanted.head)
      const before = (await walk.start(tenantId)).from.position
      const verdict = await check(tenantId, wanted, kept)
      // retention removed entries meanwhile: what is missing is not amiss
      const moved = verdict.fault?.kind === 'missing' && (await walk.start(tenantId)).from.position > before
      return moved ? check(tenantId, wanted, kept) : verdict
    },
  }
}

export type LogVerification = ReturnType<typeof createLogVerification>
