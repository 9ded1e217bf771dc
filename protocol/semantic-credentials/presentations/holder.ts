import type { Json } from '../../data-integrity/index.ts'
import { isObject, listOf } from '../../json.ts'
import { MAX_PROOFS, methodId, proofReasons } from '../proofs.ts'
import type { CredentialQuery } from './asked.ts'
import { type Check, failed, type PresentationToVerify, passed, proofsOf, shown, signerOf, skipped } from './checks.ts'
import { heldCredentials, holderOf, isEnveloped } from './index.ts'

/** Who presents: the declared holder, else whoever signed. */
const holdersOf = (presentation: Json): string[] => {
  const declared = holderOf(presentation)
  return declared === undefined ? proofsOf(presentation).map(({ proof }) => signerOf(proof)) : [String(declared)]
}

const idOf = (node: unknown): unknown => (isObject(node) ? (node.id ?? node['@id']) : undefined)

/**
 * A credential as far as it answers a query: what the query asks of a subject it asks of the holder, unless it names the
 * subject itself. Another subject of the same credential is somebody else.
 */
export function ofHolder(
  { pattern }: CredentialQuery,
  held: Json,
  { presentation, bindHolder }: PresentationToVerify,
): Json {
  const isNamed = listOf(pattern.credentialSubject).some((subject) => idOf(subject) !== undefined)
  if (!bindHolder || isNamed || !Array.isArray(held.credentialSubject)) return held
  const holders: unknown[] = holdersOf(presentation)
  return { ...held, credentialSubject: held.credentialSubject.filter((subject) => holders.includes(idOf(subject))) }
}

/** Every proof must hold, and be made for authentication. */
export async function proofChecks(request: PresentationToVerify): Promise<Check[]> {
  const { proof: _, ...document } = request.presentation
  const proofs = proofsOf(request.presentation)
  if (proofs.length === 0) return [failed('holderProof', 'The presentation has no proof.', '/proof')]
  if (proofs.length > MAX_PROOFS) return [failed('holderProof', `There are more than ${MAX_PROOFS} proofs.`, '/proof')]
  const all = proofs.map(({ proof }) => proof)
  const rules = { ...request, purpose: 'authentication' } as const
  return Promise.all(
    proofs.map(async ({ proof, path }) => {
      const [reason] = await proofReasons(document, proof, all, rules)
      if (reason) return failed('holderProof', `${reason.type}: ${reason.message}`, path)
      const made = proof.created === undefined ? '' : `, ${shown(proof.created)}`
      return passed(
        'holderProof',
        `${methodId(proof)} signed it: ${shown(proof.cryptosuite ?? proof.type)}${made}.`,
        path,
      )
    }),
  )
}

/** The holder that a presentation names must be who signed it. */
export function holderChecks({ presentation, bindHolder }: PresentationToVerify): Check[] {
  const declared = holderOf(presentation)
  const signers = proofsOf(presentation).map(({ proof }) => signerOf(proof))
  if (!bindHolder) return [skipped('holder', 'The holder was not asked for.')]
  if (signers.length === 0) return [skipped('holder', 'Nobody signed it.')]
  if (declared === undefined) return [skipped('holder', `It names no holder: ${shown(signers[0])} signed it.`)]
  return signers.includes(String(declared))
    ? [passed('holder', `The holder ${shown(declared)} signed it.`, '/holder')]
    : [failed('holder', `No proof is made with a key of the holder ${shown(declared)}.`, '/holder')]
}

/** Kinds of delegation that the specification names, none of which is enough here. */
function delegationCheck({ holderBinding }: Json): Check[] {
  if (holderBinding === undefined) return []
  const type = listOf(holderBinding).map((each) => (isObject(each) ? each.type : each))[0]
  const evidence =
    type === 'CacaoDelegationHolderBinding2022'
      ? 'CacaoDelegationHolderBinding2022 is not accepted: the delegation (CAIP-74) cannot be verified here. The subject must present its credential itself.'
      : `A holder binding of type ${shown(type)} is not known.`
  return [failed('holderBinding', evidence, '/holderBinding')]
}

/** Subject = holder. Who holds a credential that names no subject cannot be told: it may be a copy. */
export function bindingChecks({ presentation, bindHolder }: PresentationToVerify): Check[] {
  const holders = holdersOf(presentation)
  const checks = heldCredentials(presentation).flatMap(({ held, path: within }) => {
    if (!isObject(held) || isEnveloped(held)) return []
    const path = `${within}/credentialSubject`
    const ids = listOf(held.credentialSubject).flatMap((subject) =>
      isObject(subject) && typeof subject.id === 'string' ? [subject.id] : [],
    )
    const subject = ids.find((id) => holders.includes(id))
    if (!bindHolder) return [skipped('holderBinding', 'The binding was not asked for.', path)]
    if (subject !== undefined) return [passed('holderBinding', `The subject ${shown(subject)} presents it.`, path)]
    if (ids.length === 0)
      return [failed('holderBinding', 'It discloses no subject, so that anybody could present a copy.', path)]
    return [
      failed('holderBinding', `The subject ${shown(ids[0])} is not the holder ${shown(holders[0] ?? 'nobody')}.`, path),
    ]
  })
  return [...delegationCheck(presentation), ...checks]
}
