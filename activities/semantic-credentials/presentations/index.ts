import {
  isProofType,
  isSelective,
  type Json,
  PROOF_TYPES,
  type ProofType,
  suiteOf,
} from '../../../protocol/data-integrity/index.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { isObject } from '../../../protocol/json.ts'
import { openPresentation } from '../../../protocol/semantic-credentials/enveloped/index.ts'
import { signPresentationEnvelope } from '../../../protocol/semantic-credentials/enveloped/issue.ts'
import type { Asked, PresentationToVerify } from '../../../protocol/semantic-credentials/presentations/checks.ts'
import { expectedDomains, failed, signaturesOf } from '../../../protocol/semantic-credentials/presentations/checks.ts'
import {
  isEnvelopedPresentation,
  withoutEnvelopes,
} from '../../../protocol/semantic-credentials/presentations/envelopes.ts'
import {
  assertPresentation,
  credentialsIn,
  normalisePresentation,
  presentationToSign,
} from '../../../protocol/semantic-credentials/presentations/index.ts'
import { readQuery } from '../../../protocol/semantic-credentials/presentations/queries.ts'
import {
  type PresentationVerdict,
  unopened,
  verdictOf,
  verifyPresentation,
} from '../../../protocol/semantic-credentials/presentations/verify.ts'
import {
  presentationWarnings,
  type WarnedPresentationVerdict,
} from '../../../protocol/semantic-credentials/presentations/warnings.ts'
import {
  isPresentationEnvelopeType,
  PRESENTATION_ENVELOPE_TYPES,
  type PresentationEnvelopeType,
} from '../../../protocol/semantic-credentials/proof-types.ts'
import {
  assertTrustedContexts,
  type TrustedContexts,
  type Warning,
} from '../../../protocol/semantic-credentials/warnings.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { DidResolver } from '../../dids/resolver.ts'
import type { Signers } from '../../dids/signers.ts'
import type { Call, Operations } from '../../frame/operations.ts'
import type { Settings } from '../../frame/tenants/settings.ts'
import type { TenantContexts } from '../contexts.ts'
import type { CredentialVerifier } from '../verify.ts'
import type { PresentationRequests } from './requests.ts'
import { presenterKey, refusePresenter } from './signers.ts'
import type { PresentationTemplateRecord, PresentationTemplates } from './templates.ts'

export interface PresentationInput {
  presentation: unknown
  /** Enforced when present; by default the proof's own. */
  challenge?: string
  domain?: string
}

/** A presentation, and what its verifier requires. */
export interface PresentationToCheck extends PresentationInput {
  /** Contexts besides the bundled and the registered ones; undefined: any, with a warning. */
  trustedContexts?: TrustedContexts
  /** DIDs that may have issued its credentials; undefined: any. */
  trustedIssuers?: readonly string[]
}

export interface HolderSignature extends PresentationInput {
  /** One of the tenant's DIDs, COMPLETED, with a key for the proof type under `authentication`. */
  did: string
  /** Any but one of selective disclosure, which a holder's own proof has no use for. */
  proofType: string
  /** Field of the request that names the DID, for refusals; by default `did`. */
  didField?: string
  /** DID URL of the key that signs. Default: the first that fits. */
  method?: string
}

const canHoldersUse = (type: ProofType) => !isSelective(suiteOf(type))

const HOLDER_PROOF_TYPES = [...PROOF_TYPES.filter(canHoldersUse), ...PRESENTATION_ENVELOPE_TYPES]

type HolderProofType = ProofType | PresentationEnvelopeType

/** Throws `Refusal('presentation.proof_type_unsupported')`. */
function holderProofType(proofType: string): HolderProofType {
  if (isPresentationEnvelopeType(proofType) || (isProofType(proofType) && canHoldersUse(proofType))) return proofType
  throw new Refusal(
    'presentation.proof_type_unsupported',
    'A presentation cannot be signed with this proof type; see errors.',
    [{ path: 'proofType', code: 'enum', message: `expected one of ${HOLDER_PROOF_TYPES.join(', ')}` }],
  )
}

interface Parts extends Pick<Dependencies, 'config' | 'documents' | 'now'> {
  operations: Operations
  settings: Settings
  contexts: TenantContexts
  signers: Signers
  didResolver: DidResolver
  credentialVerifier: CredentialVerifier
  presentationTemplates: PresentationTemplates
  presentationRequests: PresentationRequests
}

type Sent = Pick<PresentationToVerify, 'presentation' | 'envelope' | 'asSent'>

/**
 * A presentation as its checks need it, with the envelope that it came in; or why it cannot be taken out of it. Throws
 * `Refusal('presentation.malformed')` for what is no presentation.
 */
function received(payload: unknown): Sent | { fault: Refusal } {
  const presentation = normalisePresentation(payload)
  if (!isEnvelopedPresentation(presentation)) return { presentation, ...(isObject(payload) && { asSent: payload }) }
  try {
    const envelope = openPresentation(presentation)
    const { presentation: content } = envelope
    return { presentation: normalisePresentation(content), asSent: content, envelope }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { fault: error }
  }
}

/** For the log entry: the verdict, with the check that failed first. Evidence stays out, for it may name people. */
const noteOf = ({ verified, checks }: PresentationVerdict) => ({
  verified,
  reason: checks.find(({ outcome }) => outcome === 'failed')?.check ?? null,
})

const USE = `update presentation_requests set used_at = ? where id = ? and used_at is null and expires_at > ? returning id`

/** What a template, or a request made from one, asks for. */
const whatIsAsked = ({
  domain,
  query,
  trustedContexts,
}: Pick<PresentationTemplateRecord, 'domain' | 'query' | 'trustedContexts'>): Asked => ({
  domain,
  queries: readQuery(query).queries,
  ...(trustedContexts && { trustedContexts }),
})

/**
 * Signs presentations as a holder, and verifies those of any holder (specification,
 * verifyWebSemanticPresentationTemplate).
 */
export function createPresentations(parts: Parts) {
  const { config, documents, now, operations, contexts, signers, didResolver, credentialVerifier } = parts
  const { settings, presentationTemplates, presentationRequests } = parts

  /** Whether the tenant's settings require a challenge or a domain that the request does not name. */
  async function required(tenantId: string, expected: Pick<PresentationToVerify, 'challenge' | 'domain' | 'asked'>) {
    const { challenge } = expected
    return {
      requireChallenge: challenge === undefined && (await settings.isOn(tenantId, 'requireChallenge')),
      requireDomain: expectedDomains(expected).length === 0 && (await settings.isOn(tenantId, 'requireDomain')),
    }
  }

  async function resourceWarningsOf(tenantId: string, presentation: Json): Promise<Warning[]> {
    const ofEach = credentialsIn(withoutEnvelopes(presentation)).map(async ({ credential, path }) => {
      const { warnings } = await contexts.checkResources(tenantId, Object(credential))
      return warnings.map((warning) => ({ ...warning, ...(warning.path && { path: path + warning.path }) }))
    })
    return (await Promise.all(ofEach)).flat()
  }

  /**
   * Returns a verdict without side effects. `bindHolder` false: checks only the proofs, as the W3C's VC API asks for.
   */
  async function checkPresentation(
    tenantId: string,
    { presentation: payload, challenge, domain, trustedContexts, trustedIssuers }: PresentationToCheck,
    {
      asked = [],
      bindHolder = true,
      skip = new Set(),
    }: Partial<Pick<PresentationToVerify, 'asked' | 'bindHolder' | 'skip'>> = {},
  ): Promise<WarnedPresentationVerdict> {
    const sent = received(payload)
    if (isObject(payload)) assertPresentation(payload)
    assertTrustedContexts(trustedContexts)
    if ('fault' in sent) return { ...unopened(sent.fault), warnings: [] }
    const { presentation } = sent
    const trusted = [trustedContexts, ...asked.map((each) => each.trustedContexts)].filter((each) => each !== undefined)
    const { verifiableCredential: _, ...own } = presentation
    const expected = { ...(challenge !== undefined && { challenge }), ...(domain !== undefined && { domain }), asked }
    const request: PresentationToVerify = {
      ...sent,
      ...expected,
      ...(await required(tenantId, expected)),
      untrusted: trusted.length > 0 ? await contexts.contextReasons(tenantId, own, trusted) : [],
      bindHolder,
      skip,
      now: now(),
      toleranceMs: config.clockToleranceMs,
      resolveDid: (did) => didResolver.documentFor(tenantId, did),
      checkProof: documents.checkProof(contexts.lookupFor(tenantId)),
      means: (request) => documents.meansTheSame(request, contexts.lookupFor(tenantId)),
      verifyCredential: (credential, binding) =>
        credentialVerifier.checkCredential(tenantId, credential, trusted, skip, trustedIssuers, binding),
    }
    const verdict = await verifyPresentation(request)
    const isForm = verdict.checks.every(({ check, outcome }) => check !== 'form' || outcome !== 'failed')
    const ofContexts =
      trusted.length > 0 || !isForm ? [] : await contexts.contextWarnings(tenantId, withoutEnvelopes(presentation))
    const ofResources = isForm ? await resourceWarningsOf(tenantId, presentation) : []
    return { ...verdict, warnings: [...presentationWarnings(request), ...ofContexts, ...ofResources] }
  }

  return {
    checkPresentation,

    /**
     * Signs a presentation with one of the tenant's DIDs, for authentication: with a proof, or in an envelope. Throws `Refusal('presentation.malformed'
     * | 'presentation.invalid' | 'presentation.proof_type_unsupported' | 'presentation.signer_*')`, `credential.*` or
     * `context.*` for what is not JSON-LD, and `Unavailable('keys')`. Nothing is stored.
     */
    async signPresentation({ tenantId }: Pick<Call, 'tenantId'>, request: HolderSignature): Promise<Json> {
      const { did, challenge, domain, didField = 'did', method } = request
      const proofType = holderProofType(request.proofType)
      const presentation = presentationToSign(request.presentation, proofType)
      const holder = await signers.signerOf(tenantId, did, refusePresenter(didField))
      const lookup = contexts.lookupFor(tenantId)
      const said = { ...(challenge !== undefined && { challenge }), ...(domain !== undefined && { domain }) }
      const signer = presenterKey(holder, proofType, { method, field: didField })
      if (isPresentationEnvelopeType(proofType)) {
        await documents.inspect(presentation, lookup)
        return signPresentationEnvelope(proofType, presentation, signer, said)
      }
      const proof = { proofType, signer, now: now(), proofPurpose: 'authentication', ...said } as const
      return documents.sign({ credential: presentation, ...proof }, lookup)
    },

    /**
     * Returns the verdict on a presentation, by the rules of the request with its challenge and of a template. A
     * verified answer to a request uses up its challenge. Throws `Refusal('presentation.malformed')`,
     * `presentation_template.not_found`.
     */
    async verifyPresentation(
      call: Call,
      { templateId, ...input }: PresentationToCheck & { templateId?: string },
    ): Promise<WarnedPresentationVerdict> {
      const { tenantId, idempotency } = call
      if (idempotency && 'effect' in idempotency) return idempotency.effect as WarnedPresentationVerdict
      const sent = received(input.presentation)
      const ownChallenge = 'fault' in sent ? undefined : signaturesOf(sent)[0]?.proof.challenge
      const challenge = input.challenge ?? (typeof ownChallenge === 'string' ? ownChallenge : undefined)
      const request =
        challenge === undefined ? undefined : await presentationRequests.findByChallenge(tenantId, challenge)
      const asked: Asked[] = [
        ...(request ? [{ request, ...whatIsAsked(request) }] : []),
        ...(templateId === undefined
          ? []
          : [whatIsAsked(await presentationTemplates.readTemplate(tenantId, templateId))]),
      ]
      const expected = input.challenge ?? (request ? challenge : undefined)
      const enforced = { ...input, ...(expected !== undefined && { challenge: expected }) }
      const verdict = await checkPresentation(tenantId, enforced, { asked })
      const metadata = {
        ...noteOf(verdict),
        presentationRequestId: request?.id ?? null,
        templateId: templateId ?? null,
      }
      return operations.change(call, 'verifyWebSemanticPresentationTemplate', metadata, async (em) => {
        if (!verdict.verified || !request) return verdict
        const time = now()
        const earliest = new Date(time.getTime() - config.clockToleranceMs)
        const used = await em.execute<{ id: string }[]>(USE, [time, request.id, earliest])
        if (used.length > 0) return verdict
        const lateCheck = failed('request', `The request ${request.id} was answered meanwhile, or has expired.`)
        const checks = verdict.checks.map((check) => (check.check === 'request' ? lateCheck : check))
        const lateVerdict = { ...verdictOf(checks), warnings: verdict.warnings }
        Object.assign(metadata, noteOf(lateVerdict))
        return lateVerdict
      })
    },
  }
}

export type Presentations = ReturnType<typeof createPresentations>
