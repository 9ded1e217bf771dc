import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { Unavailable } from '../../../protocol/errors.ts'
import { permute, type StatusListKind, type StatusPurpose } from '../../../protocol/status-list/index.ts'
import type { Dependencies } from '../../dependencies.ts'
import { singleFlight } from '../../frame/caches.ts'
import type { KnownEpoch } from '../../frame/epoch.ts'

export interface StatusListOwner {
  tenantId: string
  /** Our id of the DID that signs the list, or of the IACA whose document signers do. */
  issuerId: string
  kind: StatusListKind
  purpose: StatusPurpose
  proofType: string
}

export interface StatusEntry {
  listId: string
  index: number
}

/** Entries of a list: 131,072, the herd that W3C Bitstring Status List section 6.1 asks for at least. */
export const LIST_SIZE = 131_072
/** Entries that a process reserves at a time. Those that it has not used when it ends stay unused. */
const LEASE = 32
const LARGEST_LEASE = 1024

interface Lease {
  listId: string
  next: number
  end: number
  size: number
  key: Buffer
  /** Id of the epoch in which it was reserved; in another epoch the list may not exist. */
  epoch: string
}

interface Reserved {
  list_id: string
  first_entry: number
  entries: number
  list_size: number
  list_key: Buffer
}

/**
 * Returns random unused status indexes, each once: a counter in the database gives each process a range of entry
 * numbers, and a keyed permutation of the list turns them into positions that do not reveal the order of issuance. The
 * counter of a restored list is too low, so such a list gives out no more entries (epoch.ts).
 */
export function createStatusEntries({ sql, uuid, epoch }: Pick<Dependencies, 'sql' | 'uuid' | 'epoch'>) {
  const leases = new LRUCache<string, Lease>({ max: 10_000 })
  const reserving = singleFlight<void>()

  async function reserve(
    name: string,
    { tenantId, issuerId, kind, purpose, proofType }: StatusListOwner,
    together: number,
  ) {
    const wanted = Math.min(LARGEST_LEASE, Math.max(LEASE, together))
    const from = async ({ id, mark }: KnownEpoch): Promise<Lease | undefined> => {
      const { rows } = await sql.query<Reserved>({
        name: 'reserve-status-entries',
        text: 'select * from reserve_status_entries($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)',
        values: [tenantId, issuerId, kind, purpose, proofType, wanted, uuid(), LIST_SIZE, randomBytes(32), mark],
      })
      if (!rows[0]) return undefined
      const { list_id: listId, first_entry: next, entries, list_size: size, list_key: key } = rows[0]
      return { listId, next, end: next + entries, size, key, epoch: id }
    }
    // none: the database was restored since this process last checked
    const lease = (await from(await epoch.current())) ?? (await from(await epoch.check()))
    if (!lease) throw new Unavailable('database', 'The database was restored a moment ago. Try again in a second.', 1)
    leases.set(name, lease)
  }

  return {
    /** Takes one entry. `together`: how many the caller takes in a row, so that they are reserved at once. */
    async take(owner: StatusListOwner, together = 1): Promise<StatusEntry> {
      const name = Object.values(owner).join(' ')
      for (;;) {
        const lease = leases.get(name)
        if (lease && lease.next < lease.end && lease.epoch === epoch.known)
          return { listId: lease.listId, index: permute(lease.next++, lease.size, lease.key) }
        await reserving(name, () => reserve(name, owner, together))
      }
    },
  }
}

export type StatusEntries = ReturnType<typeof createStatusEntries>
