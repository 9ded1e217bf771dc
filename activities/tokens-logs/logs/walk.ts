import { setImmediate as nextTurn } from 'node:timers/promises'
import { type ChainFault, type ChainRow, firstFault, GENESIS, type Link } from '../../../protocol/tokens-logs/chain.ts'
import type { Seal, SealKind } from '../../../protocol/tokens-logs/seals.ts'
import type { LogKeys } from './keys.ts'
import type { ChainRows, SealRow } from './rows.ts'

/** Places of one read: to parse them, and to compare their hashes, takes 1 to 2 ms of the event loop. */
const SLICE = 250
/** Reads that are under way while places are compared: the database works, and so does this process. */
const AHEAD = 3

/** What a walk came to: the last place that is right, and why it went no further. */
export interface Walked {
  last: Link
  fault?: ChainFault | undefined
  /** The place is the last of the chain. */
  ended: boolean
}

interface Slice {
  places: ChainRow[]
  /** Has every position that it was read for. */
  isWhole: boolean
}

interface Heads {
  /** In the order of their positions. */
  rows: readonly SealRow[]
  lostIsRight: boolean
}

type RowSeal = { seal: Seal; fault?: 'key_lost' } | { seal?: never; fault: 'signature' }

interface WalkRequest {
  from: Link
  most: number
  to?: number
  lostIsRight?: boolean
}

const faultAt = (kind: ChainFault['kind'], position: number): ChainFault => ({ kind, position, id: null })

/** Walks along the chain of a tenant in slices, and compares each place with its entry and with the heads that were signed. */
export function createWalk({ rows, keys }: { rows: ChainRows; keys: LogKeys }) {
  /** What the seal of a row says, and why it proves nothing; without `seal`: it says another thing than the row. */
  async function sealOf(tenantId: string, kind: SealKind, row: SealRow): Promise<RowSeal> {
    const { seal, isLost } = (await keys.verified(row.jws)) ?? {}
    const same = seal?.tenantId === tenantId && seal.kind === kind
    if (!same || seal.position !== row.position || seal.hash !== row.hash) return { fault: 'signature' }
    return isLost ? { seal, fault: 'key_lost' } : { seal }
  }

  /** Compares the heads within a slice with its places. */
  async function headFault(tenantId: string, places: readonly Link[], { rows: heads, lostIsRight }: Heads) {
    const [first, last] = [places[0]?.position ?? 0, places.at(-1)?.position ?? 0]
    for (const head of heads.filter(({ position }) => position >= first && position <= last)) {
      const { seal, fault } = await sealOf(tenantId, 'head', head)
      if (!seal || (fault && !lostIsRight)) return faultAt(fault ?? 'signature', head.position)
      if (seal.hash !== places[seal.position - first]?.hash) return faultAt('rewritten', seal.position)
    }
    return undefined
  }

  /** Reads the places between two positions slice by slice, some slices ahead; ends behind one that is not whole. */
  async function* slicesOf(tenantId: string, from: number, to: number): AsyncGenerator<Slice> {
    const reads: Promise<ChainRow[]>[] = []
    let asked = from
    const ask = () => {
      const size = Math.min(SLICE, to - asked)
      const places = rows.slice(tenantId, asked, size)
      places.catch(() => undefined) // shows when it is awaited, unless the walk ends before
      reads.push(places)
      asked += size
    }
    for (let at = from; at < to; at += SLICE) {
      if (reads.length === 0) ask() // alone at first: behind a short log nothing is read
      const places = (await reads.shift()) ?? []
      const isWhole = places.length === Math.min(SLICE, to - at)
      while (isWhole && reads.length < AHEAD && asked < to) ask()
      yield { places, isWhole }
      if (!isWhole) return
    }
  }

  /** What follows places that end before their slice does. */
  async function endAfter(tenantId: string, { position }: Link): Promise<Partial<Walked>> {
    const next = await rows.next(tenantId, position)
    if (!next) return { ended: true }
    // the chain has grown since: the walk goes on from here
    return next.position === position + 1 ? {} : { fault: faultAt('missing', position + 1) }
  }

  return {
    sealOf,

    /** Where the chain begins: at its first entry, or behind the newest checkpoint. */
    async start(tenantId: string): Promise<{ from: Link; checkpoint?: Seal; fault?: ChainFault }> {
      const row = await rows.newestSeal(tenantId, 'checkpoint')
      if (!row) return { from: GENESIS }
      const { seal: checkpoint, fault } = await sealOf(tenantId, 'checkpoint', row)
      const begins = checkpoint
        ? { from: checkpoint, checkpoint }
        : { from: { position: row.position, hash: row.hash } }
      return fault ? { ...begins, fault: faultAt(fault, row.position) } : begins
    },

    /** Walks from behind `from` over `most` places, or to `to`; `lostIsRight`: also past heads of a lost key. */
    async walk(
      tenantId: string,
      { from, most, to = Number.MAX_SAFE_INTEGER, lostIsRight = false }: WalkRequest,
    ): Promise<Walked> {
      const heads = { lostIsRight, rows: await rows.seals(tenantId, 'head', from.position) }
      const until = Math.min(from.position + most, to)
      let last: Link = { position: from.position, hash: from.hash }
      while (last.position < until) {
        for await (const { places, isWhole } of slicesOf(tenantId, last.position, until)) {
          const broken = firstFault(last, places)
          const whole = broken?.position ? places.filter(({ position }) => position < (broken.position ?? 0)) : places
          const fault = (await headFault(tenantId, whole, heads)) ?? broken
          const right = fault?.position
            ? whole.filter(({ position }) => position < (fault.position ?? 0)).at(-1)
            : whole.at(-1)
          if (right) last = { position: right.position, hash: right.hash }
          if (fault) return { last, fault, ended: false }
          await nextTurn()
          const ending = isWhole ? {} : await endAfter(tenantId, last)
          if (ending.fault || ending.ended) return { last, ended: false, ...ending }
        }
      }
      return { last, ended: false }
    },
  }
}

export type Walk = ReturnType<typeof createWalk>
