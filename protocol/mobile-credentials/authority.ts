import { createHash } from 'node:crypto'
import type { Certificate } from './certificates.read.ts'

/**
 * The name of an issuing authority: SHA-256 of its public key, in hex. The key says who it is, for certificates have
 * successors and several forms (D-327).
 */
export const authorityOf = ({ publicKey }: Pick<Certificate, 'publicKey'>): string =>
  createHash('sha256')
    .update(publicKey.export({ format: 'der', type: 'spki' }))
    .digest('hex')
