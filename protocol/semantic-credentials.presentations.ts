import type { Json } from './data-integrity.ts'
import type { FieldError } from './errors.ts'
import {
  BASE_CONTEXT,
  credentialErrors,
  type DataModel,
  isObject,
  isUri,
  listOf,
} from './semantic-credentials.checks.ts'

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

function heldErrors(held: unknown, path: string, model: DataModel): FieldError[] {
  if (!isObject(held)) return [{ path, code: 'credential.object', message: 'must be an object' }]
  const isEnvelope = model === '2.0' && (listOf(held.type).includes(ENVELOPED) || String(held.id).startsWith('data:'))
  if (isEnvelope) return envelopeErrors(held, path)
  return credentialErrors(held, model).map((error) => ({ ...error, path: path + error.path }))
}

/** The data model's rules for presentations (VC Data Model 2.0, section 4.13; 1.1, section 4.10). */
export function presentationErrors(presentation: Json, model: DataModel): FieldError[] {
  const { '@context': context, id, type, holder, verifiableCredential } = presentation
  const errors: FieldError[] = []
  const report = (path: string, code: string, message: string) =>
    errors.push({ path, code: `presentation.${code}`, message })
  if (listOf(context)[0] !== BASE_CONTEXT[model])
    report('/@context/0', 'base_context', `must be ${BASE_CONTEXT[model]}`)
  if (!listOf(type).includes('VerifiablePresentation')) report('/type', 'type', 'must include VerifiablePresentation')
  if (id !== undefined && !isUri(id)) report('/id', 'uri', 'must be a single URI, or absent')
  const holderId = isObject(holder) ? holder.id : holder
  if (holder !== undefined && !isUri(holderId)) report('/holder', 'uri', 'must be a URI, or an object with one as id')
  const held = listOf(verifiableCredential).flatMap((credential, index) =>
    heldErrors(credential, `/verifiableCredential/${index}`, model),
  )
  return [...errors, ...held]
}
