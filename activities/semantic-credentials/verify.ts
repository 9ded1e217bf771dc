import type { PolicyGate } from '../../protocol/credentials/policy.ts'
import { NOT_LISTED, type TrustGate, trustIn } from '../../protocol/credentials/trust.ts'
import type { Json } from '../../protocol/data-integrity/index.ts'
import { Refusal } from '../../protocol/errors.ts'
import { isObject, listOf } from '../../protocol/json.ts'
import { type OpenedEnvelope, openEnvelope } from '../../protocol/semantic-credentials/enveloped/index.ts'
import { openPublished } from '../../protocol/semantic-credentials/enveloped/lists.ts'
import { type ExpectedBinding, envelopeTimes } from '../../protocol/semantic-credentials/enveloped/verify.ts'
import { assertCredential, normaliseForVerify, type StatusVerdict } from '../../protocol/semantic-credentials/index.ts'
import { isEnveloped } from '../../protocol/semantic-credentials/presentations/envelopes.ts'
import { type OptionalCheck, type Reason, timeReasons } from '../../protocol/semantic-credentials/reasons.ts'
import {
  assertTrustedContexts,
  derivedWarnings,
  KEY_BINDING_NOT_CHECKED,
  type TrustedContexts,
  UNDISCLOSED,
  type WarnedVerdict,
  type Warning,
} from '../../protocol/semantic-credentials/warnings.ts'
import { encodedListOf, type ReadEntry, readStatusEntry, statusIn } from '../../protocol/status-list/entry.ts'
import { decodeListAside } from '../../protocol/status-list/index.ts'
import { UUID } from '../../protocol/uuid.ts'
import type { CredentialStatus, StoredEntry } from '../credentials/status-lists/changes.ts'
import { createForeignLists, ownListId } from '../credentials/status-lists/foreign.ts'
import type { Dependencies } from '../dependencies.ts'
import type { DidResolver } from '../dids/resolver.ts'
import type { Tenants } from '../frame/tenants/index.ts'
import type { TenantContexts } from './contexts.ts'

interface Parts extends Pick<Dependencies, 'documents' | 'outbound' | 'config' | 'now'> {
  tenants: Tenants
  didResolver: DidResolver
  contexts: TenantContexts
  credentialStatus: CredentialStatus
  policyGate: Pick<PolicyGate, 'reasonsAgainst'>
  trustGate: TrustGate
}

/** A verified list from another host, and its bits. */
interface VerifiedList {
  list: Json
  /** In which it was published, if it has no proof of its own. */
  envelope: OpenedEnvelope | undefined
  bits: Uint8Array | undefined
}

const LIST_BYTES = 4 * 1024 * 1024
const OWN_LIST = new RegExp(`^/v1/revocation-lists/(${UUID})$`)

/**
 * Meaning of a value other than 0, by purpose; refresh and message leave a credential valid (Bitstring Status List 1.0,
 * 2.1).
 */
const MEANINGS = new Map<string, 'valid' | 'revoked' | 'suspended'>([
  ['revocation', 'revoked'],
  ['suspension', 'suspended'],
  ['refresh', 'valid'],
  ['message', 'valid'],
])

const NOT_TRUSTED: WarnedVerdict = {
  verified: false,
  reason: [{ type: 'IssuerNotTrusted', message: 'The issuer is not one of the trusted issuers.' }],
  warnings: [],
}

const mismatch = (what: string) => new Refusal('status_list.mismatch', `The status list ${what}.`)

/** Verifies any issuer's credential (specification, verifyWebSemanticCredentials). A bad credential is a verdict. */
export function createCredentialVerifier(parts: Parts) {
  const { documents, outbound, config, now, tenants, didResolver, contexts, credentialStatus, policyGate, trustGate } =
    parts
  const lists = createForeignLists<VerifiedList>({ outbound, now })
  const { publicUrl, clockToleranceMs: toleranceMs } = config

  const resolveFor = (tenantId: string) => (did: string) => didResolver.documentFor(tenantId, did)

  /** Reads a list that another host publishes, and verifies it with the tenant's contexts: so the cache is per tenant. */
  const foreignList = (tenantId: string, { listUrl }: ReadEntry): Promise<VerifiedList> =>
    lists(`${tenantId} ${listUrl}`, {
      readFor: tenantId,
      url: listUrl,
      accept: 'application/vc, application/vc+jwt, application/vc+cose, application/ld+json, application/json',
      maxBytes: LIST_BYTES,
      isCurrent: ({ list, envelope }) =>
        timeReasons(list, { now: now() }).length === 0 &&
        (envelope === undefined || envelopeTimes(envelope, { now: now() }).length === 0),
      async read(bytes) {
        const { content: asSent, envelope } = openPublished(bytes)
        const list = normaliseForVerify(asSent)
        const verdict = await documents.verify(
          {
            credential: list,
            ...(isObject(asSent) && { asSent }),
            ...(envelope && { envelope }),
            now: now(),
            toleranceMs,
            resolveDid: resolveFor(tenantId),
          },
          contexts.lookupFor(tenantId),
        )
        if (!verdict.verified)
          throw new Refusal(
            'status_list.not_verified',
            `The status list does not verify: ${verdict.reason[0]?.message}`,
          )
        const encodedList = encodedListOf(list)
        const bits = encodedList === undefined ? undefined : await decodeListAside(encodedList)
        return { list: { list, envelope, bits }, size: bytes.length + (bits?.length ?? 0) }
      },
    })

  /** Checks our own list like a foreign one: address, kind, purpose, issuer and size must match. */
  async function assertOwn(stored: StoredEntry, { listUrl, listType, purpose, index }: ReadEntry, issuer: unknown) {
    const place = await tenants.byHost(new URL(listUrl).host)
    if (place?.id !== stored.tenantId) throw mismatch('is not published at this address')
    if (stored.kind !== listType || stored.purpose !== purpose) throw mismatch('has another kind or purpose')
    if (stored.did !== null && stored.did !== issuerId(issuer)) throw mismatch('has another issuer')
    if (index >= stored.size)
      throw new Refusal('status_list.index_out_of_range', 'The status index is outside of its list.')
  }

  const statusCheck =
    (tenantId: string) =>
    async (entry: Json, credential: Json): Promise<StatusVerdict> => {
      const read = readStatusEntry(entry)
      const listId = ownListId(publicUrl, new URL(read.listUrl), OWN_LIST)
      const storedEntry = listId ? await credentialStatus.storedEntry(listId, read.index) : undefined
      if (storedEntry) {
        await assertOwn(storedEntry, read, credential.issuer)
        return { state: storedEntry.state }
      }
      const { list, bits } = await foreignList(tenantId, read)
      if (issuerId(list.issuer) !== issuerId(credential.issuer)) throw mismatch('has another issuer')
      const value = statusIn(list, read, bits)
      const state = value === 0 ? 'valid' : MEANINGS.get(read.purpose)
      if (state) return { state }
      const purpose = read.purpose.slice(0, 100)
      return {
        state: 'unavailable',
        message: `The status is set for the purpose ${purpose}, which this verifier does not know.`,
      }
    }

  /**
   * `trusted`: lists of contexts, each of which must have every context that is neither bundled nor registered; without
   * a list, such contexts are warnings. `skip`: checks that the caller leaves out. `trustedIssuers`: only credentials of
   * these DIDs verify; nothing is fetched for any other, nor for what the policy of the tenant forbids or its trust lists
   * do not have. `binding`: what a key binding must be for; without it none counts. Throws only for what the libraries must not process (`credential.malformed`).
   */
  async function checkCredential(
    tenantId: string,
    payload: unknown,
    trusted: TrustedContexts[] = [],
    skip: ReadonlySet<OptionalCheck> = new Set(),
    trustedIssuers?: readonly string[],
    binding?: ExpectedBinding,
  ): Promise<WarnedVerdict> {
    const sent = normaliseForVerify(payload)
    const envelope = isEnveloped(sent) ? openedOf(sent) : undefined
    if (envelope && 'fault' in envelope)
      return { verified: false, reason: [{ type: 'Syntax', ...envelope.fault }], warnings: [] }
    const asSent = envelope?.opened.credential ?? payload
    const credential = envelope ? normaliseForVerify(asSent) : sent
    for (const list of trusted) assertTrustedContexts(list)
    if (trustedIssuers && !trustedIssuers.some((did) => did === issuerId(credential.issuer))) return NOT_TRUSTED
    const judged = judgedOf(credential)
    const finding = (await trustGate.trustFor(tenantId, 'semantic'))?.find(judged.issuer)
    const unlisted: Reason[] = finding && 'fault' in finding ? [{ type: NOT_LISTED, message: finding.fault }] : []
    const forbidden = [...unlisted, ...(await policyGate.reasonsAgainst(tenantId, judged))]
    if (forbidden.length > 0) return { verified: false, reason: forbidden, warnings: [] }
    const trust = trustIn(finding)
    const untrusted = trusted.length > 0 ? await contexts.contextReasons(tenantId, credential, trusted) : []
    if (untrusted.length > 0) return { verified: false, reason: untrusted, warnings: [], ...trust }
    const verdict = await documents.verify(
      {
        credential,
        ...(isObject(asSent) && { asSent }),
        ...(envelope && { envelope: envelope.opened }),
        now: now(),
        toleranceMs,
        resolveDid: resolveFor(tenantId),
        status: statusCheck(tenantId),
        skip,
        binding,
      },
      contexts.lookupFor(tenantId),
    )
    // what is no credential is not looked through: its contexts were not used either
    const isForm = verdict.reason.every(({ type }) => type !== 'Syntax')
    const ofContexts = trusted.length > 0 || !isForm ? [] : await contexts.contextWarnings(tenantId, credential)
    const { reason, warnings } = isForm
      ? await contexts.checkResources(tenantId, credential)
      : { reason: [], warnings: [] }
    const hidden = [...derivedWarnings(credential), ...(envelope ? envelopeWarnings(envelope.opened, binding) : [])]
    return {
      verified: verdict.verified && reason.length === 0,
      reason: [...verdict.reason, ...reason],
      warnings: [...ofContexts, ...warnings, ...hidden],
      ...trust,
    }
  }

  return {
    /** Returns a verdict also on what is no credential: a member of a presentation. */
    checkCredential,

    /** As `checkCredential`, for a caller's own credential: `credential.malformed` for what is no credential (D-250). */
    async verifyCredential(
      tenantId: string,
      payload: unknown,
      trusted?: TrustedContexts[],
      skip?: ReadonlySet<OptionalCheck>,
      trustedIssuers?: readonly string[],
      binding?: ExpectedBinding,
    ): Promise<WarnedVerdict> {
      assertCredential(payload)
      return checkCredential(tenantId, payload, trusted, skip, trustedIssuers, binding)
    },
  }
}

/** The envelope that a credential came in, or why it is none. */
function openedOf(credential: Json): { opened: OpenedEnvelope } | { fault: { code: string; message: string } } {
  try {
    return { opened: openEnvelope(credential) }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { fault: { code: error.code, message: error.message } }
  }
}

/** A key binding that is checked, or that fails the verdict, has no warning. */
function envelopeWarnings(
  { credential, hidesMembers, keyBindingFault }: OpenedEnvelope,
  binding: ExpectedBinding | undefined,
): Warning[] {
  const isUnchecked = credential.cnf !== undefined && !keyBindingFault && !binding?.isRequired
  return [...(hidesMembers ? [UNDISCLOSED] : []), ...(isUnchecked ? [KEY_BINDING_NOT_CHECKED] : [])]
}

/** Of a credential of which nothing is known yet: a member of another form is as a missing one. */
function judgedOf({ issuer, type }: Json) {
  const did = issuerId(issuer)
  const types = listOf(type).filter((name): name is string => typeof name === 'string')
  return { format: 'semantic', issuer: typeof did === 'string' ? did : undefined, types } as const
}

const issuerId = (issuer: unknown): unknown =>
  typeof issuer === 'object' && issuer !== null && 'id' in issuer ? issuer.id : issuer

export type CredentialVerifier = ReturnType<typeof createCredentialVerifier>
