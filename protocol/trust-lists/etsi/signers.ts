import { authorityOf } from '../../mobile-credentials/authority.ts'
import { type Certificate, certificateOfPem } from '../../mobile-credentials/certificates.read.ts'
import { refuseSource } from './listed.ts'

/** Who may have signed a list. */
export interface Signers {
  /** Valid now. */
  valid: readonly Certificate[]
  /** Named as signers too, and not valid now: what they signed is refused, and says why. */
  lapsed: readonly Certificate[]
  /** Who names them, for messages. */
  whose: string
}

/** The same in PEM. */
export interface SignersText {
  signers: readonly string[]
  lapsed?: readonly string[] | undefined
  /** Who names them, for messages, such as `whom its newest pivot names`; absent: the source. */
  whose?: string | undefined
}

const certificatesOf = (pems: readonly string[]) => pems.flatMap((pem) => certificateOfPem(pem) ?? [])

export const signersOf = ({ signers, lapsed = [], whose = 'of the source' }: SignersText): Signers => ({
  valid: certificatesOf(signers),
  lapsed: certificatesOf(lapsed),
  whose,
})

export const refuseSignature = (message: string, options?: ErrorOptions) =>
  refuseSource('trust_list.source_signature', message, options)

/** Throws `Refusal('trust_list.source_signature')` where no signature could be good. */
export function assertSigners({ valid, whose }: Signers): void {
  if (valid.length === 0) throw refuseSignature(`No certificate of the signers ${whose} is valid now.`)
}

const has = (certificates: readonly Certificate[], key: string) =>
  certificates.some((certificate) => authorityOf(certificate) === key)

/**
 * Why a signature is of none of the signers. `named`: the certificate that it names itself, which says nothing of who
 * signed, but what to look at; undefined: it names none that can be read.
 */
export function notSigned({ valid, lapsed, whose }: Signers, named: Certificate | undefined, options?: ErrorOptions) {
  const none = `None of the signers ${whose} signed the list`
  if (!named)
    return refuseSignature(`${none}, or it was changed since. Its signature names no certificate to compare.`, options)
  const key = authorityOf(named)
  if (has(valid, key))
    return refuseSignature(
      `The signature names a signer ${whose}, and does not fit: the list was changed since it was signed, or another key signed it.`,
      options,
    )
  if (has(lapsed, key))
    return refuseSignature(
      `The signature names a signer ${whose} whose certificate is not valid now: it has expired, or has not begun.`,
      options,
    )
  return refuseSignature(
    `${none}: its signature names another certificate, with the SHA-256 fingerprint ${named.fingerprint}.`,
    options,
  )
}
