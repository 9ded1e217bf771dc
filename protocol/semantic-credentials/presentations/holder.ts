import { type Json, suiteOfProof } from '../../data-integrity/index.ts'
import { excerpt } from '../../errors.ts'
import { isObject, listOf } from '../../json.ts'
import { keyUrl, presenterReasons } from '../enveloped/verify.ts'
import { MAX_PROOFS, methodId, proofReasons } from '../proofs.ts'
import type { CredentialQuery } from './asked.ts'
import {
  type Check,
  controllerOf,
  failed,
  holderOf,
  isExchangeExpected,
  type PresentationToVerify,
  passed,
  proofsOf,
  signaturesOf,
  signerOf,
  skipped,
} from './checks.ts'
import { isEnveloped, keyBoundIn, withoutEnvelopes } from './envelopes.ts'
import { credentialsIn } from './index.ts'

/** The holders of a presentation: the declared one, else the signers. */
const holdersOf = (request: PresentationToVerify): string[] => {
  const declared = holderOf(request.presentation)
  return declared === undefined ? signaturesOf(request).map(({ proof }) => signerOf(proof)) : [String(declared)]
}

const idOf = (node: unknown): unknown => (isObject(node) ? (node.id ?? node['@id']) : undefined)

/**
 * Returns a credential with the holder's subjects only: a query about a subject is about the holder, unless it names
 * the subject itself.
 */
export function ofHolder({ pattern }: CredentialQuery, credential: Json, request: PresentationToVerify): Json {
  const isNamed = listOf(pattern.credentialSubject).some((subject) => idOf(subject) !== undefined)
  if (!request.bindHolder || isNamed || !Array.isArray(credential.credentialSubject)) return credential
  const holders: unknown[] = holdersOf(request)
  return {
    ...credential,
    credentialSubject: credential.credentialSubject.filter((subject) => holders.includes(idOf(subject))),
  }
}

async function envelopeChecks({ envelope, ...request }: PresentationToVerify): Promise<Check[]> {
  if (!envelope) return []
  const reasons = await presenterReasons(envelope, { ...request, controller: controllerOf(envelope) })
  if (reasons.length > 0)
    return reasons.map(({ type, code, message }) => failed('holderProof', `${code ?? type}: ${message}`, '/id'))
  const url = keyUrl(envelope, controllerOf(envelope))
  return [passed('holderProof', `${excerpt(url)} signed it: ${envelope.mediaType}.`, '/id')]
}

/** The envelope and every proof must verify, with the purpose authentication. */
export async function proofChecks(request: PresentationToVerify): Promise<Check[]> {
  return [...(await envelopeChecks(request)), ...(await embeddedChecks(request))]
}

async function embeddedChecks(request: PresentationToVerify): Promise<Check[]> {
  const { proof: _, ...document } = request.presentation
  const { proof: _sent, ...sent } = request.asSent ?? request.presentation
  const proofs = proofsOf(request.presentation)
  if (proofs.length === 0 && request.envelope) return []
  if (proofs.length === 0) return [failed('holderProof', 'The presentation has no proof.', '/proof')]
  if (proofs.length > MAX_PROOFS)
    return [failed('holderProof', `The presentation has more than ${MAX_PROOFS} proofs.`, '/proof')]
  const all = proofs.map(({ proof }) => proof)
  const rules = { ...request, purpose: 'authentication' } as const
  return Promise.all(
    proofs.map(async ({ proof, path }) => {
      const signed = suiteOfProof(proof)?.canonical === 'jcs' ? sent : document
      const [reason] = await proofReasons(signed, proof, all, rules)
      if (reason) return failed('holderProof', `${reason.type}: ${reason.message}`, path)
      const created = proof.created === undefined ? '' : `, ${excerpt(proof.created)}`
      return passed(
        'holderProof',
        `${methodId(proof)} signed it: ${excerpt(proof.cryptosuite ?? proof.type)}${created}.`,
        path,
      )
    }),
  )
}

/** The holder that a presentation names must have signed it. */
export function holderChecks(request: PresentationToVerify): Check[] {
  const { presentation, bindHolder } = request
  const declared = holderOf(presentation)
  const signers = signaturesOf(request).map(({ proof }) => signerOf(proof))
  if (!bindHolder) return [skipped('holder', 'The binding to the holder is not checked here.')]
  if (signers.length === 0) return [skipped('holder', 'The presentation is not signed.')]
  if (declared === undefined)
    return [skipped('holder', `The presentation names no holder; ${excerpt(signers[0])} signed it.`)]
  return signers.includes(String(declared))
    ? [passed('holder', `The holder ${excerpt(declared)} signed the presentation.`, '/holder')]
    : [failed('holder', `No proof is made with a key of the holder ${excerpt(declared)}.`, '/holder')]
}

/** Fails for every kind of delegation: the specification names some, and none is supported. */
function delegationCheck({ holderBinding }: Json): Check[] {
  if (holderBinding === undefined) return []
  const type = listOf(holderBinding).map((each) => (isObject(each) ? each.type : each))[0]
  const evidence =
    type === 'CacaoDelegationHolderBinding2022'
      ? 'CacaoDelegationHolderBinding2022 (CAIP-74) is not supported: the subject must present its credential itself.'
      : `A holder binding of type ${excerpt(type)} is not supported.`
  return [failed('holderBinding', evidence, '/holderBinding')]
}

/** The ids of the subjects that a credential names. */
export const subjectIdsOf = ({ credentialSubject }: Json): string[] =>
  listOf(credentialSubject).flatMap((subject) =>
    isObject(subject) && typeof subject.id === 'string' ? [subject.id] : [],
  )

const UNEXPECTED =
  'Without an expected challenge and an expected domain, the key binding may have been made for another verifier.'

/**
 * The subject must be the holder. A credential without a subject id fails, since it may be a copy, unless it has a key
 * binding for the exchange that the verifier expects, which its own verification checks (D-839).
 */
export function bindingChecks(request: PresentationToVerify): Check[] {
  const { presentation, bindHolder } = request
  const holders = holdersOf(request)
  const keyBound = keyBoundIn(presentation)
  const checks = credentialsIn(withoutEnvelopes(presentation)).flatMap(({ credential, path: within }) => {
    if (!isObject(credential) || isEnveloped(credential)) return []
    const path = `${within}/credentialSubject`
    const ids = subjectIdsOf(credential)
    const subject = ids.find((id) => holders.includes(id))
    if (!bindHolder) return [skipped('holderBinding', 'The binding to the holder is not checked here.', path)]
    if (subject !== undefined)
      return [passed('holderBinding', `The subject ${excerpt(subject)} presents the credential.`, path)]
    if (ids.length === 0 && keyBound.has(credential) && !isExchangeExpected(request))
      return [failed('holderBinding', UNEXPECTED, path)]
    if (ids.length === 0 && keyBound.has(credential))
      return [passed('holderBinding', 'The key binding of the credential is made with the key of its holder.', path)]
    if (ids.length === 0)
      return [failed('holderBinding', 'The credential discloses no subject id, so anybody could present a copy.', path)]
    return [
      failed(
        'holderBinding',
        `The subject ${excerpt(ids[0])} is not the holder ${excerpt(holders[0] ?? 'nobody')}.`,
        path,
      ),
    ]
  })
  return [...delegationCheck(presentation), ...checks]
}
