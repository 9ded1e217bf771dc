import { LRUCache } from 'lru-cache'
import { Refusal } from '../../../protocol/errors.ts'
import type { Dependencies } from '../../dependencies.ts'
import { byClock } from '../../frame/caches.ts'

const LIST_LIFETIME_MS = 30_000
/** What an entry of the cache takes besides the list, which may be empty: the cache takes no size of 0. */
const ENTRY_BYTES = 512

/** Where a list of others is, and how it is read. */
export interface Reading<List> {
  /** The tenant that verifies: what is fetched counts for its budget at the host. */
  readFor: string
  url: string
  accept: string
  maxBytes: number
  /** Whether a list from the cache may still be used. */
  isCurrent(list: List): boolean
  /** Reads and verifies the list; `size` in bytes. Throws `Refusal('status_list.…')`. */
  read(bytes: Buffer): Promise<{ list: List; size: number }>
}

/**
 * Lists of others, fetched again after half a minute. `name` names who was trusted when the list was verified: others do
 * not get it from the cache. Throws `Refusal`, `Unavailable('outbound')`.
 */
export function createForeignLists<List extends object>({ outbound, now }: Pick<Dependencies, 'outbound' | 'now'>) {
  const lists = new LRUCache<string, List>({
    max: 500,
    maxSize: 64 * 1024 * 1024,
    ttl: LIST_LIFETIME_MS,
    ...byClock(now),
  })

  return async (name: string, { readFor, url, accept, maxBytes, isCurrent, read }: Reading<List>): Promise<List> => {
    const cached = lists.get(name)
    if (cached && isCurrent(cached)) return cached
    const { status, body } = await outbound.fetch({ url, accept, maxBytes, readFor })
    if (status !== 200)
      throw new Refusal('status_list.unavailable', `The server of the status list answered with status ${status}.`)
    const { list, size } = await read(body)
    lists.set(name, list, { size: ENTRY_BYTES + size })
    return list
  }
}

/**
 * The id of a list under one of our own hosts, which is read from its rows: current, and without a network call. `path`:
 * its first group is the id.
 */
export function ownListId(publicUrl: URL, { host, protocol, pathname }: URL, path: RegExp): string | undefined {
  const isOurs = host === publicUrl.host || host.endsWith(`.${publicUrl.host}`)
  return isOurs && protocol === publicUrl.protocol ? path.exec(pathname)?.[1] : undefined
}
