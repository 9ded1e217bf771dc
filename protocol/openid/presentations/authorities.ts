import { readCertificate } from '../../mobile-credentials/certificates.read.ts'

/** Key identifiers of the authorities that certificates name, in base64url (OpenID4VP 1.0, section 6.1.1.1). */
export const authorityKeysOf = (chain: readonly Uint8Array[]): string[] =>
  chain.flatMap((der) => {
    const key = readCertificate(der)?.authorityKeyId
    return key === undefined ? [] : [Buffer.from(key, 'hex').toString('base64url')]
  })
