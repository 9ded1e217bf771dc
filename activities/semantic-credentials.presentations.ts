import { isProofType, type Json, suiteOf } from '../protocol/data-integrity.ts'
import { Refusal } from '../protocol/errors.ts'
import type { Asked } from '../protocol/semantic-credentials.presentations.checks.ts'
import { failed, proofsOf } from '../protocol/semantic-credentials.presentations.checks.ts'
import { readQuery } from '../protocol/semantic-credentials.presentations.queries.ts'
import { normalisePresentation, presentationToSign } from '../protocol/semantic-credentials.presentations.ts'
import {
  type PresentationVerdict,
  verdictOf,
  verifyPresentation,
} from '../protocol/semantic-credentials.presentations.verify.ts'
import type { DidResolver } from './did-resolver.ts'
import type { Dependencies } from './index.ts'
import type { Call, Operations } from './operations.ts'
import type { TenantContexts } from './semantic-credentials.contexts.ts'
import type { Issuers } from './semantic-credentials.issuers.ts'
import type { PresentationRequests } from './semantic-credentials.presentations.requests.ts'
import { tenantSigner } from './semantic-credentials.presentations.signers.ts'
import type { PresentationTemplates } from './semantic-credentials.presentations.templates.ts'
import type { CredentialVerifier } from './semantic-credentials.verify.ts'

export interface PresentationInput {
  presentation: unknown
  /** Enforced when given; else the proof's own. */
  challenge?: string
  domain?: string
}

export interface HolderSignature extends PresentationInput {
  /** One of the tenant's DIDs, COMPLETED, with a key for the proof type under `authentication`. */
  did: string
  /** Any but the BBS ones: a holder has nothing to hide from whom it answers. */
  proofType: string
}

interface Parts extends Pick<Dependencies, 'config' | 'documents' | 'now'> {
  operations: Operations
  contexts: TenantContexts
  issuers: Issuers
  didResolver: DidResolver
  credentialVerifier: CredentialVerifier
  presentationTemplates: PresentationTemplates
  presentationRequests: PresentationRequests
}

const USE = `update presentation_requests set used_at = ? where id = ? and used_at is null and expires_at > ? returning id`

/** Presentations: signed as a holder, and verified whoever holds (specification, verifyWebSemanticPresentationTemplate). */
export function createPresentations(parts: Parts) {
  const { config, documents, now, operations, contexts, issuers, didResolver, credentialVerifier } = parts
  const { presentationTemplates, presentationRequests } = parts

  /** The verdict alone, which changes nothing. `bindHolder` false: the proofs alone, as the W3C's VC API asks for. */
  async function checkPresentation(
    tenantId: string,
    { presentation, challenge, domain }: PresentationInput,
    { asked = [], bindHolder = true }: { asked?: Asked[]; bindHolder?: boolean } = {},
  ): Promise<PresentationVerdict> {
    return verifyPresentation({
      presentation: normalisePresentation(presentation),
      ...(challenge !== undefined && { challenge }),
      ...(domain !== undefined && { domain }),
      asked,
      bindHolder,
      now: now(),
      toleranceMs: config.clockToleranceMs,
      resolveDid: async (did) => (await didResolver.resolve(did)).document,
      checkProof: documents.checkProof(contexts.lookupFor(tenantId)),
      means: (request) => documents.meansTheSame(request, contexts.lookupFor(tenantId)),
      verifyCredential: (credential) => credentialVerifier.verifyCredential(tenantId, credential),
    })
  }

  const ofTemplate = async (tenantId: string, templateId: string): Promise<Asked> => {
    const { domain, query } = await presentationTemplates.readTemplate(tenantId, templateId)
    return { domain, queries: readQuery(query).queries }
  }

  return {
    checkPresentation,

    /**
     * Signs a presentation as one of the tenant's DIDs, for authentication. Throws `Refusal('presentation.malformed' |
     * 'presentation.invalid' | 'presentation.proof_type_unsupported' | 'presentation.signer_*')`, `credential.*` or
     * `context.*` for what is not JSON-LD, and `Unavailable('keys')`. Nothing is stored.
     */
    async signPresentation({ tenantId }: Pick<Call, 'tenantId'>, request: HolderSignature): Promise<Json> {
      const { did, proofType, challenge, domain } = request
      if (!isProofType(proofType) || suiteOf(proofType).signature === 'bbs')
        throw new Refusal('presentation.proof_type_unsupported', 'Presentations are not signed with this proof type.', [
          {
            path: 'proofType',
            code: 'enum',
            message: 'expected eddsa-rdfc-2022, ecdsa-rdfc-2019 or another one but BBS',
          },
        ])
      const presentation = presentationToSign(request.presentation, proofType)
      const signer = await tenantSigner(issuers, { tenantId, did, proofType })
      return documents.sign(
        {
          credential: presentation,
          proofType,
          signer,
          now: now(),
          proofPurpose: 'authentication',
          ...(challenge !== undefined && { challenge }),
          ...(domain !== undefined && { domain }),
        },
        contexts.lookupFor(tenantId),
      )
    },

    /**
     * The verdict on a presentation, under what its challenge or a template asks. A verified answer to a request uses its
     * challenge up, once and for all. Throws `Refusal('presentation.malformed')`, `presentation_template.not_found`.
     */
    async verifyPresentation(
      call: Call,
      { templateId, ...input }: PresentationInput & { templateId?: string },
    ): Promise<PresentationVerdict> {
      const { tenantId, idempotency } = call
      if (idempotency && 'effect' in idempotency) return idempotency.effect as PresentationVerdict
      const presentation = normalisePresentation(input.presentation)
      const own = proofsOf(presentation)[0]?.proof.challenge
      const challenge = input.challenge ?? (typeof own === 'string' ? own : undefined)
      const request =
        challenge === undefined ? undefined : await presentationRequests.findByChallenge(tenantId, challenge)
      const asked: Asked[] = [
        ...(request ? [{ request, domain: request.domain, queries: readQuery(request.query).queries }] : []),
        ...(templateId === undefined ? [] : [await ofTemplate(tenantId, templateId)]),
      ]
      const expected = input.challenge ?? (request ? challenge : undefined)
      const enforced = { ...input, presentation, ...(expected !== undefined && { challenge: expected }) }
      const verdict = await checkPresentation(tenantId, enforced, { asked })
      const operation = {
        name: 'PRESENTATION_WEB_SEMANTIC_VERIFY',
        category: 'credential-presentation',
        metadata: { verified: verdict.verified, presentationRequestId: request?.id ?? null },
      }
      return operations.change(call, operation, async (em) => {
        if (!verdict.verified || !request) return verdict
        const time = now()
        const earliest = new Date(time.getTime() - config.clockToleranceMs)
        const used = await em.execute<{ id: string }[]>(USE, [time, request.id, earliest])
        if (used.length > 0) return verdict
        operation.metadata.verified = false
        const late = failed('request', `The request ${request.id} was answered meanwhile, or has expired.`)
        return verdictOf(verdict.checks.map((check) => (check.check === 'request' ? late : check)))
      })
    },
  }
}

export type Presentations = ReturnType<typeof createPresentations>
