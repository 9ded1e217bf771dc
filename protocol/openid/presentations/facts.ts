import { isObject, type Json } from '../../json.ts'
import { processSdJwt, withPlaces } from '../../sd-jwt-credentials/processed.ts'
import { readSdJwt } from '../../sd-jwt-credentials/read.ts'
import { stepsOf } from '../dcql/excess.ts'
import type { DcqlCredential } from '../dcql/query.ts'

/** Of several subjects only the holder: a claim about somebody else answers no query about who presents. */
export const ofSubject = (credential: Json, holder: string): Json =>
  Array.isArray(credential.credentialSubject)
    ? {
        ...credential,
        credentialSubject: credential.credentialSubject.filter((each) => isObject(each) && each.id === holder),
      }
    : credential

/** What paths lead into, and those of what was disclosed. */
interface Disclosed {
  claims: Json
  paths: readonly string[][]
}

/**
 * The claims of a verified SD-JWT VC as a query counts them. An index is one of the credential (OpenID4VP 1.0, section 7):
 * an element that is not disclosed keeps its place, else the holder would choose which one is the first.
 */
export function asCounted(
  { claims: asked = [] }: DcqlCredential,
  payload: string,
  { claims, selective }: { claims: Json; selective: readonly string[] },
): Disclosed {
  const hasIndexes = asked.some(({ path }) => path.some((step) => typeof step === 'number'))
  return hasIndexes ? withPlaces(processSdJwt(readSdJwt(payload))) : { claims, paths: selective.map(stepsOf) }
}
