import { Refusal } from '../../../protocol/errors.ts'
import type { StatusListKind } from '../../../protocol/status-list/index.ts'
import { LIST_BYTES, type ReadList, type StatusState } from '../../../protocol/status-list/token.ts'
import { hasCome } from '../../../protocol/time.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Tenants } from '../../frame/tenants/index.ts'
import type { CredentialStatus, StoredEntry } from './changes.ts'
import { createForeignLists, ownListId } from './foreign.ts'

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
  /** Whether its issuer, where that was not deleted, is the one of the credential. */
  isBy(issuer: Pick<StoredEntry, 'did' | 'iaca'>): boolean
}

export interface ForeignList {
  /** Names who was trusted when the list was verified: others do not get it from the cache. */
  name: string
  /** The tenant that verifies. */
  readFor: string
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
  const lists = createForeignLists<ReadList>({ outbound, now })

  return {
    /** The state of an entry of a list of this platform, by its rows; undefined for a list of others. */
    async ownState({ index, url }: Place, { path, kind, isBy }: OwnList): Promise<StatusState | undefined> {
      const place = new URL(url)
      const id = ownListId(publicUrl, place, path)
      const stored = id === undefined ? undefined : await credentialStatus.storedEntry(id, index)
      if (!stored) return undefined
      const publisher = await tenants.byHost(place.host)
      const isSame = publisher?.id === stored.tenantId && stored.kind === kind
      if (!isSame || ((stored.did ?? stored.iaca) !== null && !isBy(stored)))
        throw new Refusal('status_list.mismatch', 'The status list is of another issuer, kind or address.')
      if (index >= stored.size)
        throw new Refusal('status_list.index_out_of_range', 'The status index is outside of its list.')
      return stored.state
    },

    /** A list of others, read again after half a minute. Throws `Refusal`, `Unavailable('outbound')`. */
    foreignList: (url: string, { name, readFor, accept, read }: ForeignList): Promise<ReadList> =>
      lists(name, {
        readFor,
        url,
        accept,
        maxBytes: LIST_BYTES,
        isCurrent: ({ expiresAt }) => !(expiresAt && hasCome(expiresAt, { now: now(), toleranceMs })),
        async read(bytes) {
          const list = await read(bytes)
          return { list, size: list.bytes }
        },
      }),
  }
}

export type NamedLists = ReturnType<typeof createNamedLists>
