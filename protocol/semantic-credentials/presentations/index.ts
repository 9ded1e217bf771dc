import { type Json, type ProofType, suiteOf } from '../../data-integrity/index.ts'
import { type FieldError, firstFault, Refusal } from '../../errors.ts'
import { isObject, listOf } from '../../json.ts'
import { boundsErrors, MAX_ENVELOPED, shapelessErrors, wrapperHint } from '../bounds.ts'
import { BASE_CONTEXT, BASE_CONTEXTS, credentialErrors, type DataModel, isUri } from '../checks.ts'
import { envelopedPresentationErrors } from '../enveloped/issue.ts'
import { isPresentationEnvelopeType, type PresentationEnvelopeType } from '../proof-types.ts'
import { unsignedErrors } from '../unsigned.ts'
import { holderOf } from './checks.ts'
import { envelopeErrors, isEnveloped, isOverfull } from './envelopes.ts'

/** Each credential is fully verified, with BBS in 80 ms: more credentials would be an attack. */
const MAX_CREDENTIALS = 20

function containedErrors(credential: unknown, path: string, model: DataModel): FieldError[] {
  if (!isObject(credential)) return [{ path, code: 'credential.object', message: 'must be an object' }]
  if (model === '2.0' && isEnveloped(credential)) return envelopeErrors(credential, path)
  return credentialErrors(credential, model).map((error) => ({ ...error, path: path + error.path }))
}

export const modelOfPresentation = ({ '@context': context }: Json): DataModel =>
  listOf(context)[0] === BASE_CONTEXT['2.0'] ? '2.0' : '1.1'

/** The credentials of a presentation, each with its path. */
export function credentialsIn({ verifiableCredential: value }: Json): { credential: unknown; path: string }[] {
  if (!Array.isArray(value)) return value === undefined ? [] : [{ credential: value, path: '/verifiableCredential' }]
  return value.map((credential, index) => ({ credential, path: `/verifiableCredential/${index}` }))
}

/** Checks the data model's rules for a presentation itself, without its credentials. */
export function ownErrors(presentation: Json, model: DataModel): FieldError[] {
  const { '@context': context, id, type, holder } = presentation
  const errors: FieldError[] = []
  const report = (path: string, code: string, message: string) =>
    errors.push({ path, code: `presentation.${code}`, message })
  if (listOf(context)[0] !== BASE_CONTEXT[model]) report('/@context/0', 'base_context', `must be ${BASE_CONTEXTS}`)
  if (!listOf(type).includes('VerifiablePresentation')) report('/type', 'type', 'must include VerifiablePresentation')
  if (id !== undefined && !isUri(id)) report('/id', 'uri', 'must be a single URI, or absent')
  if (holder !== undefined && !isUri(holderOf(presentation)))
    report('/holder', 'uri', 'must be a URI, or an object with one as id')
  return errors
}

/**
 * Checks the data model's rules for a presentation with its credentials (VC Data Model 2.0, section 4.13; 1.1, section
 * 4.10).
 */
export function presentationErrors(presentation: Json, model: DataModel): FieldError[] {
  const errors = listOf(presentation.verifiableCredential).flatMap((credential, index) =>
    containedErrors(credential, `/verifiableCredential/${index}`, model),
  )
  return [...ownErrors(presentation, model), ...errors]
}

/**
 * Returns a presentation in the form that the checks need: contexts and types as lists, since the specification's
 * schema shows them as strings. Throws `Refusal('presentation.malformed')` for documents that the libraries must not
 * process.
 */
export function normalisePresentation(value: unknown): Json {
  const refuse = (errors: FieldError[]) =>
    new Refusal('presentation.malformed', `The presentation is not valid: ${firstFault(errors)}.`, errors)
  if (!isObject(value)) throw refuse([{ path: '', code: 'object', message: 'must be a JSON object' }])
  const errors = boundsErrors(value, 'foreign')
  if (errors.length > 0) throw refuse(errors)
  if (credentialsIn(value).length > MAX_CREDENTIALS)
    throw refuse([
      {
        path: '/verifiableCredential',
        code: 'presentation.too_many_credentials',
        message: `must have at most ${MAX_CREDENTIALS} credentials`,
      },
    ])
  const presentation: Json = { ...value }
  for (const member of ['@context', 'type']) {
    if (typeof presentation[member] === 'string') presentation[member] = [presentation[member]]
  }
  if (isOverfull(presentation))
    throw refuse([
      {
        path: '/verifiableCredential',
        code: 'credential.too_large',
        message: `must have at most ${MAX_ENVELOPED} members in its envelopes together`,
      },
    ])
  return presentation
}

/** Throws `Refusal('presentation.malformed')` for an object that is no presentation at all. */
export function assertPresentation(presentation: Json): void {
  const errors = shapelessErrors(presentation)
  if (errors.length > 0)
    throw new Refusal(
      'presentation.malformed',
      `This is not a presentation: it has no @context and no type.${wrapperHint(presentation)}`,
      errors,
    )
}

/**
 * Returns a checked presentation for its holder's proof or envelope, with the context that the proof needs. Its `holder` stays
 * unchanged. Throws `Refusal('presentation.malformed' | 'presentation.invalid')`.
 */
export function presentationToSign(value: unknown, proofType: ProofType | PresentationEnvelopeType): Json {
  const presentation = normalisePresentation(value)
  const model = modelOfPresentation(presentation)
  const errors = [...ownErrors(presentation, model), ...unsignedErrors(presentation, { sign: false })]
  const isEnvelope = isPresentationEnvelopeType(proofType)
  if (isEnvelope) errors.push(...envelopedPresentationErrors(proofType, presentation, model === '2.0'))
  if (presentation.proof !== undefined)
    errors.push({ path: '/proof', code: 'presentation.not_yours', message: 'must be absent: the platform adds it' })
  if (errors.length > 0) {
    const message = `The presentation is not valid: ${firstFault(errors)}.`
    throw new Refusal('presentation.invalid', message, errors)
  }
  const ofProof = isEnvelope ? undefined : suiteOf(proofType).context?.[model]
  const contexts = [...listOf(presentation['@context']), ...listOf(ofProof)]
  return { ...presentation, '@context': [...new Set(contexts)] }
}
