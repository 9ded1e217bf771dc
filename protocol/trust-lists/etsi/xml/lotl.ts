import { invalidSource, refuseSource } from '../listed.ts'
import { childrenOf, type XmlElement } from './parse.ts'
import { all, certificatesIn, find, readScheme, type Scheme, TSL } from './scheme.ts'

/** A list of lists, and who signs one of them. */
export interface ListOfLists extends Scheme {
  /** In DER, of the list at the location. */
  signers: readonly Uint8Array[]
}

/** `EUlistofthelists`, and those of other countries (TS 119 612, section 5.3.3). */
const TYPE = /^http:\/\/uri\.etsi\.org\/TrstSvc\/TrustedList\/TSLType\/[A-Za-z]+listofthelists$/

/** Certificates of the signers of one list: the published ones have up to nine. */
const MAX_SIGNERS = 50

const signersOf = (pointer: XmlElement): Buffer[] =>
  certificatesIn(
    all(pointer, 'ServiceDigitalIdentities', 'ServiceDigitalIdentity')
      .flatMap((identity) => childrenOf(identity, TSL, 'DigitalId'))
      .flatMap(({ children }) => children),
  )

function pointerTo(location: string, information: XmlElement): XmlElement {
  const [pointer, ...more] = all(information, 'PointersToOtherTSL', 'OtherTSLPointer').filter(
    (each) => find(each, 'TSLLocation')?.text.trim() === location,
  )
  if (!pointer)
    throw refuseSource(
      'trust_list.lotl_no_pointer',
      `The list of the lists has no pointer to ${location.slice(0, 300)}.`,
    )
  if (more.length > 0)
    throw refuseSource(
      'trust_list.lotl_ambiguous',
      `The list of the lists has more than one pointer to ${location.slice(0, 300)}.`,
    )
  return pointer
}

/**
 * Reads the list of the lists (ETSI TS 119 612 V2.4.1, section 5.3.13): who signs the list at this location. A closed one
 * names nobody any more. Throws `Refusal('trust_list.source_…')` for what is wrong with the list as such, and
 * `trust_list.lotl_…` for its pointer.
 */
export function readLotl(text: string, location: string): ListOfLists {
  const { information, scheme } = readScheme(text)
  if (!TYPE.test(scheme.type))
    throw invalidSource(`It is of the type ${scheme.type.slice(0, 200)}, and no list of lists.`)
  if (scheme.isClosed) return { ...scheme, signers: [] }
  const signers = signersOf(pointerTo(location, information))
  if (signers.length === 0 || signers.length > MAX_SIGNERS)
    throw refuseSource(
      'trust_list.lotl_no_signer',
      `The pointer to the list has ${signers.length === 0 ? 'no certificate' : `more than ${MAX_SIGNERS} certificates`} of its signers.`,
    )
  return { ...scheme, signers }
}
