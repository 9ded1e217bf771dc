import { HEADER, signCoseSign1 } from '../cose/sign1.ts'
import { type FieldError, Refusal } from '../errors.ts'
import { encodeClaims, readCwt } from './cwt.ts'
import { readCredential } from './semantic.ts'
import { lengthOfText, MAX_TEXT, PREFIXES, type Profile } from './text.ts'

/** An index of as many bytes as one may have, for the length alone. */
const LARGEST_INDEX = String(2 ** 32 - 1)

const invalid = (error: Pick<FieldError, 'code' | 'message'>, cause?: unknown) =>
  new Refusal('credential.invalid', 'The credential is not valid; see errors.', [{ path: '', ...error }], { cause })

type Claims = Parameters<typeof encodeClaims>[1]

interface Planned {
  id: string
  keyType: string
  keyId: Uint8Array
  claims: Claims
  vc?: Parameters<typeof encodeClaims>[2]['vc']
  /** Address of a status list, of the length of the one that the credential gets. */
  listUrl: string | undefined
}

/**
 * Makes a credential without its signature and reads it as a verifier does: whatever is signed must be read. Before an entry
 * of a status list is taken, which stays used. Returns the payload, which is that of a credential without a status. Throws
 * `Refusal('credential.invalid')`.
 */
export async function readablePayload(profile: Profile, planned: Planned): Promise<Uint8Array> {
  const { id, keyType, keyId, claims, vc, listUrl } = planned
  const status = listUrl === undefined ? undefined : { index: LARGEST_INDEX, url: listUrl }
  const payload = encodeClaims(id, claims, { vc, status })
  const unsigned = { protected: new Map([[HEADER.kid, keyId]]), payload }
  const bytes = await signCoseSign1(unsigned, { keyType, sign: async () => new Uint8Array(64) })
  const length = lengthOfText(PREFIXES[profile], bytes)
  if (length > MAX_TEXT) {
    const message = `expected a credential of at most ${MAX_TEXT} characters; this one has ${length} with its signature${status ? ' and its status' : ''}`
    throw invalid({ code: 'credential.too_long', message })
  }
  try {
    readCredential(readCwt(bytes), profile)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw invalid({ code: 'credential.unreadable', message: `expected what verifiers read. ${error.message}` }, error)
  }
  return payload
}
