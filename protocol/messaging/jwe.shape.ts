import { isDeepStrictEqual } from 'node:util'
import { isObject, type Json } from '../json.ts'
import { bytesOf, type GeneralJwe, undecryptable } from './jwe.form.ts'

/**
 * The specification's shape (specification, encryptCredentials): the wrapped key is `encryptionKey`, and each recipient
 * shows the header parameters that hold for it.
 */
export interface SpecifiedJwe {
  ciphertext: string
  iv: string
  protected: string
  recipients: { encryptionKey: string; header: Json }[]
  tag: string
}

/** Parameters that each recipient of the specification's shape shows, wherever they are in RFC 7516. */
const SHOWN = ['alg', 'epk', 'kid', 'skid'] as const

function protectedHeader(text: unknown): Json {
  try {
    const header: unknown = JSON.parse(Buffer.from(bytesOf(text, 'protected', 16_384)).toString())
    if (isObject(header)) return header
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw undecryptable('the protected header is no JSON object')
}

/** RFC 7516 to the specification's shape, which has no `unprotected` and no `aad`. */
export function toSpecified(jwe: GeneralJwe): SpecifiedJwe {
  if (jwe.unprotected !== undefined || jwe.aad !== undefined)
    throw new Error('a JWE with unprotected or aad has no form in the specification')
  const header = protectedHeader(jwe.protected)
  const shown = Object.fromEntries(SHOWN.flatMap((name) => (header[name] === undefined ? [] : [[name, header[name]]])))
  return {
    ciphertext: jwe.ciphertext,
    iv: jwe.iv,
    protected: jwe.protected,
    recipients: jwe.recipients.map((recipient) => ({
      encryptionKey: recipient.encrypted_key ?? '',
      header: { ...shown, ...recipient.header },
    })),
    tag: jwe.tag,
  }
}

/**
 * The specification's shape to RFC 7516: parameters that repeat the protected header are dropped, since RFC 7516 has each
 * in one place. Recipients in the form of RFC 7516 stay as they are. Throws the one refusal for a repeated parameter of
 * another value, and for a recipient with both names of the wrapped key.
 */
export function toGeneral(jwe: Json & { recipients: Json[] }): Json & { recipients: Json[] } {
  if (jwe.recipients.every(({ encryptionKey }) => encryptionKey === undefined)) return jwe
  const header = protectedHeader(jwe.protected)
  const recipients = jwe.recipients.map((recipient) => {
    const { encryptionKey, header: own, ...rest } = recipient
    if (encryptionKey === undefined) return recipient
    if (rest.encrypted_key !== undefined) throw undecryptable('both names of the wrapped key')
    if (own !== undefined && !isObject(own)) throw undecryptable('header is no object')
    const further = Object.entries(own ?? {}).filter(([name, value]) => {
      const repeats = SHOWN.some((shown) => shown === name) && Object.hasOwn(header, name)
      if (repeats && !isDeepStrictEqual(value, header[name])) throw undecryptable('a repeated parameter differs')
      return !repeats
    })
    const remaining = further.length > 0 ? { header: Object.fromEntries(further) } : {}
    return { ...rest, ...remaining, encrypted_key: encryptionKey }
  })
  return { ...jwe, recipients }
}
