/** What holds DER in every extension. */
const OCTET_STRING = 0x04
const OBJECT_IDENTIFIER = 0x06
/** Bytes of a value that cost a reader as much as one more element: an object identifier is read byte by byte. */
const BYTES_OF_ONE = 64
const BYTES_OF_IDENTIFIER = 8

const isConstructed = (tag: number): boolean => (tag & 0x20) !== 0

/**
 * Counts elements of DER up to `most`, in any depth and also those within octet strings, without reading them: each costs
 * a reader about as much. Long values count as several. Of bytes that are not DER, those before the fault count.
 */
export function countElements(der: Uint8Array, most: number): number {
  let count = 0
  /** Ends of the elements that are open, the innermost last: nothing reaches beyond it. */
  const open = [der.length]
  let at = 0
  for (let end = der.length; count <= most; ) {
    if (at >= end) {
      open.pop()
      const outer = open.at(-1)
      if (outer === undefined) break
      end = outer
      continue
    }
    count++
    const tag = der[at++] ?? 0
    if ((tag & 0x1f) === 0x1f) while (((der[at++] ?? 0) & 0x80) !== 0);
    const head = der[at++] ?? 0
    let length = head
    if (head > 0x80) {
      length = 0
      for (let left = head & 0x7f; left > 0; left--) length = length * 256 + (der[at++] ?? 0)
    }
    // without a length, which only BER has, it ends where the outer one does
    const next = head === 0x80 ? end : at + length
    if (next > end) {
      at = end // whoever reads it stops here
    } else if (isConstructed(tag) || tag === OCTET_STRING) {
      open.push(next)
      end = next
    } else {
      count += Math.floor(length / (tag === OBJECT_IDENTIFIER ? BYTES_OF_IDENTIFIER : BYTES_OF_ONE))
      at = next
    }
  }
  return count
}
