import { isObject, type Json } from '../../json.ts'
import { processSdJwt, withPlaces } from '../../sd-jwt-credentials/processed.ts'
import { readSdJwt } from '../../sd-jwt-credentials/read.ts'
import type { DcqlCredential } from '../dcql/query.ts'

/** Of several subjects only the holder: a claim about somebody else answers no query about who presents. */
export const ofSubject = (credential: Json, holder: string): Json =>
  Array.isArray(credential.credentialSubject)
    ? {
        ...credential,
        credentialSubject: credential.credentialSubject.filter((each) => isObject(each) && each.id === holder),
      }
    : credential

/** What paths lead into, and pointers to what was disclosed. */
interface Disclosed {
  claims: Json
  selective: readonly string[]
}

/**
 * The claims of a verified SD-JWT VC as a query counts them. An index is one of the credential (OpenID4VP 1.0, section 7):
 * an element that is not disclosed keeps its place, else the holder would choose which one is the first.
 */
export function asCounted({ claims: asked = [] }: DcqlCredential, payload: string, disclosed: Disclosed): Disclosed {
  if (!asked.some(({ path }) => path.some((step) => typeof step === 'number'))) return disclosed
  return withPlaces(processSdJwt(readSdJwt(payload)))
}
