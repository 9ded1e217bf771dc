import { Refusal } from '../../errors.ts'
import { authorityOf } from '../../mobile-credentials/authority.ts'
import { isValidAt, readCertificate } from '../../mobile-credentials/certificates.read.ts'
import { toPem } from '../../mobile-credentials/certificates.ts'
import { type EtsiList, invalidSource, refuseSource } from './listed.ts'

/** Who signs the list at a location. */
export interface NamedSigners {
  /** In PEM: the certificates that are valid then. */
  signers: readonly string[]
  /** Certificates, valid or not. */
  certificates: number
  /** The names of their keys, of valid ones or not; undefined: it does not say who the signers are. */
  keys: readonly string[] | undefined
  /** Why nobody can have signed the list; a refusal as data, for threads. */
  unnamed: { code: string; message: string } | undefined
}

/** What a list of lists says of itself, and who signs one of them. */
export interface ListOfLists extends Omit<EtsiList, 'services'>, NamedSigners {}

/** Which list is looked for. */
export interface Wanted {
  location: string
  /** Certificates count that are valid then; undefined: all. */
  now: Date | undefined
}

/** To one of the lists, as both forms of lists of lists have it. */
export interface Pointer {
  location: string | undefined
  /** Of the signers of the list, in DER, each once. */
  certificates: () => readonly Uint8Array[]
}

/** Certificates of the signers of one list: the published ones have up to nine. */
export const MAX_SIGNERS = 50

const NOBODY: NamedSigners = { signers: [], certificates: 0, keys: undefined, unnamed: undefined }

/** Throws `Refusal('trust_list.source_invalid')` for a list of another type. */
export function assertOfLists(type: string | undefined, known: RegExp): void {
  if (!known.test(type ?? ''))
    throw invalidSource(`It is of the type ${(type ?? 'none').slice(0, 200)}, and no list of lists.`)
}

function pointerTo(location: string, pointers: readonly Pointer[]): Pointer {
  const [pointer, ...more] = pointers.filter((each) => each.location === location)
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

function signersOf(pointer: Pointer, now: Date | undefined): NamedSigners {
  const encoded = pointer.certificates()
  if (encoded.length > MAX_SIGNERS)
    return {
      ...NOBODY,
      unnamed: noSigner(`The pointer to the list has more than ${MAX_SIGNERS} certificates of its signers.`),
    }
  const named = encoded.flatMap((der) => readCertificate(der) ?? [])
  const valid = named.filter((certificate) => !now || isValidAt(certificate, now))
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

/**
 * Who signs the list at a location; a list of lists that is closed names nobody any more. Whatever is wrong with the pointer,
 * or a critical extension, the list of lists stays one: its age counts (D-1020). `assertKnown`: throws for such an extension,
 * with which a closed one is no closed one either.
 */
export function namedBy(
  isClosed: boolean,
  { assertKnown, pointers }: { assertKnown: () => void; pointers: () => readonly Pointer[] },
  { location, now }: Wanted,
): NamedSigners {
  if (isClosed) {
    assertKnown()
    return NOBODY
  }
  try {
    assertKnown()
    return signersOf(pointerTo(location, pointers()), now)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { code, message } = error
    return { ...NOBODY, unnamed: { code, message } }
  }
}
