import type { Json } from '../../data-integrity/index.ts'
import type { FieldError } from '../../errors.ts'
import { isObject, listOf } from '../../json.ts'
import { BASE_CONTEXT } from '../checks.ts'

const CREDENTIAL = 'EnvelopedVerifiableCredential'
const PRESENTATION = 'EnvelopedVerifiablePresentation'

/** For people: what an envelope of either kind is answered with. */
export const unsupportedEnvelope = (kind: 'credential' | 'presentation') =>
  `Enveloped ${kind}s (JWT, SD-JWT, COSE) are not supported: send one with a Data Integrity proof.`

const isEnvelope = ({ type, id }: Json, name: string): boolean =>
  listOf(type).includes(name) || String(id).startsWith('data:')

/** Whether a credential is a JWT, an SD-JWT or COSE in an envelope, or a plain JWT. */
export const isEnveloped = (credential: unknown): boolean =>
  typeof credential === 'string' || (isObject(credential) && isEnvelope(credential, CREDENTIAL))

export const isEnvelopedPresentation = (presentation: Json): boolean => isEnvelope(presentation, PRESENTATION)

/** An enveloped credential has its content in its `data:` URL (VC Data Model 2.0, section 4.12). */
export function envelopeErrors(credential: Json, path: string): FieldError[] {
  const enveloped =
    listOf(credential['@context']).includes(BASE_CONTEXT['2.0']) && listOf(credential.type).includes(CREDENTIAL)
  if (enveloped && String(credential.id).startsWith('data:')) return []
  return [
    {
      path,
      code: 'credential.envelope',
      message: `must have the base context, the type ${CREDENTIAL} and a data: URL as id`,
    },
  ]
}
