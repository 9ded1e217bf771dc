import type { PolicyReason } from '../credentials/policy.ts'
import { type ListedIssuer, NOT_LISTED, type TrustFinding, trustIn } from '../credentials/trust.ts'
import { isOutboundFault, Refusal } from '../errors.ts'
import type { StatusState, TokenEntry } from '../status-list/token.ts'
import { anchorAmong, type Certificate, countryOf, isIssuedBy, signerFaults } from './certificates.read.ts'
import { readChain } from './chains.ts'
import { deviceProofOf, isBeyondLibrary, isFitFor, isSignedByKey, type Session } from './device-auth.ts'
import { digestFaults } from './digests.ts'
import { mayIssue } from './issued.ts'
import type { MdlDocument } from './mdl.ts'
import { isSignedFor, MDL_NAMESPACE } from './namespaces.ts'
import type { Mdoc } from './read.ts'
import { statusEntryOf } from './status.ts'

/** A check that failed. */
export interface Reason {
  type:
    | 'Syntax'
    | 'Certificate'
    | 'UntrustedIssuer'
    | typeof NOT_LISTED
    | PolicyReason['type']
    | 'CertificateRevoked'
    | 'Signature'
    | 'Digest'
    | 'DocType'
    | 'NotYetValid'
    | 'Expired'
    | 'Device'
    | 'Status'
    | 'Revoked'
    | 'StatusUnavailable'
  message: string
}

export interface Rules {
  now: Date
  /**
   * Certificates of the IACAs that the verifier trusts, or of single document signers; of those that fit, the first that is
   * valid now counts, and without one the first.
   */
  trusted: readonly Certificate[]
  /** Why the verifier may not rely on documents of this type and this IACA; undefined: it leads to no trusted one. Absent: there is no policy. */
  reasonsAgainst?: (docType: string, iaca: Certificate | undefined) => Promise<PolicyReason[]>
  /** Where trust lists have this IACA, or why they do not count it. Absent: none is enforced. */
  find?: ((iaca: Certificate | undefined) => TrustFinding) | undefined
  /** Whether the key of a document signer was revoked. */
  isRevoked(signer: Certificate): boolean
  /**
   * The state of an entry of a status list. `iaca`: the trusted certificate that the credential leads to. Throws
   * `Refusal('status_list.…' | 'outbound.…')` and `Unavailable('outbound')`.
   */
  statusOf(entry: TokenEntry, iaca: Certificate): Promise<StatusState>
  /** Absent: the device is not asked for. */
  session?: Session | undefined
}

/** The clocks of issuer and verifier may differ by this time. */
const TOLERANCE_MS = 60_000

interface Facts {
  mdoc: Mdoc
  signer: Certificate | undefined
  iaca: Certificate | undefined
  /** Absent: no trust list is enforced. */
  finding: TrustFinding | undefined
  /** Absent for a version that the library does not read. */
  mdl: MdlDocument | undefined
}

type Check = (facts: Facts, rules: Rules) => Reason[] | Promise<Reason[]>

const failed = (type: Reason['type'], message: string): Reason[] => [{ type, message }]

const certificate: Check = ({ signer, iaca }, { now }) => {
  if (!signer) return failed('Certificate', 'The certificate of the document signer cannot be read.')
  const faults = signerFaults(signer, iaca).flatMap(({ message }) =>
    failed('Certificate', `The certificate of the document signer breaks its profile: ${message}.`),
  )
  if (now.getTime() < signer.notBefore.getTime() - TOLERANCE_MS)
    faults.push(...failed('Certificate', 'The certificate of the document signer is not yet valid.'))
  if (now.getTime() > signer.notAfter.getTime() + TOLERANCE_MS)
    faults.push(...failed('Certificate', 'The certificate of the document signer has expired.'))
  return faults
}

const issuer: Check = ({ signer, iaca }, { now }) => {
  if (!signer) return []
  if (!iaca) return failed('UntrustedIssuer', 'No trusted IACA signed the certificate of the document signer.')
  return isNow(iaca, now) ? [] : failed('UntrustedIssuer', 'The certificate of the IACA is not valid now.')
}

const isNow = ({ notBefore, notAfter }: Certificate, now: Date): boolean => now >= notBefore && now <= notAfter

/** The trusted certificate that a signer leads to. */
const anchorOf = (signer: Certificate, { trusted, now }: Rules): Certificate | undefined =>
  anchorAmong(
    trusted,
    (each) => each.fingerprint === signer.fingerprint || (mayIssue(each) && isIssuedBy(signer, each)),
    (each) => isNow(each, now),
  )

const listed: Check = ({ finding }) => (finding && 'fault' in finding ? failed(NOT_LISTED, finding.fault) : [])

const policy: Check = ({ mdoc, iaca }, { reasonsAgainst }) => reasonsAgainst?.(mdoc.mso.docType, iaca) ?? []

const revocation: Check = ({ signer, iaca }, { isRevoked }) =>
  signer && iaca && isRevoked(signer) ? failed('CertificateRevoked', 'The document signer was revoked.') : []

const signature: Check = async ({ mdoc: { issuerAuth }, signer, mdl }) => {
  if (!signer || !mdl) return []
  const { publicKey } = signer
  const isSigned = isBeyondLibrary(issuerAuth, publicKey)
    ? isSignedByKey(issuerAuth, publicKey)
    : await mdl.isSignedBy(publicKey)
  return isSigned && isFitFor(issuerAuth, publicKey)
    ? []
    : failed('Signature', 'The signature of the issuer does not verify.')
}

const digests: Check = async ({ mdoc }) =>
  isRead(mdoc.mso) ? (await digestFaults(mdoc)).flatMap((fault) => failed('Digest', fault)) : []

const issuingCountry: Check = ({ mdoc: { nameSpaces }, signer }) => {
  const item = nameSpaces.get(MDL_NAMESPACE)?.find(({ name }) => name === 'issuing_country')
  if (!item || !signer) return []
  return isSignedFor(item.value, countryOf(signer))
    ? []
    : failed('Certificate', 'The issuing_country is not the country of the certificate of the document signer.')
}

const docType: Check = ({ mdoc }) =>
  mdoc.docType !== undefined && mdoc.docType !== mdoc.mso.docType
    ? failed('DocType', 'The document type of the response is not the one that the issuer signed.')
    : []

/** ISO/IEC 18013-5, 9.1.2.4 */
const isRead = ({ version }: Mdoc['mso']): boolean => version === '1.0'

const version: Check = ({ mdoc: { mso } }) =>
  isRead(mso) ? [] : failed('Syntax', 'The version of the MSO is not supported.')

const validity: Check = ({ mdoc: { mso }, signer }, { now }) => {
  const reasons: Reason[] = []
  if (mso.validUntil <= mso.validFrom) reasons.push(...failed('Syntax', 'The validUntil is not after validFrom.'))
  if (now.getTime() < mso.signed.getTime() - TOLERANCE_MS)
    reasons.push(...failed('NotYetValid', 'The credential says that it was signed in the future.'))
  if (now.getTime() < mso.validFrom.getTime() - TOLERANCE_MS)
    reasons.push(...failed('NotYetValid', 'The credential is not yet valid.'))
  if (now.getTime() > mso.validUntil.getTime() + TOLERANCE_MS)
    reasons.push(...failed('Expired', 'The credential has expired.'))
  // ISO/IEC 18013-5, 9.3.1
  if (signer && (mso.signed < signer.notBefore || mso.signed > signer.notAfter))
    reasons.push(...failed('Certificate', 'The credential was signed outside of the validity of the certificate.'))
  return reasons
}

const device: Check = async ({ mdl }, { session }) =>
  session && mdl && !(await mdl.isDeviceAuthentic())
    ? failed('Device', 'The device did not authenticate this response in this session.')
    : []

/** Only of a credential that is genuine: nobody else makes the platform fetch a list. */
async function status({ mdoc: { mso }, iaca }: Facts, { statusOf }: Rules, isGenuine: boolean): Promise<Reason[]> {
  if (mso.status === undefined) return []
  const entry = statusEntryOf(mso.status)
  if (!entry) return failed('Status', 'The status of the credential is of an unsupported kind.')
  if (!isGenuine || !iaca) return []
  try {
    const state = await statusOf(entry, iaca)
    return state === 'valid' ? [] : failed('Revoked', `The issuer has ${state} the credential.`)
  } catch (error) {
    if (isOutboundFault(error)) return failed('StatusUnavailable', error.message)
    if (!(error instanceof Refusal)) throw error
    const isOfNetwork = error.code.startsWith('outbound.') || error.code === 'status_list.unavailable'
    return failed(isOfNetwork ? 'StatusUnavailable' : 'Status', error.message)
  }
}

/** Failures after which a credential may still be that of its issuer. */
const GENUINE: readonly Reason['type'][] = ['NotYetValid', 'Expired', 'Device', 'DocType']

const CHECKS: readonly Check[] = [
  version,
  certificate,
  issuer,
  listed,
  policy,
  revocation,
  signature,
  digests,
  issuingCountry,
  docType,
  validity,
  device,
]

export interface MdocVerdict {
  verified: boolean
  /** Every check that failed. */
  reasons: Reason[]
  /** What was not checked. */
  warnings: string[]
  /** Whose certificate leads to the IACA. */
  signer: Certificate | undefined
  iaca: Certificate | undefined
  /** Where a trust list has the IACA. */
  trust?: ListedIssuer
}

/** Loaded when first needed: the library and its parts take 20 MB. */
async function mdlDocumentOf(...parts: ConstructorParameters<typeof MdlDocument>): Promise<MdlDocument> {
  const { MdlDocument } = await import('./mdl.ts')
  return new MdlDocument(...parts)
}

/**
 * Verifies an mdoc (ISO/IEC 18013-5, 9.3): signatures and the device by @auth0/mdl. Throws
 * `credential.malformed` for an MSO or device authentication that cannot be read.
 */
export async function verifyMdoc(mdoc: Mdoc, rules: Rules): Promise<MdocVerdict> {
  const [signer] = await readChain(mdoc.chain.slice(0, 1))
  const iaca = signer && anchorOf(signer, rules)
  const finding = rules.find?.(iaca)
  const proof = rules.session && deviceProofOf(mdoc, rules.session)
  const mdl = isRead(mdoc.mso) ? await mdlDocumentOf(mdoc, proof) : undefined
  const facts = { mdoc, signer, iaca, finding, mdl }
  const reasons: Reason[] = []
  for (const check of CHECKS) reasons.push(...(await check(facts, rules)))
  const isGenuine = reasons.every(({ type }) => GENUINE.includes(type))
  reasons.push(...(await status(facts, rules, isGenuine)))
  const warnings = [
    ...(mdoc.deviceSigned && !rules.session ? ['DeviceNotChecked'] : []),
    ...(mdoc.deviceSigned ? [] : ['NoDevice']),
  ]
  return { verified: reasons.length === 0, reasons, warnings, signer, iaca, ...trustIn(finding) }
}
