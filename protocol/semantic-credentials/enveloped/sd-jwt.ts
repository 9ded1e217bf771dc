import type { VerificationKey } from '../../data-integrity/keys.ts'
import { Faulty } from '../../sd-jwt-credentials/faults.ts'
import { type ProcessedSdJwt, processSdJwt } from '../../sd-jwt-credentials/processed.ts'
import { type ReadSdJwt, readSdJwt } from '../../sd-jwt-credentials/read.ts'
import { ALWAYS } from './disclosure.ts'
import { assertCredentialClaims, assertPlainClaims, checkHeader, joseFault, secondsIn } from './jose.ts'
import { type Enclosed, type OpenedEnvelope, objectIn, refusedEnvelope } from './opened.ts'

const CREDENTIAL: Enclosed = { what: 'credential', type: 'vc+sd-jwt', contentType: 'vc' }

function read(text: string): ReadSdJwt & ProcessedSdJwt {
  try {
    const sdJwt = readSdJwt(text)
    return { ...sdJwt, ...processSdJwt(sdJwt) }
  } catch (error) {
    if (!(error instanceof Faulty)) throw error
    throw refusedEnvelope('malformed', `${error.fault.code}: ${error.message}`)
  }
}

/** Members by which a credential is judged: a holder who can show them can leave them out as well (D-836). */
function assertAlwaysDisclosed(selective: readonly string[]): void {
  const name = selective.map((pointer) => pointer.split('/')[1]).find((first) => ALWAYS.has(first))
  if (name !== undefined)
    throw refusedEnvelope(
      'never_selective',
      `The member ${name} must not be selectively disclosable, nor a part of it.`,
    )
}

/**
 * Opens a credential that is secured as an SD-JWT (VC-JOSE-COSE 1.0, section 3.2): what is disclosed is the credential.
 * Whoever presents it proves that by the presentation, so that a key binding of its own is not taken. Throws
 * `Refusal('envelope.*')`.
 */
export function openSdJwt(text: string): OpenedEnvelope {
  const { header, input, signature, keyBinding, claims, selective, root } = read(text)
  checkHeader(header, CREDENTIAL)
  if (keyBinding)
    throw refusedEnvelope('key_binding', 'The SD-JWT has a key binding, which nobody checks here: leave it out.')
  assertAlwaysDisclosed(selective)
  const credential = objectIn(claims)
  assertPlainClaims(CREDENTIAL, credential)
  assertCredentialClaims(CREDENTIAL, credential)
  return {
    mediaType: 'application/vc+sd-jwt',
    credential,
    hidesMembers: root.content.kind === 'object' && root.content.undisclosed > 0,
    kid: typeof header.kid === 'string' ? header.kid : undefined,
    notBefore: secondsIn(credential, 'nbf'),
    expires: secondsIn(credential, 'exp'),
    signatureFault: (key: VerificationKey) => joseFault(key, header, { signed: input, signature }),
  }
}
