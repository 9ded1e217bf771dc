import type { ListedIssuer } from '../../credentials/trust.ts'
import type { Json } from '../../data-integrity/index.ts'
import { excerpt } from '../../errors.ts'
import { isObject, listOf } from '../../json.ts'
import { methodId } from '../proofs.ts'
import type { OptionalCheck, Reason, ReasonType } from '../reasons.ts'
import { bindingOf, type Check, type CheckName, failed, type PresentationToVerify, passed, skipped } from './checks.ts'
import { PLAIN_JWT, withoutEnvelopes } from './envelopes.ts'
import { credentialsIn } from './index.ts'

/** Credentials verified at a time: a single presentation must not fill the queue of the threads. */
const AT_ONCE = 4

type CredentialCheck = Extract<CheckName, `credential${string}`>

/** Made only where a trust list is enforced. */
const TRUST = 'credentialTrust'

/** The check of each reason of `verifyCredential`. */
const CHECK_OF: Record<ReasonType, CredentialCheck> = {
  Syntax: 'credentialForm',
  Context: 'credentialForm',
  UntrustedContext: 'credentialForm',
  Issuer: 'credentialIssuer',
  IssuerNotTrusted: 'credentialIssuer',
  IssuerNotListed: TRUST,
  IssuerNotAllowed: 'credentialIssuer',
  VerifierNotAllowed: 'credentialIssuer',
  Proof: 'credentialProof',
  NotYetValid: 'credentialValidity',
  Expired: 'credentialValidity',
  Revoked: 'credentialStatus',
  Suspended: 'credentialStatus',
  StatusUnavailable: 'credentialStatus',
}

const CHECKS = [...new Set(Object.values(CHECK_OF))]

/** Who may issue, and by which contexts, is asked first: a credential that fails there is not looked at. */
const ENDS: ReadonlySet<ReasonType> = new Set([
  'UntrustedContext',
  'IssuerNotTrusted',
  'IssuerNotListed',
  'IssuerNotAllowed',
  'VerifierNotAllowed',
])

const validity = (credential: Json): string => {
  const from = credential.validFrom ?? credential.issuanceDate
  const until = credential.validUntil ?? credential.expirationDate
  return `Valid from ${from === undefined ? 'any time' : excerpt(from)} until ${until === undefined ? 'any time' : excerpt(until)}.`
}

/** The evidence of a check that passed. */
const EVIDENCE: Record<Exclude<CredentialCheck, typeof TRUST>, (credential: Json) => string> = {
  credentialForm: ({ type }) => `A credential of type ${excerpt(listOf(type).join(', '))}.`,
  credentialIssuer: ({ issuer }) => `The issuer is ${excerpt(isObject(issuer) ? issuer.id : issuer)}.`,
  credentialProof: ({ proof }) =>
    proof === undefined
      ? 'Signed: its envelope.'
      : `Signed: ${listOf(proof)
          .filter(isObject)
          .map((each) => `${excerpt(each.cryptosuite ?? each.type)} by ${methodId(each)}`)
          .join('; ')}.`,
  credentialValidity: validity,
  credentialStatus: ({ credentialStatus }) =>
    `Not revoked and not suspended; status entries checked: ${listOf(credentialStatus).length}.`,
}

interface CheckedCredential {
  credential: Json
  reasons: Reason[]
  /** Where a trust list has the issuer. */
  trust?: ListedIssuer | undefined
  /** Of the credential in a presentation. */
  path?: string
  /** Checks that the caller left out. */
  skip?: ReadonlySet<OptionalCheck> | undefined
}

/**
 * After a syntax error, or where the issuer or its contexts are not accepted, the other checks are skipped; without a key
 * the check of the proof is.
 */
export function verdictChecks({ credential, reasons, trust, path, skip }: CheckedCredential): Check[] {
  const leftOut: ReadonlySet<CheckName> = skip ?? new Set()
  const failures = (check: CredentialCheck) => reasons.filter(({ type }) => CHECK_OF[type] === check)
  const malformed = reasons.some(({ type }) => type === 'Syntax')
  const end = reasons.find(({ type }) => ENDS.has(type))
  const unknownKey = (['credentialIssuer', TRUST, 'credentialForm'] as const).some(
    (check) => failures(check).length > 0,
  )
  return CHECKS.flatMap((check): Check | Check[] => {
    const failing = failures(check)
    if (failing.length > 0)
      return failed(check, failing.map(({ type, message }) => `${type}: ${message}`).join(' '), path)
    if (check === TRUST)
      return trust ? { ...passed(check, `The trust list ${excerpt(trust.listName)} has it.`, path), trust } : []
    if (leftOut.has(check)) return skipped(check, 'The request leaves this check out.', path)
    if (end) return skipped(check, `Not looked at: ${end.type} ended the verification.`, path)
    if (malformed) return skipped(check, 'The form of the credential is not valid.', path)
    if (check === 'credentialProof' && unknownKey) return skipped(check, 'The key of the proof is not known.', path)
    if (check === 'credentialStatus' && credential.credentialStatus === undefined)
      return skipped(check, 'The credential has no status.', path)
    return passed(check, EVIDENCE[check](credential), path)
  })
}

/** The checks of `verifyCredential` for each credential of the presentation. */
export async function credentialChecks(request: PresentationToVerify): Promise<Check[]> {
  const { presentation, verifyCredential, skip } = request
  const binding = bindingOf(request)
  const credentials = credentialsIn(presentation)
  const contents = new Map(
    credentialsIn(withoutEnvelopes(presentation)).map(({ credential, path }) => [path, credential]),
  )
  const one = async ({ credential, path }: { credential: unknown; path: string }): Promise<Check[]> => {
    if (typeof credential === 'string') return [failed('credentialForm', PLAIN_JWT, path)]
    if (!isObject(credential))
      return [failed('credentialForm', 'The value is not a JSON object, so it is not a credential.', path)]
    const { reason: reasons, trust } = await verifyCredential(credential, binding)
    const content = contents.get(path)
    return verdictChecks({ credential: isObject(content) ? content : credential, reasons, trust, path, skip })
  }
  const checks: Check[] = []
  for (let from = 0; from < credentials.length; from += AT_ONCE)
    checks.push(...(await Promise.all(credentials.slice(from, from + AT_ONCE).map(one))).flat())
  return checks
}
