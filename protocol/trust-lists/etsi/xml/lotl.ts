import { Refusal } from '../../../errors.ts'
import { authorityOf } from '../../../mobile-credentials/authority.ts'
import { isValidAt, readCertificate } from '../../../mobile-credentials/certificates.read.ts'
import { toPem } from '../../../mobile-credentials/certificates.ts'
import { invalidSource, refuseSource } from '../listed.ts'
import { childrenOf, type XmlElement } from './parse.ts'
import { all, certificatesIn, find, readScheme, type Scheme, TSL } from './scheme.ts'

/** Who signs the list at a location. */
interface NamedSigners {
  /** In PEM: the certificates that are valid now. */
  signers: readonly string[]
  /** Certificates, valid or not. */
  certificates: number
  /** The names of their keys, of valid ones or not; undefined: it does not say who the signers are. */
  keys: readonly string[] | undefined
  /** Why nobody can have signed the list; a refusal as data, for threads. */
  unnamed: { code: string; message: string } | undefined
}

/** A list of lists, and who signs one of them. */
export interface ListOfLists extends Scheme, NamedSigners {}

/** Which list is looked for, and when. */
interface Wanted {
  location: string
  now: Date
}

/** `EUlistofthelists`, and those of other countries (TS 119 612, section 5.3.3). */
const TYPE = /^http:\/\/uri\.etsi\.org\/TrstSvc\/TrustedList\/TSLType\/[A-Za-z]+listofthelists$/

/** Certificates of the signers of one list: the published ones have up to nine. */
export const MAX_SIGNERS = 50

const NOBODY: NamedSigners = { signers: [], certificates: 0, keys: undefined, unnamed: undefined }

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

const noSigner = (message: string) => ({ code: 'trust_list.lotl_no_signer', message })

function signersOf(pointer: XmlElement, now: Date): NamedSigners {
  const encoded = certificatesIn(
    all(pointer, 'ServiceDigitalIdentities', 'ServiceDigitalIdentity')
      .flatMap((identity) => childrenOf(identity, TSL, 'DigitalId'))
      .flatMap(({ children }) => children),
  )
  if (encoded.length > MAX_SIGNERS)
    return {
      ...NOBODY,
      unnamed: noSigner(`The pointer to the list has more than ${MAX_SIGNERS} certificates of its signers.`),
    }
  const named = encoded.flatMap((der) => readCertificate(der) ?? [])
  const valid = named.filter((certificate) => isValidAt(certificate, now))
  const unnamed =
    named.length === 0
      ? noSigner('The pointer to the list has no certificate of its signers.')
      : noSigner('No certificate of the signers that the list of the lists names is valid now.')
  return {
    signers: valid.map(({ der }) => toPem('CERTIFICATE', der)),
    certificates: named.length,
    keys: [...new Set(named.map(authorityOf))],
    unnamed: valid.length === 0 ? unnamed : undefined,
  }
}

/** Whatever is wrong with the pointer, the list of lists stays one: its age counts. */
function namedIn(information: XmlElement, { location, now }: Wanted): NamedSigners {
  try {
    return signersOf(pointerTo(location, information), now)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { code, message } = error
    return { ...NOBODY, unnamed: { code, message } }
  }
}

/**
 * Reads the list of the lists (ETSI TS 119 612 V2.4.1, section 5.3.13): who signs the list at this location. A closed one
 * names nobody any more. Throws `Refusal('trust_list.source_…')` for what is wrong with the list as such; `unnamed` has
 * what is wrong with its pointer.
 */
export function readLotl(text: string, wanted: Wanted): ListOfLists {
  const { information, scheme } = readScheme(text)
  if (!TYPE.test(scheme.type))
    throw invalidSource(`It is of the type ${scheme.type.slice(0, 200)}, and no list of lists.`)
  return { ...scheme, ...(scheme.isClosed ? NOBODY : namedIn(information, wanted)) }
}
