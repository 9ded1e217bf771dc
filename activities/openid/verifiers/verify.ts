import { calculateJwkThumbprint, type JWK } from 'jose'
import type { Json } from '../../../protocol/data-integrity/index.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { isObject } from '../../../protocol/json.ts'
import type { Presented } from '../../../protocol/openid/verifiers/answers.ts'
import { type Stated, statedInJsonLd, statedInMdoc } from '../../../protocol/openid/verifiers/claims.ts'
import { type Handover, sessionTranscript } from '../../../protocol/openid/verifiers/transcript.ts'
import { proofsOf, signerOf } from '../../../protocol/semantic-credentials/presentations/checks.ts'
import { credentialsIn } from '../../../protocol/semantic-credentials/presentations/index.ts'
import { mdocMismatch } from '../../../protocol/semantic-credentials/presentations/mdocs.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { MobileVerifier } from '../../mobile-credentials/verify.ts'
import type { TenantContexts } from '../../semantic-credentials/contexts.ts'
import type { Presentations } from '../../semantic-credentials/presentations/index.ts'
import type { PresentationTemplateRecord } from '../../semantic-credentials/presentations/templates.ts'

/** A presentation that verified. */
export interface Verified {
  /** Who presented it: a DID, or the thumbprint of a device key. */
  holder: string
  stated: Stated
}

type Asking = Handover & Pick<PresentationTemplateRecord, 'trustedContexts'>

interface Parts extends Pick<Dependencies, 'documents'> {
  presentations: Pick<Presentations, 'checkPresentation'>
  mobileVerifier: MobileVerifier
  contexts: TenantContexts
}

/** The log has the check alone: what it found may name people. */
const refused = (check: string, evidence: string) =>
  new Refusal('sign_in.presentation_refused', `The presentation was not accepted. ${check}: ${evidence}`, [
    { path: 'vp_token', code: check, message: evidence },
  ])

/** Verifies what wallets present, by the platform's own checks of presentations and of mobile credentials. */
export function createSignInChecks({ documents, presentations, mobileVerifier, contexts }: Parts) {
  /** A W3C presentation: its challenge is the nonce, and its domain the verifier (OpenID4VP 1.0, appendix B.1.3.3). */
  async function verifyJsonLd(
    tenantId: string,
    presentation: unknown,
    each: Presented,
    asking: Asking,
  ): Promise<Verified> {
    if (each.wanted.format !== 'ldp_vc') throw new Error('the query is of another format')
    const { query, within } = each.wanted
    const { nonce: challenge, clientId: domain, trustedContexts } = asking
    const queries = [{ ...within, credentialQuery: [{ ...query, required: true }] }]
    const verdict = await presentations.checkPresentation(
      tenantId,
      { presentation, challenge, domain },
      { asked: [{ domain, queries, ...(trustedContexts && { trustedContexts }) }] },
    )
    const failure = verdict.checks.find(({ outcome }) => outcome === 'failed')
    if (failure) throw refused(failure.check, failure.evidence)
    const document = presentation as Json
    const credentials = credentialsIn(document).flatMap(({ credential }) => (isObject(credential) ? [credential] : []))
    // further credentials would bring claims that nobody asked for
    const [credential, ...more] = credentials
    if (!credential || more.length > 0) throw refused('query', 'The presentation has not exactly one credential.')
    const [first] = proofsOf(document)
    if (!first) throw new Error('a verified presentation has a proof')
    const holder = signerOf(first.proof)
    const expanded = await documents.expand({ document: credential, safe: true }, contexts.lookupFor(tenantId))
    return { holder, stated: (name) => statedInJsonLd(expanded, holder, name) }
  }

  /** A device response, signed in the session of this request (OpenID4VP 1.0, appendix B.2.6). */
  async function verifyDocument(
    tenantId: string,
    presentation: unknown,
    each: Presented,
    asking: Asking,
  ): Promise<Verified> {
    if (each.wanted.format !== 'mso_mdoc') throw new Error('the query is of another format')
    const transcript = Buffer.from(sessionTranscript(asking)).toString('base64url')
    const request = { payload: String(presentation), session: { transcript } }
    const { reason, documents: mdocs } = await mobileVerifier.verifyBound(tenantId, request)
    const [failure] = reason
    if (failure) throw refused(failure.type, failure.message)
    const [bound, ...more] = mdocs
    if (!bound || more.length > 0) throw refused('query', 'The device response has not exactly one document.')
    const { document, deviceKey } = bound
    const mismatch = mdocMismatch(each.wanted.query, document)
    if (mismatch !== undefined) throw refused('query', `The document does not match: ${mismatch}.`)
    if (!deviceKey) throw refused('Device', 'The credential names no key of its holder.')
    const holder = await calculateJwkThumbprint(deviceKey as JWK)
    return { holder, stated: (name) => statedInMdoc(document.namespaces, name) }
  }

  return {
    /** Throws `Refusal('sign_in.presentation_refused')` with the first check that failed. */
    async verifyAll(tenantId: string, presented: readonly Presented[], asking: Asking): Promise<Verified[]> {
      const verified: Verified[] = []
      for (const each of presented) {
        const verify = each.wanted.format === 'ldp_vc' ? verifyJsonLd : verifyDocument
        verified.push(await verify(tenantId, each.presentation, each, asking))
      }
      const dids = new Set(verified.map(({ holder }) => holder).filter((holder) => holder.startsWith('did:')))
      if (dids.size > 1) throw refused('holder', 'The presentations are of different holders.')
      return verified
    },
  }
}

export type SignInChecks = ReturnType<typeof createSignInChecks>
