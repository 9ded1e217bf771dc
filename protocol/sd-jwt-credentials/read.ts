import { fromBase64url } from '../base64url.ts'
import { isObject, type Json } from '../json.ts'
import {
  ALGORITHM,
  type Disclosure,
  type HashAlgorithm,
  isHashAlgorithm,
  readDisclosure,
  strictJson,
} from './disclosures.ts'
import { type CheckName, faulty } from './faults.ts'

/** Characters of a presentation at most. */
export const MAX_CHARACTERS = 512 * 1024
/** Disclosures of one at most. */
export const MAX_DISCLOSURES = 1_000

export interface ReadJwt {
  header: Json
  payload: Json
  /** What the signature covers. */
  input: Uint8Array
  signature: Uint8Array
}

/** An SD-JWT or an SD-JWT+KB, taken apart (RFC 9901, section 4). */
export interface ReadSdJwt extends ReadJwt {
  algorithm: HashAlgorithm
  disclosures: Disclosure[]
  /** The key binding JWT, if there is one. */
  keyBinding?: ReadJwt
  /** What `sd_hash` covers: everything up to the last tilde (section 4.3.1). */
  presented: string
}

/** Reads a JWT: three parts of strict base64url, the first two JSON objects (RFC 7519, section 7.2). Throws `Faulty`. */
export function readJwt(text: string, check: CheckName, what: string): ReadJwt {
  const parts = text.split('.', 4)
  if (parts.length !== 3) throw faulty(check, `${what}_parts`, 'A JWT has other than three parts.')
  const [header, payload, signature] = parts.map(fromBase64url)
  if (!header || !payload || !signature)
    throw faulty(check, `${what}_not_base64url`, 'A part of a JWT is not base64url without padding.')
  if (signature.length === 0) throw faulty(check, `${what}_not_signed`, 'A JWT has no signature.')
  const [head, body] = [strictJson(header, check, `${what}_header`), strictJson(payload, check, `${what}_payload`)]
  if (!isObject(head) || !isObject(body))
    throw faulty(check, `${what}_not_object`, 'A part of a JWT is no JSON object.')
  return { header: head, payload: body, input: Buffer.from(text.slice(0, text.lastIndexOf('.'))), signature }
}

function tildesIn(text: string, most: number): number {
  let count = 0
  for (let at = text.indexOf('~'); at >= 0 && count <= most; at = text.indexOf('~', at + 1)) count += 1
  return count
}

/** Reads a presentation or an issued SD-JWT. The signatures are not verified, nor what it says. Throws `Faulty`. */
export function readSdJwt(text: string): ReadSdJwt {
  if (text.length > MAX_CHARACTERS)
    throw faulty('Syntax', 'too_large', `The credential has more than ${MAX_CHARACTERS} characters.`)
  const tildes = tildesIn(text, MAX_DISCLOSURES + 1)
  if (tildes === 0) throw faulty('Syntax', 'no_tilde', 'The credential has no tilde, so that it is no SD-JWT.')
  if (tildes > MAX_DISCLOSURES + 1)
    throw faulty('Syntax', 'too_many_disclosures', `The credential has more than ${MAX_DISCLOSURES} disclosures.`)
  const [jwt = '', ...rest] = text.split('~')
  const last = rest.pop() ?? ''
  const read = readJwt(jwt, 'Syntax', 'jwt')
  const algorithm = Object.hasOwn(read.payload, ALGORITHM) ? read.payload[ALGORITHM] : 'sha-256'
  if (!isHashAlgorithm(algorithm))
    throw faulty('Disclosures', 'hash_algorithm', 'The _sd_alg is none of sha-256, sha-384 and sha-512.')
  const disclosures = rest.map((each) => readDisclosure(each, algorithm))
  return {
    ...read,
    algorithm,
    disclosures,
    ...(last !== '' && { keyBinding: readJwt(last, 'KeyBinding', 'key_binding') }),
    presented: text.slice(0, text.length - last.length),
  }
}
