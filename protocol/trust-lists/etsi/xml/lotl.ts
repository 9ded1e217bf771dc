import { assertOfLists, type ListOfLists, namedBy, type Pointer, type Wanted } from '../pointers.ts'
import { childrenOf, type XmlElement } from './parse.ts'
import { all, assertSchemeExtensions, certificatesIn, find, readScheme, TSL } from './scheme.ts'

/** `EUlistofthelists`, and those of other countries (TS 119 612, section 5.3.3). */
const TYPE = /^http:\/\/uri\.etsi\.org\/TrstSvc\/TrustedList\/TSLType\/[A-Za-z]+listofthelists$/

const pointersIn = (information: XmlElement): Pointer[] =>
  all(information, 'PointersToOtherTSL', 'OtherTSLPointer').map((pointer) => ({
    location: find(pointer, 'TSLLocation')?.text.trim(),
    certificates: () =>
      certificatesIn(
        all(pointer, 'ServiceDigitalIdentities', 'ServiceDigitalIdentity')
          .flatMap((identity) => childrenOf(identity, TSL, 'DigitalId'))
          .flatMap(({ children }) => children),
      ),
  }))

/**
 * Reads the list of the lists (ETSI TS 119 612 V2.4.1, section 5.3.13): who signs the list at this location. Throws
 * `Refusal('trust_list.source_…')` for what is wrong with the list as such; `unnamed` has what is wrong with its pointer.
 */
export function readLotl(text: string, wanted: Wanted): ListOfLists {
  const { information, scheme } = readScheme(text)
  assertOfLists(scheme.type, TYPE)
  const parts = { assertKnown: () => assertSchemeExtensions(information), pointers: () => pointersIn(information) }
  return { ...scheme, ...namedBy(scheme.isClosed, parts, wanted) }
}
