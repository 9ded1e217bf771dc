import { isObject, type Json } from '../json.ts'
import { jsonOf, parseCompactJws } from '../jws.ts'

const URL_OF_JWT = 'data:application/vc+jwt,'

/**
 * The JWT of a list that is published as the object with an envelope (VC Data Model 2.0, section 4.12); undefined of a list
 * with a proof in it.
 */
export const jwtOfList = ({ id }: Json): string | undefined =>
  typeof id === 'string' && id.startsWith(URL_OF_JWT) ? id.slice(URL_OF_JWT.length) : undefined

/** The list as a credential, whatever form it is published in. */
export function listIn(published: Json): Json {
  const read = parseCompactJws(jwtOfList(published) ?? '')
  const content = read && jsonOf(read.payload)
  return isObject(content) ? content : published
}
