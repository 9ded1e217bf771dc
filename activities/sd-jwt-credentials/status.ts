import { Refusal } from '../../protocol/errors.ts'
import { issuersAmong } from '../../protocol/mobile-credentials/issued.ts'
import { faulty } from '../../protocol/sd-jwt-credentials/faults.ts'
import { type IssuerReference, issuerReference } from '../../protocol/sd-jwt-credentials/issuers.ts'
import { readStatusListJwt } from '../../protocol/sd-jwt-credentials/status-list.ts'
import { type StatusState, stateOf, TOKEN_TYPES, type TokenEntry } from '../../protocol/status-list/token.ts'
import { UUID } from '../../protocol/uuid.ts'
import { LIST_KIND as DID_LIST } from '../compact-credentials/sign.ts'
import type { NamedLists } from '../credentials/status-lists/named.ts'
import type { Dependencies } from '../dependencies.ts'
import { isOfAuthority } from '../mobile-credentials/records.ts'
import { LIST_KIND as SIGNER_LIST } from '../mobile-credentials/sign.ts'
import type { FoundKey, IssuerKeys } from './issuer-keys.ts'

const OF_DIDS = new RegExp(`^/v1/credentials/compact/revocation-lists/(${UUID})$`)
const OF_SIGNERS = new RegExp(`^/v1/credentials/mobile/status-lists/(${UUID})$`)

interface Parts extends Pick<Dependencies, 'now' | 'config'> {
  namedLists: NamedLists
  issuerKeys: IssuerKeys
}

/** The DID whose key signed, or whose list the credential of an address names. */
function didOf(reference: Exclude<IssuerReference, { by: 'x5c' }>, { url }: TokenEntry): string {
  if (reference.by === 'did') return reference.issuer
  const isOwn = new URL(reference.issuer).origin === new URL(url).origin
  const [did = ''] = isOwn && reference.kid ? reference.kid.split('#') : []
  return did
}

/** Whether the authority that issued the certificate of the one has issued that of the other as well (D-1087). */
const isBeside = ({ issuers = [] }: FoundKey, { path: [signer] = [] }: FoundKey): boolean =>
  signer !== undefined && issuersAmong(issuers, signer).length > 0

/** The statuses of SD-JWT VC credentials, in lists that their issuers sign. */
export function createSdJwtStatus({ now, config, namedLists, issuerKeys }: Parts) {
  /** Own lists are read from their rows: current, and without a network call. */
  const ownEntry = (entry: TokenEntry, reference: IssuerReference, { iaca, path }: FoundKey) => {
    if (reference.by !== 'x5c') {
      const of = didOf(reference, entry)
      return namedLists.ownState(entry, { path: OF_DIDS, kind: DID_LIST, isBy: ({ did }) => did === of })
    }
    return namedLists.ownState(entry, { path: OF_SIGNERS, kind: SIGNER_LIST, isBy: isOfAuthority(iaca, path?.[0]) })
  }

  return {
    /** The state of an entry. Throws `Refusal('status_list.…')`, `Unavailable('outbound')`. */
    async stateIn(
      tenantId: string,
      entry: TokenEntry,
      reference: IssuerReference,
      found: FoundKey,
    ): Promise<StatusState> {
      const ours = await ownEntry(entry, reference, found)
      if (ours !== undefined) return ours
      const iss = reference.by === 'x5c' ? undefined : reference.issuer
      const list = await namedLists.foreignList(entry.url, {
        name: `${tenantId} ${reference.by} ${found.issuer} ${entry.url}`,
        readFor: tenantId,
        accept: TOKEN_TYPES.jwt,
        read: (bytes) =>
          readStatusListJwt(
            bytes,
            entry.url,
            async ({ header, payload }) => {
              // a key of the issuer's metadata is its own, whatever the list names as iss: ours name the DID
              if (reference.by === 'did' && payload.iss !== undefined && payload.iss !== iss)
                throw new Refusal('status_list.mismatch', 'The status list is of another issuer.')
              const key = await issuerKeys.find(
                tenantId,
                issuerReference({ header, payload: iss === undefined ? {} : { iss } }),
                found,
              )
              if (key.issuer === found.issuer || isBeside(key, found)) return key.key
              throw faulty('Status', 'status_list_of_other', 'Another issuer signed the status list.')
            },
            { now: now(), toleranceMs: config.clockToleranceMs },
          ),
      })
      return stateOf(list.valueAt(entry.index))
    },
  }
}
