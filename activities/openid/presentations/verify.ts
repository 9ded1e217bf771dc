import { calculateJwkThumbprint, type JWK } from 'jose'
import type { ListedIssuer, TrustGate } from '../../../protocol/credentials/trust.ts'
import type { Json } from '../../../protocol/data-integrity/index.ts'
import { isObject } from '../../../protocol/json.ts'
import { disclosesMore, MORE_DISCLOSED } from '../../../protocol/openid/dcql/excess.ts'
import { mismatchOf } from '../../../protocol/openid/dcql/match.ts'
import { type DcqlCredential, type DcqlFormat, needsHolder } from '../../../protocol/openid/dcql/query.ts'
import type { Presented } from '../../../protocol/openid/dcql/token.ts'
import { authorityKeysOf } from '../../../protocol/openid/presentations/authorities.ts'
import {
  type CheckResult,
  checksOfMdoc,
  checksOfPresentation,
  type Failure,
} from '../../../protocol/openid/presentations/checks.ts'
import { asCounted, ofSubject } from '../../../protocol/openid/presentations/facts.ts'
import { boundKeyOf, signersCheck } from '../../../protocol/openid/presentations/holder.ts'
import { agreedTo, type TransactionEntry } from '../../../protocol/openid/presentations/transactions.ts'
import { type Stated, statedInClaims, statedInJsonLd, statedInMdoc } from '../../../protocol/openid/verifiers/claims.ts'
import { holderKey } from '../../../protocol/sd-jwt-credentials/key-binding.ts'
import { readSdJwt } from '../../../protocol/sd-jwt-credentials/read.ts'
import { proofsOf, signerOf } from '../../../protocol/semantic-credentials/presentations/checks.ts'
import { withoutEnvelopes } from '../../../protocol/semantic-credentials/presentations/envelopes.ts'
import { credentialsIn } from '../../../protocol/semantic-credentials/presentations/index.ts'
import type { PresentationQuery } from '../../../protocol/semantic-credentials/presentations/queries.ts'
import type { TrustedContexts } from '../../../protocol/semantic-credentials/warnings.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { MobileVerifier } from '../../mobile-credentials/verify.ts'
import type { SdJwtVerifier } from '../../sd-jwt-credentials/verify.ts'
import type { TenantContexts } from '../../semantic-credentials/contexts.ts'
import type { Presentations } from '../../semantic-credentials/presentations/index.ts'
import { createListedAuthorities } from './authorities.ts'

/** What a presentation is bound to. */
export interface PresentationSession {
  nonce: string
  /** The verifier, as it names itself to wallets. */
  audience: string
  /** SessionTranscript of mdocs. */
  transcript: Uint8Array
  /** What the holder agrees to, of the whole request. */
  transactionData?: readonly TransactionEntry[]
  /** A template's own query for a credential of JSON-LD, by the id of the credential: it takes the place of DCQL's. */
  exampleOf?(id: string): PresentationQuery | undefined
  /** Of a template, where undefined is any; of a query of DCQL, where undefined is those alone that the tenant knows. */
  trustedContexts?: TrustedContexts
  /** The issuers that a template trusts for an SD-JWT VC; undefined: any. */
  trustedIssuersOf?(id: string): readonly string[] | undefined
}

/** What came of one presentation. */
export interface PresentationVerdict {
  /** Of the query that it answers. */
  id: string
  format: DcqlFormat
  verified: boolean
  checks: CheckResult[]
  /** Every failure. */
  reason: Failure[]
  warnings: string[]
  types: string[]
  issuer?: string
  /** Where a trust list has the issuer; absent: none is enforced, or none has it. */
  trust?: ListedIssuer
  /** Who presented it: a DID, or the thumbprint of a key (RFC 7638). Absent: nobody proved it. */
  holder?: string
  /** What is disclosed: claims, namespaces of elements, or the credential of JSON-LD. */
  claims?: Json
}

export interface CheckedPresentation {
  verdict: PresentationVerdict
  stated: Stated
  /** Transaction data that its holder agrees to. */
  agreed?: readonly TransactionEntry[]
}

interface Parts extends Pick<Dependencies, 'documents'> {
  presentations: Pick<Presentations, 'checkPresentation'>
  mobileVerifier: MobileVerifier
  sdJwtVerifier: SdJwtVerifier
  contexts: TenantContexts
  trustGate: Pick<TrustGate, 'urlsOf'>
}

const thumbprint = (jwk: Json): Promise<string> => calculateJwkThumbprint(jwk as JWK)

type Found = Omit<PresentationVerdict, 'id' | 'format' | 'verified'>

const QUERY = 'query'
const TRANSACTION = 'transactionData'

/** The verdict, with whether the credential is the one that was asked for: of a genuine one alone that is known. */
function conclude(credential: DcqlCredential, found: Found, mismatch: () => string | undefined): PresentationVerdict {
  const { id, format } = credential
  const isGenuine = found.reason.length === 0
  const message = isGenuine ? mismatch() : undefined
  const result = message !== undefined ? 'failed' : isGenuine ? 'passed' : 'skipped'
  const reason =
    message === undefined ? found.reason : [{ type: QUERY, message: `The credential does not match: ${message}.` }]
  const checks = found.checks.some(({ name }) => name === QUERY)
    ? found.checks.map((check) => (check.name === QUERY && message !== undefined ? { name: QUERY, result } : check))
    : [...found.checks, { name: QUERY, result }]
  return { ...found, id, format, checks, reason, verified: reason.length === 0 } as PresentationVerdict
}

/** The holder did not agree to all of the transaction data, so that none of the credentials counts. */
const withoutAgreement = ({ verdict, stated }: CheckedPresentation): CheckedPresentation => ({
  verdict: {
    ...verdict,
    verified: false,
    checks: [...verdict.checks, { name: TRANSACTION, result: 'failed' }],
    reason: [
      ...verdict.reason,
      { type: TRANSACTION, message: 'No key binding agrees to all of the transaction data.' },
    ],
  },
  stated,
})

/** Verifies what wallets present, by the platform's own verification of each format, in the session of a request. */
export function createPresentationChecks(parts: Parts) {
  const { documents, presentations, mobileVerifier, sdJwtVerifier, contexts } = parts
  const authorities = createListedAuthorities(parts)

  /** A W3C presentation: its challenge is the nonce, and its domain the verifier (OpenID4VP 1.0, appendix B.1.3.3). */
  async function ofJsonLd(
    tenantId: string,
    { credential: asked, presentation }: Presented,
    session: PresentationSession,
  ): Promise<CheckedPresentation> {
    const { nonce: challenge, audience: domain, trustedContexts } = session
    const example = session.exampleOf?.(asked.id)
    const by = example ? [{ domain, queries: [example], ...(trustedContexts && { trustedContexts }) }] : []
    // a query of DCQL has no contexts of its own: those of a stranger could give its names to other claims (D-1060)
    const own = example ? {} : { trustedContexts: trustedContexts ?? [] }
    const request = { presentation, challenge, domain, ...own }
    const verdict = await presentations.checkPresentation(tenantId, request, { asked: by })
    const document = presentation as Json
    const credentials = credentialsIn(withoutEnvelopes(document)).flatMap(({ credential }) =>
      isObject(credential) ? [credential] : [],
    )
    const trust = verdict.checks.find((check) => check.trust)?.trust
    const several = signersCheck(document)
    const found: Found = {
      ...checksOfPresentation([...verdict.checks, ...several]),
      ...(trust && { trust }),
      warnings: verdict.warnings.map(({ type }) => type),
      types: [],
    }
    const [credential, ...more] = credentials
    const [first] = proofsOf(document)
    if (!verdict.verified || several.length > 0 || !first || !credential || more.length > 0) {
      // further credentials would bring claims that nobody asked for
      const mismatch = () => 'the presentation has not exactly one credential'
      return { verdict: conclude(asked, found, mismatch), stated: () => [] }
    }
    const key = boundKeyOf(document, credential)
    const holder = key ? await thumbprint(key) : signerOf(first.proof)
    const expanded = await documents.expand({ document: credential, safe: true }, contexts.lookupFor(tenantId))
    const types = expanded.flatMap((node) => (isObject(node) && Array.isArray(node['@type']) ? node['@type'] : []))
    const { issuer } = credential
    const issuerId = String(isObject(issuer) ? issuer.id : issuer)
    const trustLists = await authorities.of(tenantId, asked, issuerId)
    const facts = { types: types.map(String), document: ofSubject(credential, holder), authorityKeys: [], trustLists }
    return {
      verdict: conclude(
        asked,
        {
          ...found,
          types: facts.types,
          issuer: issuerId,
          holder,
          claims: credential,
        },
        () => (example ? undefined : mismatchOf(asked, facts)),
      ),
      stated: (name) => statedInJsonLd(expanded, holder, name),
    }
  }

  /** A device response, signed in the session of this request (appendix B.2.6). */
  async function ofMdoc(
    tenantId: string,
    { credential: asked, presentation }: Presented,
    session: PresentationSession,
  ): Promise<CheckedPresentation> {
    const transcript = Buffer.from(session.transcript).toString('base64url')
    const request = { payload: String(presentation), session: { transcript } }
    const { reason, documents: mdocs } = await mobileVerifier.verifyBound(tenantId, request)
    const [bound, ...more] = mdocs
    const unbound = bound && !bound.deviceKey
    const failures = unbound
      ? [...reason, { type: 'Device', message: 'The credential names no key of its holder.' }]
      : reason
    const trust = bound?.document.trust
    const found: Found = {
      ...checksOfMdoc(failures, trust !== undefined),
      ...(trust && { trust }),
      warnings: bound?.document.warnings ?? [],
      types: [],
    }
    if (!bound || more.length > 0)
      return {
        verdict: conclude(asked, found, () => 'the device response has not exactly one document'),
        stated: () => [],
      }
    const { document, deviceKey, authority, signer } = bound
    const path = signer ? [signer] : []
    const trustLists = await authorities.of(tenantId, asked, authority, path)
    const { docType, namespaces, issuerFingerprint } = document
    const authorityKeys = authorityKeysOf(path)
    const facts = { types: [docType], document: namespaces, authorityKeys, trustLists }
    const elements = Object.entries(namespaces).flatMap(([namespace, of]) =>
      Object.keys(of).map((name) => [namespace, name]),
    )
    const verdict = conclude(
      asked,
      {
        ...found,
        warnings: [...found.warnings, ...(disclosesMore(asked, elements) ? [MORE_DISCLOSED] : [])],
        types: [docType],
        ...(issuerFingerprint !== undefined && { issuer: issuerFingerprint }),
        ...(deviceKey && { holder: await thumbprint({ ...deviceKey }) }),
        claims: namespaces,
      },
      () => mismatchOf(asked, facts),
    )
    return { verdict, stated: (name) => statedInMdoc(namespaces, name) }
  }

  /** An SD-JWT VC with a key binding for this request (appendix B.3). */
  async function ofSdJwt(
    tenantId: string,
    { credential: asked, presentation }: Presented,
    { nonce, audience, transactionData = [], trustedIssuersOf }: PresentationSession,
  ): Promise<CheckedPresentation> {
    const payload = String(presentation)
    const hasBinding = !payload.endsWith('~')
    const trustedIssuers = trustedIssuersOf?.(asked.id)
    const verdict = await sdJwtVerifier.verify(tenantId, {
      payload,
      ...((needsHolder(asked) || hasBinding) && { keyBinding: { nonce, audience } }),
      checkRevocation: true,
      checkTypeMetadata: 'where named',
      ...(trustedIssuers && { trustedIssuers }),
    })
    const { claims = {}, issuer, trust, selective = [] } = verdict
    // what anybody may have written is not compared with the query
    const counted = verdict.verified ? asCounted(asked, payload, { claims, selective }) : { claims, paths: [] }
    const { vct, aka_vcts: others } = claims
    const types = [vct, ...(Array.isArray(others) ? (others as unknown[]) : [])].filter(
      (each) => typeof each === 'string',
    )
    const found: Found = {
      checks: verdict.checks,
      reason: verdict.faults.map(({ check, code, message }) => ({ type: check, code, message })),
      warnings: [
        ...verdict.warnings.filter((warning) => warning !== 'KeyBindingNotChecked'),
        ...(disclosesMore(asked, counted.paths) ? [MORE_DISCLOSED] : []),
      ],
      types,
      ...(issuer !== undefined && { issuer }),
      ...(trust && { trust }),
      ...(verdict.verified && hasBinding && { holder: await thumbprint(holderKey(claims)) }),
      ...(verdict.claims && { claims }),
    }
    const entries = transactionData.filter(({ credentialIds }) => credentialIds.includes(asked.id))
    const agreement = agreedTo(entries, verdict.verified ? readSdJwt(payload).keyBinding?.payload : undefined)
    const trustLists = await authorities.of(tenantId, asked, issuer, verdict.chain)
    const allTypes = [...types, ...verdict.extended]
    const authorityKeys = authorityKeysOf(verdict.chain)
    const facts = { types: allTypes, document: counted.claims, authorityKeys, trustLists }
    return {
      verdict: conclude(asked, found, () => ('fault' in agreement ? agreement.fault : mismatchOf(asked, facts))),
      stated: (name) => statedInClaims(claims, name),
      ...('agreed' in agreement && { agreed: agreement.agreed }),
    }
  }

  const verifications = { 'dc+sd-jwt': ofSdJwt, mso_mdoc: ofMdoc, ldp_vc: ofJsonLd }

  return {
    /** Verifies each presentation, whatever came of the others. Throws `Refusal` for one that is no document at all. */
    async verifyAll(
      tenantId: string,
      presented: readonly Presented[],
      session: PresentationSession,
    ): Promise<CheckedPresentation[]> {
      const checked: CheckedPresentation[] = []
      for (const each of presented) checked.push(await verifications[each.credential.format](tenantId, each, session))
      const agreed = new Set(checked.flatMap((each) => (each.verdict.verified ? [...(each.agreed ?? [])] : [])))
      const isAgreed = (session.transactionData ?? []).every((entry) => agreed.has(entry))
      return isAgreed ? checked : checked.map(withoutAgreement)
    },
  }
}

export type PresentationChecks = ReturnType<typeof createPresentationChecks>
