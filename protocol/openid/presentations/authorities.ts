import type { Certificate } from '../../mobile-credentials/certificates.read.ts'

/**
 * Key identifiers of the authorities that certificates name, in base64url (OpenID4VP 1.0, section 6.1.1.1). `chain`: verified
 * ones, since anybody can make a certificate that names any authority.
 */
export const authorityKeysOf = (chain: readonly Pick<Certificate, 'authorityKeyId'>[]): string[] =>
  chain.flatMap(({ authorityKeyId: key }) => (key === undefined ? [] : [Buffer.from(key, 'hex').toString('base64url')]))
