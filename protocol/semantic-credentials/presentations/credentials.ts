import type { Json } from '../../data-integrity/index.ts'
import { isObject, listOf } from '../../json.ts'
import { methodId } from '../proofs.ts'
import type { Reason, ReasonType } from '../reasons.ts'
import { type Check, type CheckName, failed, type PresentationToVerify, passed, shown, skipped } from './checks.ts'
import { heldCredentials, isEnveloped } from './index.ts'

/** Credentials that are verified at a time: one presentation must not fill the queue of the threads. */
const AT_ONCE = 4

type CredentialCheck = Extract<CheckName, `credential${string}`>

/** Which check a reason of `verifyCredential` belongs to. */
const CHECK_OF: Record<ReasonType, CredentialCheck> = {
  Syntax: 'credentialForm',
  Context: 'credentialForm',
  UntrustedContext: 'credentialForm',
  Issuer: 'credentialIssuer',
  Proof: 'credentialProof',
  NotYetValid: 'credentialValidity',
  Expired: 'credentialValidity',
  Revoked: 'credentialStatus',
  Suspended: 'credentialStatus',
  StatusUnavailable: 'credentialStatus',
}

const CHECKS = [...new Set(Object.values(CHECK_OF))]

const validity = (credential: Json): string => {
  const from = credential.validFrom ?? credential.issuanceDate
  const until = credential.validUntil ?? credential.expirationDate
  return `Valid from ${from === undefined ? 'ever' : shown(from)} until ${until === undefined ? 'ever' : shown(until)}.`
}

/** What a check that did not fail has to show. */
const EVIDENCE: Record<CredentialCheck, (credential: Json) => string> = {
  credentialForm: ({ type }) => `A credential of type ${shown(listOf(type).join(', '))}.`,
  credentialIssuer: ({ issuer }) => `The issuer is ${shown(isObject(issuer) ? issuer.id : issuer)}.`,
  credentialProof: ({ proof }) =>
    `Signed: ${listOf(proof)
      .filter(isObject)
      .map((each) => `${shown(each.cryptosuite ?? each.type)} by ${methodId(each)}`)
      .join('; ')}.`,
  credentialValidity: validity,
  credentialStatus: ({ credentialStatus }) => `Not revoked: ${listOf(credentialStatus).length} status looked up.`,
}

/** A credential that does not parse was looked at no further; one whose key is not known was not checked for its proof. */
function verdictChecks(credential: Json, reasons: Reason[], path: string): Check[] {
  const failures = (check: CredentialCheck) => reasons.filter(({ type }) => CHECK_OF[type] === check)
  const unread = reasons.some(({ type }) => type === 'Syntax')
  const unknownKey = failures('credentialIssuer').length > 0 || failures('credentialForm').length > 0
  return CHECKS.map((check) => {
    const found = failures(check)
    if (found.length > 0) return failed(check, found.map(({ type, message }) => `${type}: ${message}`).join(' '), path)
    if (unread) return skipped(check, 'The form of the credential is not right.', path)
    if (check === 'credentialProof' && unknownKey) return skipped(check, 'There is no key to check it with.', path)
    if (check === 'credentialStatus' && credential.credentialStatus === undefined)
      return skipped(check, 'The credential has no status.', path)
    return passed(check, EVIDENCE[check](credential), path)
  })
}

/** All of `verifyCredential` for each contained credential, check by check. */
export async function credentialChecks({ presentation, verifyCredential }: PresentationToVerify): Promise<Check[]> {
  const credentials = heldCredentials(presentation)
  const one = async ({ held, path }: { held: unknown; path: string }): Promise<Check[]> => {
    if (isEnveloped(held))
      return [failed('credentialForm', 'Enveloped credentials (JWT, SD-JWT, COSE) are not accepted here.', path)]
    if (!isObject(held)) return [failed('credentialForm', 'It is no credential.', path)]
    return verdictChecks(held, (await verifyCredential(held)).reason, path)
  }
  const checks: Check[] = []
  for (let from = 0; from < credentials.length; from += AT_ONCE)
    checks.push(...(await Promise.all(credentials.slice(from, from + AT_ONCE).map(one))).flat())
  return checks
}
