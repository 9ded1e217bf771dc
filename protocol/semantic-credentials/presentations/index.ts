import { type Json, type ProofType, suiteOf } from '../../data-integrity/index.ts'
import { type FieldError, Refusal } from '../../errors.ts'
import { isObject, listOf } from '../../json.ts'
import { boundsErrors } from '../bounds.ts'
import { BASE_CONTEXT, BASE_CONTEXTS, credentialErrors, type DataModel, isUri } from '../checks.ts'
import { unsignedErrors } from '../unsigned.ts'

/** Each contained credential is verified in full, BBS ones at 80 ms: more would be an attack, not a wallet. */
const MAX_CREDENTIALS = 20

const ENVELOPED = 'EnvelopedVerifiableCredential'

/** An enveloped credential says all that it says in its `data:` URL (VC Data Model 2.0, section 4.12). */
function envelopeErrors(credential: Json, path: string): FieldError[] {
  const enveloped =
    listOf(credential['@context']).includes(BASE_CONTEXT['2.0']) && listOf(credential.type).includes(ENVELOPED)
  if (enveloped && String(credential.id).startsWith('data:')) return []
  return [
    {
      path,
      code: 'credential.envelope',
      message: `must have the base context, the type ${ENVELOPED} and a data: URL as id`,
    },
  ]
}

/** Whether a contained credential is a JWT, an SD-JWT or COSE in an envelope, or a JWT as it is. */
export const isEnveloped = (held: unknown): boolean =>
  typeof held === 'string' ||
  (isObject(held) && (listOf(held.type).includes(ENVELOPED) || String(held.id).startsWith('data:')))

function heldErrors(held: unknown, path: string, model: DataModel): FieldError[] {
  if (!isObject(held)) return [{ path, code: 'credential.object', message: 'must be an object' }]
  if (model === '2.0' && isEnveloped(held)) return envelopeErrors(held, path)
  return credentialErrors(held, model).map((error) => ({ ...error, path: path + error.path }))
}

export const modelOfPresentation = ({ '@context': context }: Json): DataModel =>
  listOf(context)[0] === BASE_CONTEXT['2.0'] ? '2.0' : '1.1'

export const holderOf = ({ holder }: Json): unknown => (isObject(holder) ? holder.id : holder)

/** The contained credentials, with the path of each. */
export function heldCredentials({ verifiableCredential: held }: Json): { held: unknown; path: string }[] {
  if (!Array.isArray(held)) return held === undefined ? [] : [{ held, path: '/verifiableCredential' }]
  return held.map((each, index) => ({ held: each, path: `/verifiableCredential/${index}` }))
}

/** The data model's rules for a presentation itself, without those for the credentials in it. */
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

/** The data model's rules for presentations (VC Data Model 2.0, section 4.13; 1.1, section 4.10). */
export function presentationErrors(presentation: Json, model: DataModel): FieldError[] {
  const held = listOf(presentation.verifiableCredential).flatMap((credential, index) =>
    heldErrors(credential, `/verifiableCredential/${index}`, model),
  )
  return [...ownErrors(presentation, model), ...held]
}

/**
 * Brings a presentation into the form that the checks take: contexts and types as lists, as the specification's schema
 * shows them as strings. Throws `Refusal('presentation.malformed')` for what the libraries must not be given.
 */
export function normalisePresentation(given: unknown): Json {
  const refuse = (errors: FieldError[]) =>
    new Refusal('presentation.malformed', `The presentation is refused: ${errors[0]?.message}.`, errors)
  if (!isObject(given)) throw refuse([{ path: '', code: 'object', message: 'must be a JSON object' }])
  const errors = boundsErrors(given, 'foreign')
  if (errors.length > 0) throw refuse(errors)
  if (heldCredentials(given).length > MAX_CREDENTIALS)
    throw refuse([
      {
        path: '/verifiableCredential',
        code: 'presentation.too_many_credentials',
        message: `at most ${MAX_CREDENTIALS} credentials`,
      },
    ])
  const presentation: Json = { ...given }
  for (const member of ['@context', 'type']) {
    if (typeof presentation[member] === 'string') presentation[member] = [presentation[member]]
  }
  return presentation
}

/**
 * A presentation ready for its holder's proof: bounded, checked, with the context that the proof needs. Its `holder` is
 * signed as it was given. Throws `Refusal('presentation.malformed' | 'presentation.invalid')`.
 */
export function presentationToSign(given: unknown, proofType: ProofType): Json {
  const presentation = normalisePresentation(given)
  const model = modelOfPresentation(presentation)
  const errors = [...ownErrors(presentation, model), ...unsignedErrors(presentation, { sign: false })]
  if (presentation.proof !== undefined)
    errors.push({ path: '/proof', code: 'presentation.not_yours', message: 'is added by the platform' })
  if (errors.length > 0) {
    const message = `The presentation is not valid: ${errors[0]?.path || '/'} ${errors[0]?.message}.`
    throw new Refusal('presentation.invalid', message, errors)
  }
  const contexts = [...listOf(presentation['@context']), ...listOf(suiteOf(proofType).context?.[model])]
  return { ...presentation, '@context': [...new Set(contexts)] }
}
