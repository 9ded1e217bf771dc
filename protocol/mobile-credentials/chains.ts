import { setImmediate } from 'node:timers/promises'
import { countElements } from '../credentials/certificate.elements.ts'
import { type Certificate, readCertificate } from './certificates.read.ts'

/** An ordinary certificate has fewer elements of DER. */
const ORDINARY = 150

/** Reads the certificates of a chain, each as `readCertificate` does; requests go on after one that takes long. */
export async function readChain(chain: readonly Uint8Array[]): Promise<(Certificate | undefined)[]> {
  const read: (Certificate | undefined)[] = []
  for (const der of chain) {
    read.push(readCertificate(der))
    if (countElements(der, ORDINARY) > ORDINARY) await setImmediate()
  }
  return read
}
