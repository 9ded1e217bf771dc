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

function entryFaults({ name, certificate, identifier }: TrustEntry, path: string): FieldError[] {
  if (name !== undefined && !(isLabel(name) && name.length <= MAX_ENTRY_NAME))
    return fault(within(path, 'name'), 'text', `expected one line of at most ${MAX_ENTRY_NAME} characters`)
  if ((certificate === undefined) === (identifier === undefined))
    return fault(path, 'variant', 'expected a certificate or an identifier, and not both')
  if (certificate !== undefined && !certificateOfPem(certificate))
    return fault(within(path, 'certificate'), 'pem', 'expected one X.509 certificate in PEM')
  if (identifier !== undefined && !isIdentifier(identifier))
    return fault(within(path, 'identifier'), 'identifier', 'expected a DID, or the https address of an issuer')
  return []
}

function entriesFaults(entries: readonly TrustEntry[]): FieldError[] {
  if (entries.length === 0 || entries.length > MAX_ENTRIES)
    return fault('entries', 'count', `expected 1 to ${MAX_ENTRIES} entries`)
  const faults = entries.flatMap((entry, at) => entryFaults(entry, within('entries', at)))
  if (faults.length > 0) return faults
  const issuers = entries.map((entry) => heldEntry(entry).fingerprint ?? entry.identifier)
  return issuers.flatMap((issuer, at) =>
    issuers.indexOf(issuer) < at ? fault(within('entries', at), 'repeated', 'expected each issuer once') : [],
  )
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

/** Throws `Refusal('trust_list.invalid')` that names every broken rule. `imported`: its entries come from elsewhere; `unread`: and are not there yet. */
export function checkTrustList(
  input: TrustListInput,
  { imported = false, unread = false }: { imported?: boolean; unread?: boolean } = {},
): void {
  const { name, entries } = input
  const ofEntries = imported ? [] : entriesFaults(entries)
  const errors = [
    ...(isLabel(name) ? [] : fault('name', 'text', LABEL_EXPECTED)),
    ...(ofEntries.length > 0 ? ofEntries : [...formatFaults(input, unread), ...attestsFaults(input, unread)]),
  ]
  if (errors.length > 0) throw new Refusal('trust_list.invalid', 'The trust list cannot be used; see errors.', errors)
}
