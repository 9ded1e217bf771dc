import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import { Refusal } from '../../../protocol/errors.ts'
import type { StatusListKind } from '../../../protocol/status-list/index.ts'
import { LIST_BYTES, type ReadList } from '../../../protocol/status-list/token.ts'
import { hasCome } from '../../../protocol/time.ts'
import type { Dependencies } from '../../dependencies.ts'
import { byClock } from '../../frame/caches.ts'
import type { Tenants } from '../../frame/tenants/index.ts'
import type { CredentialStatus } from './changes.ts'

const LIST_LIFETIME_MS = 30_000

/** The place of a credential in a list that it names. */
interface Place {
  index: number
  url: string
}

/** An own list: where its id stands in its path, and what its row must say. */
export interface OwnList {
  /** The first group is the id. */
  path: RegExp
  kind: StatusListKind
  /** DID of the issuer, or the fingerprint of the IACA. */
  issuer: string
}

export interface ForeignList {
  /** Names who was trusted when the list was verified: others do not get it from the cache. */
  name: string
  accept: string
  /** Reads and verifies the bytes of the list. Throws `Refusal('status_list.…')`. */
  read(bytes: Uint8Array): Promise<ReadList>
}

interface Parts extends Pick<Dependencies, 'outbound' | 'config' | 'now'> {
  tenants: Pick<Tenants, 'byHost'>
  credentialStatus: Pick<CredentialStatus, 'storedEntry'>
}

/** Status lists that credentials name, for formats whose lists are no credentials. */
export function createNamedLists({ outbound, config, now, tenants, credentialStatus }: Parts) {
  const { publicUrl, clockToleranceMs: toleranceMs } = config
  const lists = new LRUCache<string, ReadList>({
    max: 500,
    maxSize: 64 * 1024 * 1024,
    ttl: LIST_LIFETIME_MS,
    ...byClock(now),
  })
  /** The largest list has 16 MiB, so only two are unpacked at a time. */
  const unpacking = pLimit(2)

  return {
    /** Whether an entry of a list of this platform is set, by its rows; undefined for a list of others. */
    async isOwnSet({ index, url }: Place, { path, kind, issuer }: OwnList): Promise<boolean | undefined> {
      const { host, protocol, pathname } = new URL(url)
      const isOurs = host === publicUrl.host || host.endsWith(`.${publicUrl.host}`)
      const id = isOurs && protocol === publicUrl.protocol ? path.exec(pathname)?.[1] : undefined
      const stored = id === undefined ? undefined : await credentialStatus.storedEntry(id, index)
      if (!stored) return undefined
      const place = await tenants.byHost(host)
      const isSame = place?.id === stored.tenantId && stored.kind === kind
      if (!isSame || (stored.issuer !== null && stored.issuer !== issuer))
        throw new Refusal('status_list.mismatch', 'The status list is of another issuer, kind or address.')
      if (index >= stored.size)
        throw new Refusal('status_list.index_out_of_range', 'The status index is outside of its list.')
      return stored.state === 'revoked'
    },

    /** A list of others, read again after half a minute. Throws `Refusal`, `Unavailable('outbound')`. */
    async foreignList(url: string, { name, accept, read }: ForeignList): Promise<ReadList> {
      const cached = lists.get(name)
      if (cached && !(cached.expiresAt && hasCome(cached.expiresAt, { now: now(), toleranceMs }))) return cached
      const { status, body } = await outbound.fetch({ url, accept, maxBytes: LIST_BYTES })
      if (status !== 200)
        throw new Refusal('status_list.unavailable', `The server of the status list answered with status ${status}.`)
      const list = await unpacking(() => read(body))
      lists.set(name, list, { size: list.bytes })
      return list
    },
  }
}

export type NamedLists = ReturnType<typeof createNamedLists>
