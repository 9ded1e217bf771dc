import type { KeyRequirements } from '../../protocol/credentials/key-attestations.ts'

/** Values of OpenID4VCI 1.0, appendix D.2, or of a trust framework. */
export type AttestationLevels = string[]

/** Keys of wallets have to be attested by a wallet provider of the tenant; with {}, at the tenant's own levels. */
export interface KeyAttestationsIn {
  /** One of these. Default: those of the tenant's policy of wallets. */
  key_storage?: AttestationLevels | null
  /** One of these. Default: those of the tenant's policy of wallets. */
  user_authentication?: AttestationLevels | null
}

export interface KeyAttestationsOut {
  key_storage: AttestationLevels
  user_authentication: AttestationLevels
}

/** The member of a template; none where wallets may prove keys as the tenant's policy says. */
export const toKeyAttestations = (given: KeyAttestationsIn | null | undefined) =>
  given
    ? {
        keyAttestations: {
          keyStorage: given.key_storage ?? [],
          userAuthentication: given.user_authentication ?? [],
        },
      }
    : {}

export const keyAttestationsToWire = (required: KeyRequirements | undefined) =>
  required
    ? {
        key_attestations: {
          key_storage: [...required.keyStorage],
          user_authentication: [...required.userAuthentication],
        },
      }
    : {}
