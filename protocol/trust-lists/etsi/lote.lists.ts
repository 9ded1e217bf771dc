import { invalidSource } from './listed.ts'
import { assertSchemeExtensions, certificatesIn, objects, readLoteScheme } from './lote.ts'
import { assertOfLists, type ListOfLists, namedBy, type Pointer, type Wanted } from './pointers.ts'

/**
 * TS 119 602 names no such type: `http://uri.etsi.org/19602/LoTLType/EUListOfTrustedLists`, as pilots of the EU have it, those
 * of other operators that are built alike, and names as lists in XML have them (D-869).
 */
const TYPE = /^[a-z][a-z0-9+.-]*:[!-~]*(?:\/LoTLType\/[A-Za-z]+|listof(?:the|trusted)lists)$/i

const pointersIn = (pointers: unknown): Pointer[] =>
  objects(pointers, 'PointersToOtherLoTE').map(({ LoTELocation: location, ServiceDigitalIdentities: identities }) => ({
    location: typeof location === 'string' ? location.trim() : undefined,
    certificates: () => certificatesIn(objects(identities, 'ServiceDigitalIdentities')),
  }))

/**
 * Reads a list of lists in JSON (ETSI TS 119 602 V1.1.1, section 6.3.13): who signs the list at this location. It says when
 * the next one is due, or, with null, that it is closed. Throws `Refusal('trust_list.source_…')` for what is wrong with the
 * list as such; `unnamed` has what is wrong with its pointer.
 */
export function readLoteOfLists(document: unknown, wanted: Wanted): ListOfLists {
  const { information, scheme } = readLoteScheme(document)
  assertOfLists(scheme.type, TYPE)
  if (!scheme.nextUpdate && !scheme.isClosed) throw invalidSource('The list of lists has no NextUpdate.')
  const { PointersToOtherLoTE: pointers } = information
  const parts = { assertKnown: () => assertSchemeExtensions(information), pointers: () => pointersIn(pointers ?? []) }
  return { ...scheme, ...namedBy(scheme.isClosed, parts, wanted) }
}
