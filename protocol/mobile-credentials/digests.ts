import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { encodeCbor, Tag } from '../cose/cbor.ts'
import { ENCODED_CBOR } from './issuer-signed.ts'
import type { Item, Mdoc } from './read.ts'

/** ISO/IEC 18013-5, table 21. */
const ALGORITHMS = new Map([
  ['SHA-256', 'sha256'],
  ['SHA-384', 'sha384'],
  ['SHA-512', 'sha512'],
])

/** Elements that are hashed before other requests have their turn. */
const AT_ONCE = 50

/** Faults that are told of one mdoc: a reader could otherwise be made to write hundreds of megabytes (D-1077). */
const MAX_FAULTS = 50
const MAX_NAME = 100

const shown = (name: string): string => (name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name)

/**
 * What the issuer did not sign (ISO/IEC 18013-5, 9.3.1): each element's digest must be in the MSO, under the namespace and
 * the id that it has here. Our own decoding is what is compared and what is shown: two decoders may take one text for two
 * (D-1078).
 */
export async function digestFaults({ mso, nameSpaces }: Mdoc): Promise<string[]> {
  const algorithm = ALGORITHMS.get(mso.digestAlgorithm)
  if (!algorithm) return ['The digest algorithm is not one of ISO/IEC 18013-5.']
  const faults: string[] = []
  let hashed = 0
  for (const [namespace, items] of nameSpaces) {
    const signed = mso.digests.get(namespace)
    const isSigned = ({ digestId, bytes }: Item): boolean => {
      const digest = signed?.get(digestId)
      const found = createHash(algorithm)
        .update(encodeCbor(new Tag(ENCODED_CBOR, bytes)))
        .digest()
      return digest instanceof Uint8Array && found.equals(digest)
    }
    const names = new Set(items.map(({ name }) => name))
    const ids = new Set(items.map(({ digestId }) => digestId))
    if (names.size < items.length || ids.size < items.length) {
      faults.push('An element or a digest id of a namespace is repeated.')
      continue
    }
    for (const item of items) {
      if (faults.length >= MAX_FAULTS) return faults
      if (++hashed % AT_ONCE === 0) await setImmediate()
      if (!isSigned(item)) faults.push(`The issuer did not sign this value of ${shown(namespace)} ${shown(item.name)}.`)
    }
  }
  return faults
}
