import { type FieldError, Refusal, within } from '../errors.ts'
import { certificateOfPem, isValidAt } from '../mobile-credentials/certificates.read.ts'

/** The standards whose lists are imported. */
export const SOURCE_FORMATS = ['ts-119-602', 'ts-119-612'] as const
export type SourceFormat = (typeof SOURCE_FORMATS)[number]

/** A list of lists, which names who signs the list. */
export interface ListsSource {
  url: string
  /** PEM: one of them has signed the list of lists. */
  signers: readonly string[]
  /** Of the list, as the list of lists has it. Absent: the URL of the source. */
  location?: string
  /** Its pivots name who signs it where none of the signers has: later ones, whom these have announced. */
  followPivots?: boolean
}

/** Where the entries of a list come from. */
export interface TrustSource {
  format: SourceFormat
  /** Absent: the caller sends the list. */
  url?: string
  /** PEM: one of them has signed the list. Empty: a list of lists names them, or the caller vouches for what it sends. */
  signers: readonly string[]
  listOfLists?: ListsSource
  /** URIs of the services that count. */
  serviceTypes: readonly string[]
  /** How often a URL is read again at the least. */
  refreshHours: number
  /** How long the list counts after its next update was due. */
  graceHours: number
}

/** What is known of the pivots of a list of lists. */
export interface PivotFacts {
  followed: number
  /** Digest of the keys that the newest one names. */
  signers: string
  /** Of the newest one; absent: it was followed before that was kept. */
  sequence?: number
}

/** What a list of lists says of itself. */
export interface ListsFacts {
  sequenceNumber: number
  issuedAt: string
  nextUpdate: string | null
  /** Certificates of the signers of the list. */
  signers: number
  /** The name of the key that signed it. */
  signedBy?: string
  /** Absent: one of the signers of its source has signed it. */
  pivots?: PivotFacts
}

/** What a list says of itself. */
export interface ListFacts {
  type: string | null
  sequenceNumber: number
  issuedAt: string
  nextUpdate: string | null
  /** Identities that do not count. */
  skipped: number
  /** The name of the key that signed it; absent: nobody did, or it was read before that was kept. */
  signedBy?: string
  /** Of the list of lists that was read last. */
  listOfLists?: ListsFacts
}

/** With the list itself, where the caller sends it. */
export interface TrustSourceInput extends TrustSource {
  document?: string
}

export const REFRESH_HOURS = { least: 1, most: 168, default: 6 }
export const GRACE_HOURS = { least: 0, most: 720, default: 24 }
/** A body has 1 MiB. */
export const MAX_DOCUMENT = 900_000

const MAX_SIGNERS = 10
const MAX_TYPES = 20
const URI = /^[a-z][a-z0-9+.-]*:[!-~]{1,490}$/i
const LOCATION = /^[a-z][a-z0-9+.-]{0,20}:[!-~]{1,2000}$/i

const fault = (path: string, code: string, message: string): FieldError[] => [{ path, code, message }]

const withinRange = (value: number, { least, most }: typeof REFRESH_HOURS, path: string): FieldError[] =>
  Number.isInteger(value) && value >= least && value <= most
    ? []
    : fault(path, 'range', `expected a whole number from ${least} to ${most}`)

function eachOnce(values: readonly string[], most: number, path: string, faultOf: (value: string) => FieldError[]) {
  if (values.length > most) return fault(path, 'count', `expected at most ${most}`)
  return values.flatMap((value, at) =>
    values.indexOf(value) < at
      ? fault(within(path, at), 'repeated', 'expected each once')
      : faultOf(value).map((error) => ({ ...error, path: within(path, at) })),
  )
}

const signerFaults = (signers: readonly string[], path: string): FieldError[] =>
  eachOnce(signers, MAX_SIGNERS, path, (pem) =>
    certificateOfPem(pem) ? [] : fault('', 'pem', 'expected one X.509 certificate in PEM'),
  )

/** Nobody else says who signs its list. */
function listsFaults({ format, document, signers, listOfLists }: TrustSourceInput): FieldError[] {
  if (!listOfLists) return []
  const { signers: signersOfLists, location, followPivots } = listOfLists
  const at = (name: string) => within(within('source', 'listOfLists'), name)
  return [
    ...(signers.length === 0
      ? []
      : fault(
          within('source', 'signers'),
          'variant',
          'expected none: the list of lists names the signers of the list',
        )),
    ...(signersOfLists.length > 0
      ? []
      : fault(at('signers'), 'required', 'expected the certificate of who signs the list of lists')),
    ...signerFaults(signersOfLists, at('signers')),
    ...(followPivots && format !== 'ts-119-612'
      ? fault(at('followPivots'), 'format', 'expected false: only lists of lists of ts-119-612 have pivots')
      : []),
    ...(document !== undefined && location === undefined
      ? fault(at('location'), 'required', 'expected the location that the list of lists has for the list')
      : []),
    ...(location === undefined || LOCATION.test(location)
      ? []
      : fault(at('location'), 'uri', 'expected a URL of at most 2,000 characters')),
  ]
}

function sourceFaults(source: TrustSourceInput) {
  const { url, document, signers, listOfLists, serviceTypes, refreshHours, graceHours } = source
  const at = (name: string) => within('source', name)
  return [
    ...((url === undefined) === (document === undefined)
      ? fault('source', 'variant', 'expected a url or a document, and not both')
      : []),
    ...(document !== undefined && (document.length === 0 || document.length > MAX_DOCUMENT)
      ? fault(at('document'), 'length', `expected 1 to ${MAX_DOCUMENT} characters`)
      : []),
    ...(url !== undefined && signers.length === 0 && !listOfLists
      ? fault(
          at('signers'),
          'required',
          'expected the certificate of who signs the list, or a list of lists: whoever has the URL could change it',
        )
      : []),
    ...signerFaults(signers, at('signers')),
    ...listsFaults(source),
    ...(serviceTypes.length === 0 ? fault(at('serviceTypes'), 'required', 'expected one at least') : []),
    ...eachOnce(serviceTypes, MAX_TYPES, at('serviceTypes'), (type) =>
      URI.test(type) ? [] : fault('', 'uri', 'expected the URI of a type of services'),
    ),
    ...withinRange(refreshHours, REFRESH_HOURS, at('refreshHours')),
    ...withinRange(graceHours, GRACE_HOURS, at('graceHours')),
  ]
}

/** Throws `Refusal('trust_list.invalid')` that names every broken rule. */
export function checkSource(source: TrustSourceInput): void {
  const errors = sourceFaults(source)
  if (errors.length > 0)
    throw new Refusal('trust_list.invalid', 'The source of the trust list cannot be used; see errors.', errors)
}

/** Those of the certificates that are valid now. */
export const validNow = (pems: readonly string[], now: Date): string[] =>
  pems.filter((pem) => {
    const certificate = certificateOfPem(pem)
    return certificate !== undefined && isValidAt(certificate, now)
  })

/** The others. */
export function lapsedNow(pems: readonly string[], now: Date): string[] {
  const valid = validNow(pems, now)
  return pems.filter((pem) => !valid.includes(pem))
}

/**
 * The certificates that may have signed a list now; undefined where it needs no signature. `named`: by its list of lists,
 * without which nobody has signed it.
 */
export function signersNow(
  { signers, listOfLists }: Pick<TrustSource, 'signers' | 'listOfLists'>,
  now: Date,
  named: readonly string[] = [],
): readonly string[] | undefined {
  if (listOfLists) return named
  return signers.length === 0 ? undefined : validNow(signers, now)
}
