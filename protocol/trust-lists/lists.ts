import { setImmediate } from 'node:timers/promises'
import type { FormatName } from '../credentials/formats.ts'
import { ATTESTED, type Attested } from '../credentials/trust.ts'
import { isDid } from '../dids/index.ts'
import { type FieldError, Refusal, within } from '../errors.ts'
import { authorityOf } from '../mobile-credentials/authority.ts'
import { type Certificate, certificateOfPem, readPem } from '../mobile-credentials/certificates.read.ts'
import { isLabel, LABEL_EXPECTED } from '../names.ts'

/** An issuer that a list has: a certificate or an identifier. */
export interface TrustEntry {
  name?: string
  /** X.509 in PEM: of an issuer, or of who certifies issuers. */
  certificate?: string
  /** A DID, or the https address of an issuer of SD-JWT VC. */
  identifier?: string
}

export interface TrustListInput {
  name: string
  /** Formats whose issuers it lists. */
  formats: readonly FormatName[]
  /** What its entries are trusted for as wallet providers. */
  attests: readonly Attested[]
  /** false: it decides nothing. */
  enforced: boolean
  entries: readonly TrustEntry[]
}

/** An entry as rows have it, with what finds it by. */
export interface HeldEntry extends TrustEntry {
  /** SHA-256 of the certificate, in hex. */
  fingerprint?: string
  /** The subject of the certificate, as DER in hex. */
  subject?: string
  /** The issuer, as policies know it: the identifier, or the name of the certificate's key. */
  issuer: string
}

/** Of a tenant. */
export const MAX_LISTS = 20
/** Entries of the lists of a tenant in all. */
export const MAX_OF_TENANT = 10_000
const MAX_ENTRIES = 200
const MAX_ENTRY_NAME = 200
const MAX_IDENTIFIER = 2_048
/** Entries that are read in one turn of the event loop: a certificate takes a millisecond, and the worst 20. */
const AT_ONCE = 2

/** How credentials of a format name their issuers. */
const NAMED_BY: Readonly<Record<FormatName, readonly ('certificate' | 'identifier')[]>> = {
  semantic: ['identifier'],
  compact: ['identifier'],
  'compact-semantic': ['identifier'],
  mobile: ['certificate'],
  'sd-jwt-vc': ['certificate', 'identifier'],
}

/** Without the members that were not given. */
export const givenEntry = (
  given: { [Member in keyof TrustEntry]?: TrustEntry[Member] | null | undefined },
): TrustEntry => ({
  ...(typeof given.name === 'string' && { name: given.name }),
  ...(typeof given.certificate === 'string' && { certificate: given.certificate }),
  ...(typeof given.identifier === 'string' && { identifier: given.identifier }),
})

const fault = (path: string, code: string, message: string): FieldError[] => [{ path, code, message }]

const isAddress = (text: string): boolean =>
  text.startsWith('https://') && !/[\s\p{Cc}#]/u.test(text) && URL.canParse(text)

const isIdentifier = (text: string): boolean => text.length <= MAX_IDENTIFIER && (isDid(text) || isAddress(text))

/** The same of a certificate that is read. */
export function heldCertificate(named: { name?: string }, pem: string, certificate: Certificate): HeldEntry {
  const { fingerprint, subjectName: subject } = certificate
  return { ...named, certificate: pem, fingerprint, subject, issuer: authorityOf(certificate) }
}

/** Members in one order: rows of transfers are compared with it. Throws `Refusal('certificate.malformed')`. */
export function heldEntry({ name, certificate: pem, identifier = '' }: TrustEntry): HeldEntry {
  const named = name === undefined ? {} : { name }
  if (pem === undefined) return { ...named, identifier, issuer: identifier }
  return heldCertificate(named, pem, readPem(pem, 'certificate'))
}

/** An entry as it is held, or what is wrong with it. */
function readEntry({ name, certificate: pem, identifier }: TrustEntry, path: string): HeldEntry | FieldError[] {
  if (name !== undefined && !(isLabel(name) && name.length <= MAX_ENTRY_NAME))
    return fault(within(path, 'name'), 'text', `expected one line of at most ${MAX_ENTRY_NAME} characters`)
  if ((pem === undefined) === (identifier === undefined))
    return fault(path, 'variant', 'expected a certificate or an identifier, and not both')
  const named = name === undefined ? {} : { name }
  if (pem !== undefined) {
    const certificate = certificateOfPem(pem)
    return certificate
      ? heldCertificate(named, pem, certificate)
      : fault(within(path, 'certificate'), 'pem', 'expected one X.509 certificate in PEM')
  }
  return identifier !== undefined && isIdentifier(identifier)
    ? { ...named, identifier, issuer: identifier }
    : fault(within(path, 'identifier'), 'identifier', 'expected a DID, or the https address of an issuer')
}

/** Reads each entry once; requests go on in between. */
async function readEntries(entries: readonly TrustEntry[]): Promise<{ faults: FieldError[]; held: HeldEntry[] }> {
  const [faults, held]: [FieldError[], HeldEntry[]] = [[], []]
  const seen = new Set<string>()
  for (const [at, entry] of entries.entries()) {
    if (at > 0 && at % AT_ONCE === 0) await setImmediate()
    const path = within('entries', at)
    const read = readEntry(entry, path)
    if (Array.isArray(read)) {
      faults.push(...read)
      continue
    }
    const issuer = read.fingerprint ?? read.issuer
    if (seen.has(issuer)) faults.push(...fault(path, 'repeated', 'expected each issuer once'))
    seen.add(issuer)
    held.push(read)
  }
  return { faults, held }
}

/** Formats that no entry can name an issuer of: with such a list nothing of them would verify any more. */
export const unnamedFormats = (formats: readonly FormatName[], entries: readonly TrustEntry[]): FormatName[] =>
  formats.filter((format) => !entries.some((entry) => NAMED_BY[format].some((member) => entry[member] !== undefined)))

/** Attestations name their signers by certificates. */
export const isUnattested = (attests: readonly Attested[], entries: readonly TrustEntry[]): boolean =>
  attests.length > 0 && !entries.some(({ certificate }) => certificate !== undefined)

const isOnce = (values: readonly string[]): boolean => new Set(values).size === values.length

function attestsFaults({ attests, entries }: TrustListInput, unread: boolean): FieldError[] {
  if (!isOnce(attests)) return fault('attests', 'choice', `expected ${ATTESTED.join(' and ')}, each once`)
  return !unread && isUnattested(attests, entries)
    ? fault('attests', 'no_entry', 'expected an entry with a certificate: attestations name their signers by it')
    : []
}

function formatFaults({ formats, attests, entries }: TrustListInput, unread: boolean): FieldError[] {
  const isRight = formats.length + attests.length > 0 && isOnce(formats)
  if (!isRight) return fault('formats', 'choice', 'expected one or more formats, each once, or what its entries attest')
  return (unread ? [] : unnamedFormats(formats, entries)).flatMap((format) =>
    fault(
      within('formats', formats.indexOf(format)),
      'no_entry',
      `expected an entry with a ${NAMED_BY[format].join(' or an ')}: credentials of this format name issuers by it`,
    ),
  )
}

interface HowChecked {
  /** The entries, where they are read already: they come from elsewhere, or are stored. */
  held?: readonly HeldEntry[] | undefined
  /** Entries that it may have. */
  most?: number | undefined
  /** They come from elsewhere, and are not there yet. */
  unread?: boolean | undefined
}

const countFaults = (count: number, most: number, unread: boolean): FieldError[] =>
  count > most || (count === 0 && !unread) ? fault('entries', 'count', `expected 1 to ${most} entries`) : []

/** Returns the entries as they are held. Throws `Refusal('trust_list.invalid')` that names every broken rule. */
export async function checkTrustList(
  input: TrustListInput,
  { held: known, most = MAX_ENTRIES, unread = false }: HowChecked = {},
): Promise<readonly HeldEntry[]> {
  const { name, entries } = input
  const ofCount = known ? [] : countFaults(entries.length, most, unread)
  const { faults, held } =
    known || ofCount.length > 0 ? { faults: ofCount, held: known ?? [] } : await readEntries(entries)
  const errors = [
    ...(isLabel(name) ? [] : fault('name', 'text', LABEL_EXPECTED)),
    ...(faults.length > 0 ? faults : [...formatFaults(input, unread), ...attestsFaults(input, unread)]),
  ]
  if (errors.length > 0) throw new Refusal('trust_list.invalid', 'The trust list cannot be used; see errors.', errors)
  return held
}
