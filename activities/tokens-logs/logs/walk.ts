import { setImmediate as nextTurn } from 'node:timers/promises'
import { type ChainFault, firstFault, GENESIS, type Link } from '../../../protocol/tokens-logs/chain.ts'
import type { Seal, SealKind } from '../../../protocol/tokens-logs/seals.ts'
import type { LogKeys } from './keys.ts'
import type { ChainRows, SealRow } from './rows.ts'

/** Places of one read: their hashes take some 3 ms of the event loop. */
const SLICE = 250

/** What a walk came to: the last place that is right, and why it went no further. */
export interface Walked {
  last: Link
  fault?: ChainFault | undefined
  /** The place is the last of the chain. */
  ended: boolean
}

interface Heads {
  /** In the order of their positions. */
  rows: readonly SealRow[]
}

const faultAt = (kind: ChainFault['kind'], position: number): ChainFault => ({ kind, position, id: null })

/** Walks along the chain of a tenant in slices, and compares each place with its entry and with the heads that were signed. */
export function createWalk({ rows, keys }: { rows: ChainRows; keys: LogKeys }) {
  /** What the seal of a row says; undefined if it was not signed here, or says another thing than the row. */
  async function sealOf(tenantId: string, kind: SealKind, row: SealRow): Promise<Seal | undefined> {
    const seal = await keys.verified(row.jws)
    const same = seal?.tenantId === tenantId && seal.kind === kind
    return same && seal.position === row.position && seal.hash === row.hash ? seal : undefined
  }

  /** Compares the heads within a slice with its places. */
  async function headFault(tenantId: string, places: readonly Link[], { rows: heads }: Heads) {
    const [first, last] = [places[0]?.position ?? 0, places.at(-1)?.position ?? 0]
    for (const head of heads.filter(({ position }) => position >= first && position <= last)) {
      const seal = await sealOf(tenantId, 'head', head)
      if (!seal) return faultAt('signature', head.position)
      if (seal.hash !== places[seal.position - first]?.hash) return faultAt('rewritten', seal.position)
    }
    return undefined
  }

  return {
    sealOf,

    /** Where the chain begins: at its first entry, or behind the newest checkpoint. */
    async start(tenantId: string): Promise<{ from: Link; checkpoint?: Seal; fault?: ChainFault }> {
      const row = (await rows.seals(tenantId, 'checkpoint')).at(-1)
      if (!row) return { from: GENESIS }
      const checkpoint = await sealOf(tenantId, 'checkpoint', row)
      return checkpoint
        ? { from: checkpoint, checkpoint }
        : { from: { position: row.position, hash: row.hash }, fault: faultAt('signature', row.position) }
    },

    /** Walks from behind `from` over `most` places, or to `to`. */
    async walk(
      tenantId: string,
      { from, most, to = Number.MAX_SAFE_INTEGER }: { from: Link; most: number; to?: number },
    ): Promise<Walked> {
      const heads = { rows: await rows.seals(tenantId, 'head', from.position) }
      const until = Math.min(from.position + most, to)
      let last: Link = { position: from.position, hash: from.hash }
      while (last.position < until) {
        const limit = Math.min(SLICE, until - last.position)
        const places = await rows.slice(tenantId, last.position, limit)
        if (places.length === 0) return { last, ended: true }
        const broken = firstFault(last, places)
        const whole = broken?.position ? places.filter(({ position }) => position < (broken.position ?? 0)) : places
        const fault = (await headFault(tenantId, whole, heads)) ?? broken
        const end = fault?.position
          ? whole.filter(({ position }) => position < (fault.position ?? 0)).at(-1)
          : whole.at(-1)
        if (end) last = { position: end.position, hash: end.hash }
        if (fault) return { last, fault, ended: false }
        if (places.length < limit) return { last, ended: true }
        await nextTurn()
      }
      return { last, ended: false }
    },
  }
}

export type Walk = ReturnType<typeof createWalk>
