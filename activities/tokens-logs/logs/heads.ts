import { Unavailable } from '../../../protocol/errors.ts'
import type { Link } from '../../../protocol/tokens-logs/chain.ts'
import type { Seal, SealKind } from '../../../protocol/tokens-logs/seals.ts'
import { NIL_UUID } from '../../../protocol/uuid.ts'
import type { Dependencies } from '../../dependencies.ts'
import { createFailures } from '../../frame/slices.ts'
import type { LogKeys } from './keys.ts'
import type { ChainRows } from './rows.ts'
import type { Walk, Walked } from './walk.ts'

/** Places between two heads at most: a pass that is ended begins again at the last head. */
const STRIDE = 50_000
/** Places that the database looks at in one statement, which takes some 20 ms. */
const LOOK = 2_000
/** Tenants of one look. */
const AT_ONCE = 1_000

/** Tenants whose chain does not end at their newest head. */
const MOVED = `select t.id from tenants t
  left join lateral (select position from log_chain where tenant_id = t.id order by position desc limit 1) c on true
  left join lateral (select position from log_seals where tenant_id = t.id and kind = 'head'
    order by position desc limit 1) h on true
  left join lateral (select position from log_seals where tenant_id = t.id and kind = 'checkpoint'
    order by position desc limit 1) k on true
where t.id > $1 and coalesce(c.position, k.position, 0) <> coalesce(h.position, 0) and c.position is not null
order by t.id limit ${AT_ONCE}`

const ADD = `insert into log_seals (tenant_id, kind, position, hash, key_id, signed_at, jws)
values ($1, $2, $3, decode($4, 'hex'), $5, $6, $7) on conflict do nothing`

/** Of heads from before yesterday the last of each day stays. */
const THIN = `delete from log_seals s where s.tenant_id = $1 and s.kind = 'head' and s.signed_at < $2::timestamptz - interval '1 day'
  and exists (select from log_seals n where n.tenant_id = s.tenant_id and n.kind = 'head' and n.position > s.position
    and n.signed_at at time zone 'UTC' < date_trunc('day', s.signed_at at time zone 'UTC') + interval '1 day')`

interface Parts extends Pick<Dependencies, 'systemSql' | 'now' | 'log'> {
  rows: ChainRows
  keys: LogKeys
  walk: Walk
}

export interface SignedHeads {
  signed: number
  /** Tenants whose chain has a fault: it is not signed any further. */
  broken: number
}

/** Signs where the chains of the log end, so that a chain that was shortened or written anew differs from what was signed. */
export function createHeads({ systemSql, now, log, rows, keys, walk }: Parts) {
  /** Signs and stores a seal. Safe to repeat: the first seal of a place stays. */
  async function seal(keyId: string, tenantId: string, kind: SealKind, { position, hash }: Link): Promise<Seal> {
    const signedAt = now().toISOString()
    const said: Seal = { kind, tenantId, position, hash, signedAt }
    const jws = await keys.sign(keyId, said)
    await systemSql.query({ text: ADD, values: [tenantId, kind, position, hash, keyId, signedAt, jws] })
    // a copy outside of the database
    log.info({ tenantId, kind, position, hash }, 'the log of a tenant was sealed')
    return said
  }

  /** The last head that was signed here, also by a key that is lost (D-1115), or where the chain begins. */
  async function lastSigned(tenantId: string) {
    const start = await walk.start(tenantId)
    if (start.fault && start.fault.kind !== 'key_lost') return start
    const row = (await rows.seals(tenantId, 'head', start.from.position)).at(-1)
    if (!row) return { from: start.from }
    const { seal: head } = await walk.sealOf(tenantId, 'head', row)
    return head
      ? { from: head }
      : { from: row, fault: { kind: 'signature', position: row.position, id: null } as const }
  }

  /** Goes as far as the database finds the chain whole, and then place by place to its end, or to the fault. */
  async function goOn(tenantId: string, from: Link): Promise<Walked> {
    const until = from.position + STRIDE
    let last = from
    while (last.position < until) {
      const next = await rows.whole(tenantId, last, Math.min(LOOK, until - last.position))
      if (!next) break
      last = next
    }
    return walk.walk(tenantId, { from: last, most: until - last.position, lostIsRight: true })
  }

  /** Signs the chain of a tenant up to its end, as far as it continues what was signed before. */
  async function signTenant(tenantId: string, keyId: string): Promise<'signed' | 'broken' | 'unchanged'> {
    const { from, fault } = await lastSigned(tenantId)
    const place = await rows.placeAt(tenantId, from.position)
    const start = (await walk.start(tenantId)).from
    const stands = from.position === start.position ? start.hash === from.hash : place?.hash === from.hash
    const broken = fault ?? (stands ? undefined : { kind: place ? 'rewritten' : 'truncated', position: from.position })
    if (broken) return report(tenantId, broken)
    for (let before: Link = from; ; ) {
      const walked = await goOn(tenantId, before)
      if (walked.last.position > before.position) await seal(keyId, tenantId, 'head', walked.last)
      if (walked.fault) return report(tenantId, walked.fault)
      if (walked.ended) return walked.last.position > from.position ? 'signed' : 'unchanged'
      before = walked.last
    }
  }

  function report(tenantId: string, { kind, position }: { kind: string; position: number | null }): 'broken' {
    log.error({ tenantId, kind, position }, 'the log of a tenant is not intact: it is not signed from there on')
    return 'broken'
  }

  return {
    seal,

    /**
     * Scheduled: signs the heads of all chains that have grown. A tenant that fails holds up no other one; the run fails
     * at its end. Safe to repeat.
     */
    async signLogHeads({ keyId: newKeyId }: { keyId: string }): Promise<SignedHeads> {
      const total = { signed: 0, broken: 0 }
      const failures = createFailures((error, tenantId) =>
        log.error({ err: error, tenantId }, 'the log of a tenant was not sealed'),
      )
      let outage: Unavailable | undefined
      const keyId = await keys.current(newKeyId)
      for (let after = NIL_UUID; ; ) {
        const { rows: moved } = await systemSql.query<{ id: string }>({ text: MOVED, values: [after] })
        for (const { id } of moved) {
          await failures.attempt(id, async () => {
            try {
              const outcome = await signTenant(id, keyId)
              if (outcome !== 'unchanged') total[outcome] += 1
              await systemSql.query({ text: THIN, values: [id, now()] })
            } catch (error) {
              if (error instanceof Unavailable) outage = error
              throw error
            }
          })
          if (outage) throw outage // of a part that all tenants need
        }
        const last = moved.at(-1)
        if (!last || moved.length < AT_ONCE) break
        after = last.id
      }
      failures.end('logs were not sealed')
      return total
    },
  }
}

export type Heads = ReturnType<typeof createHeads>
