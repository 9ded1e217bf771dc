import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import type { StatusEntry } from '../../protocol/compact-credentials/cwt.ts'
import { LIST_BYTES, type ReadList, readList, TOKEN_TYPES } from '../../protocol/compact-credentials/status-lists.ts'
import type { Profile } from '../../protocol/compact-credentials/text.ts'
import { type CompactVerdict, keyUrlOf, verifyCompact } from '../../protocol/compact-credentials/verify.ts'
import { verificationKey } from '../../protocol/data-integrity/keys.ts'
import { dereference } from '../../protocol/dids/index.ts'
import { Refusal } from '../../protocol/errors.ts'
import { hasCome } from '../../protocol/time.ts'
import { UUID } from '../../protocol/uuid.ts'
import type { CredentialStatus } from '../credentials/status-lists/changes.ts'
import type { Dependencies } from '../dependencies.ts'
import type { DidResolver } from '../dids/resolver.ts'
import { byClock } from '../frame/caches.ts'
import type { Tenants } from '../frame/tenants/index.ts'
import { LIST_KIND } from './sign.ts'

export interface CompactVerifyRequest {
  payload: string
  assertExpiry?: boolean | null
  assertNotBefore?: boolean | null
  checkRevocation?: boolean | null
  trustedIssuers?: string[] | null
}

interface Parts extends Pick<Dependencies, 'outbound' | 'config' | 'now'> {
  tenants: Tenants
  didResolver: DidResolver
  credentialStatus: CredentialStatus
}

const LIST_LIFETIME_MS = 30_000
const OWN_LIST = new RegExp(`^/v1/credentials/compact/revocation-lists/(${UUID})$`)
const ACCEPT = `${TOKEN_TYPES.cwt}, application/cwt;q=0.9, application/cbor;q=0.8, application/octet-stream;q=0.7`
/** A list that credentials name by claim -65537 has no media type of its own. */
const ACCEPT_BIT_INDEX = 'application/cwt, application/cbor;q=0.9, application/octet-stream;q=0.8, */*;q=0.1'

/** Verifies compact credentials of any issuer. A bad credential is a verdict, and only a broken request throws. */
export function createCompactVerifier({ outbound, config, now, tenants, didResolver, credentialStatus }: Parts) {
  const { publicUrl, clockToleranceMs: toleranceMs } = config
  const lists = new LRUCache<string, ReadList>({
    max: 500,
    maxSize: 64 * 1024 * 1024,
    ttl: LIST_LIFETIME_MS,
    ...byClock(now),
  })
  /** The largest list has 16 MiB, so only two are unpacked at a time. */
  const unpacking = pLimit(2)

  const resolveDid = async (did: string) => (await didResolver.resolve(did)).document

  /** The id of a list of this platform, which is read from its rows: current, and without a network call. */
  const ownListId = (listUrl: string): string | undefined => {
    const url = new URL(listUrl)
    const isOurs = url.host === publicUrl.host || url.host.endsWith(`.${publicUrl.host}`)
    return isOurs && url.protocol === publicUrl.protocol ? OWN_LIST.exec(url.pathname)?.[1] : undefined
  }

  async function ownStatus(listId: string, { url, index }: StatusEntry, issuer: string): Promise<boolean | undefined> {
    const stored = await credentialStatus.storedEntry(listId, index)
    if (!stored) return undefined
    const place = await tenants.byHost(new URL(url).host)
    const isSame = place?.id === stored.tenantId && stored.kind === LIST_KIND
    if (!isSame || (stored.issuer !== null && stored.issuer !== issuer))
      throw new Refusal('status_list.mismatch', 'The status list is of another issuer, kind or address.')
    if (index >= stored.size)
      throw new Refusal('status_list.index_out_of_range', 'The status index is outside of its list.')
    return stored.state === 'revoked'
  }

  async function foreignList(entry: StatusEntry, issuer: string): Promise<ReadList> {
    const name = `${entry.kind} ${issuer} ${entry.url}`
    const cached = lists.get(name)
    const clock = { now: now(), toleranceMs }
    if (cached && !(cached.expiresAt && hasCome(cached.expiresAt, clock))) return cached
    const accept = entry.kind === 'token' ? ACCEPT : ACCEPT_BIT_INDEX
    const { status, body } = await outbound.fetch({ url: entry.url, accept, maxBytes: LIST_BYTES })
    if (status !== 200)
      throw new Refusal('status_list.unavailable', `The server of the status list answered with status ${status}.`)
    const keyOf = async (kid: string) => {
      const { method, authorized } = dereference(await resolveDid(issuer), keyUrlOf(kid, issuer), 'assertionMethod')
      if (authorized) return verificationKey(method)
      throw new Refusal('status_list.not_verified', 'The issuer does not allow the key of its status list to sign.')
    }
    const list = await unpacking(() => readList(body, entry, issuer, keyOf, clock))
    lists.set(name, list, { size: list.bytes })
    return list
  }

  async function isRevoked(entry: StatusEntry, issuer: string): Promise<boolean> {
    const listId = ownListId(entry.url)
    const ours = listId ? await ownStatus(listId, entry, issuer) : undefined
    return ours ?? (await foreignList(entry, issuer)).isSet(entry.index)
  }

  return {
    /** Options that are absent or null are asked for: expiry, start and revocation are checked, any issuer is trusted. */
    verify(profile: Profile, request: CompactVerifyRequest): Promise<CompactVerdict> {
      const { payload, assertExpiry, assertNotBefore, checkRevocation, trustedIssuers } = request
      return verifyCompact(payload, {
        profile,
        now: now(),
        toleranceMs,
        assertExpiry: assertExpiry ?? true,
        assertNotBefore: assertNotBefore ?? true,
        trustedIssuers: trustedIssuers ?? undefined,
        resolveDid,
        isRevoked: (checkRevocation ?? true) ? isRevoked : undefined,
      })
    },
  }
}

export type CompactVerifier = ReturnType<typeof createCompactVerifier>
