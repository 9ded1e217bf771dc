import { compactVerify, errors } from 'jose'
import { parseForeignJson } from '../../json.depth.ts'
import { authorityOf } from '../../mobile-credentials/authority.ts'
import type { Certificate } from '../../mobile-credentials/certificates.read.ts'
import { refuseSource } from './listed.ts'

/** Of JAdES (ETSI TS 119 182-1): when the signer says that it signed. Nothing depends on it. */
const UNDERSTOOD = { sigT: true }

/** One of 8 MB has some 6,000 certificates, each with ten values around it. */
const MAX_VALUES = 500_000

const ALGORITHMS = ['ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512', 'RS256', 'RS384', 'RS512', 'EdDSA', 'Ed25519']

/** Throws `Refusal('trust_list.source_invalid')`. */
export const listJson = (bytes: Uint8Array): unknown =>
  parseForeignJson(bytes, { code: 'trust_list.source_invalid', maxValues: MAX_VALUES })

/**
 * Verifies a compact JWS, such as a JAdES baseline signature, by one of these certificates: what certificates it names
 * itself says nothing. Returns what is signed, and the name of the key. Throws `Refusal('trust_list.source_signature')`, and `trust_list.source_invalid` for what it signs.
 */
export async function verifiedJson(
  text: string,
  signers: readonly Certificate[],
): Promise<{ content: unknown; signedBy: string }> {
  for (const { publicKey } of signers) {
    try {
      const { payload } = await compactVerify(text, publicKey, { algorithms: ALGORITHMS, crit: UNDERSTOOD })
      return { content: listJson(payload), signedBy: authorityOf({ publicKey }) }
    } catch (error) {
      // of another signer, of a key of another kind (TypeError), or no JWS at all: the next one is tried
      if (!(error instanceof errors.JOSEError || error instanceof TypeError)) throw error
    }
  }
  throw refuseSource(
    'trust_list.source_signature',
    'None of the signers of the source signed the list, or it is no compact JWS.',
  )
}
