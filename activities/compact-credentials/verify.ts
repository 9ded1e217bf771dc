import type { StatusEntry } from '../../protocol/compact-credentials/cwt.ts'
import { readList } from '../../protocol/compact-credentials/status-lists.ts'
import type { Profile } from '../../protocol/compact-credentials/text.ts'
import { type CompactVerdict, keyUrlOf, verifyCompact } from '../../protocol/compact-credentials/verify.ts'
import type { PolicyGate } from '../../protocol/credentials/policy.ts'
import type { TrustGate } from '../../protocol/credentials/trust.ts'
import { verificationKey } from '../../protocol/data-integrity/keys.ts'
import { usableMethod } from '../../protocol/dids/usable.ts'
import { Refusal } from '../../protocol/errors.ts'
import { type ReadList, type StatusState, stateOf, TOKEN_TYPES } from '../../protocol/status-list/token.ts'
import { UUID } from '../../protocol/uuid.ts'
import type { NamedLists } from '../credentials/status-lists/named.ts'
import type { Dependencies } from '../dependencies.ts'
import type { DidResolver } from '../dids/resolver.ts'
import { LIST_KIND } from './sign.ts'

export interface CompactVerifyRequest {
  payload: string
  assertExpiry?: boolean | null
  assertNotBefore?: boolean | null
  checkRevocation?: boolean | null
  trustedIssuers?: string[] | null
}

interface Parts extends Pick<Dependencies, 'config' | 'now'> {
  didResolver: DidResolver
  namedLists: NamedLists
  policyGate: Pick<PolicyGate, 'reasonsAgainst'>
  trustGate: TrustGate
}

const OWN_LIST = new RegExp(`^/v1/credentials/compact/revocation-lists/(${UUID})$`)
const ACCEPT = `${TOKEN_TYPES.cwt}, application/cwt;q=0.9, application/cbor;q=0.8, application/octet-stream;q=0.7`
/** A list that credentials name by claim -65537 has no media type of its own. */
const ACCEPT_BIT_INDEX = 'application/cwt, application/cbor;q=0.9, application/octet-stream;q=0.8, */*;q=0.1'

/** Verifies compact credentials of any issuer. A bad credential is a verdict, and only a broken request throws. */
export function createCompactVerifier({ config, now, didResolver, namedLists, policyGate, trustGate }: Parts) {
  const { clockToleranceMs: toleranceMs } = config
  function foreignList(tenantId: string, entry: StatusEntry, issuer: string): Promise<ReadList> {
    const clock = { now: now(), toleranceMs }
    const keyOf = async (kid: string) => {
      const document = await didResolver.documentFor(tenantId, issuer)
      const { method, fault } = usableMethod(document, keyUrlOf(kid, issuer), 'assertionMethod', clock)
      if (fault)
        throw new Refusal('status_list.not_verified', `The key of the status list is not valid. ${fault.message}`)
      return verificationKey(method)
    }
    return namedLists.foreignList(entry.url, {
      readFor: tenantId,
      name: `${entry.kind} ${issuer} ${entry.url}`,
      accept: entry.kind === 'token' ? ACCEPT : ACCEPT_BIT_INDEX,
      read: (bytes) => readList(bytes, entry, issuer, keyOf, clock),
    })
  }

  async function stateIn(tenantId: string, entry: StatusEntry, issuer: string): Promise<StatusState> {
    const ours = await namedLists.ownState(entry, {
      path: OWN_LIST,
      kind: LIST_KIND,
      isBy: ({ did }) => did === issuer,
    })
    return ours ?? stateOf((await foreignList(tenantId, entry, issuer)).valueAt(entry.index))
  }

  return {
    /** Options that are absent or null are asked for: expiry, start and revocation are checked, any issuer is trusted. */
    async verify(tenantId: string, profile: Profile, request: CompactVerifyRequest): Promise<CompactVerdict> {
      const { payload, assertExpiry, assertNotBefore, checkRevocation, trustedIssuers } = request
      const trust = await trustGate.trustFor(tenantId, profile)
      return verifyCompact(payload, {
        profile,
        now: now(),
        toleranceMs,
        assertExpiry: assertExpiry ?? true,
        assertNotBefore: assertNotBefore ?? true,
        trustedIssuers: trustedIssuers ?? undefined,
        find: trust?.find,
        reasonsAgainst: (issuer, types) => policyGate.reasonsAgainst(tenantId, { format: profile, issuer, types }),
        resolveDid: (did) => didResolver.documentFor(tenantId, did),
        statusOf: (checkRevocation ?? true) ? (entry, issuer) => stateIn(tenantId, entry, issuer) : undefined,
      })
    },
  }
}

export type CompactVerifier = ReturnType<typeof createCompactVerifier>
