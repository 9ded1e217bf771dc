import { isDid } from '../../dids/index.ts'
import { type FieldError, Refusal, within } from '../../errors.ts'
import { authorityOf } from '../../mobile-credentials/authority.ts'
import { certificateOfPem, iacaFaults } from '../../mobile-credentials/certificates.read.ts'
import { toPem } from '../../mobile-credentials/certificates.ts'
import { isLabel, LABEL_EXPECTED } from '../../names.ts'
import type { Profile } from './policy.ts'

/** What a caller gives of a participant (specification, Ecosystem, participant, credential, policy). */
export interface ParticipantInput {
  name: string
  identifiers: {
    webSemantic?: string | null | undefined
    compact?: string | null | undefined
    compactSemantic?: string | null | undefined
    mobile?: readonly string[] | null | undefined
    sdJwtVc?: string | null | undefined
  }
  isIssuer: boolean
  isIssuerConstrained: boolean
  isVerifier: boolean
  isVerifierConstrained: boolean
}

export interface ReadIdentifiers {
  webSemantic: string | null
  compact: string | null
  compactSemantic: string | null
  /** PEM, in one form. */
  mobile: string[]
  /** Names of their keys. */
  mobileKeys: string[]
  sdJwtVc: string | null
}

/** Successors of certificates, and one key for each, are enough. */
export const MAX_IACAS = 20
const MAX_DID = 2_048

const DID_MEMBERS = ['webSemantic', 'compact', 'compactSemantic', 'sdJwtVc'] as const

const EXPECTED: { readonly [Member in (typeof DID_MEMBERS)[number]]?: string } = {
  sdJwtVc: 'expected a DID, the https address of an issuer, or null',
}

/** An issuer with JWT VC Issuer Metadata (draft-ietf-oauth-sd-jwt-vc, section 4): https, without query and fragment. */
const isIssuerAddress = (text: string): boolean =>
  /^https:\/\/[^?#]+$/.test(text) && URL.canParse(text) && new URL(text).username === ''

const at = (...steps: (string | number)[]) => within('identifiers', ...steps)

/** One participant's certificates: each an IACA by its profile, each key once. */
function readIacas(
  given: readonly string[],
  now: Date,
  errors: FieldError[],
): Pick<ReadIdentifiers, 'mobile' | 'mobileKeys'> {
  const mobile: string[] = []
  const mobileKeys: string[] = []
  if (given.length > MAX_IACAS)
    errors.push({ path: at('mobile'), code: 'too_many', message: `expected at most ${MAX_IACAS} certificates` })
  for (const [place, pem] of given.slice(0, MAX_IACAS).entries()) {
    const path = at('mobile', place)
    const certificate = certificateOfPem(pem)
    if (!certificate) {
      const message = 'expected one X.509 certificate in PEM, -----BEGIN CERTIFICATE-----'
      errors.push({ path, code: 'pem', message })
      continue
    }
    errors.push(...iacaFaults(certificate).map((fault) => ({ path, ...fault })))
    if (certificate.notAfter <= now)
      errors.push({ path, code: 'expired', message: 'expected a certificate that has not expired' })
    const key = authorityOf(certificate)
    if (mobileKeys.includes(key))
      errors.push({ path, code: 'repeated', message: 'expected each key once: another certificate has this key' })
    mobile.push(toPem('CERTIFICATE', certificate.der))
    mobileKeys.push(key)
  }
  return { mobile, mobileKeys }
}

/** Throws `Refusal('ecosystem_participant.invalid')` that names each field at fault. */
export function readParticipant(input: ParticipantInput, now: Date): ReadIdentifiers {
  const errors: FieldError[] = []
  if (!isLabel(input.name)) errors.push({ path: 'name', code: 'text', message: LABEL_EXPECTED })
  const didOf = (member: (typeof DID_MEMBERS)[number]): string | null => {
    const did = input.identifiers[member]
    if (did === undefined || did === null) return null
    const isAddress = member === 'sdJwtVc' && isIssuerAddress(did)
    if (!(isDid(did) || isAddress) || did.length > MAX_DID)
      errors.push({ path: at(member), code: 'did', message: EXPECTED[member] ?? 'expected a DID, or null' })
    return did
  }
  const dids = {
    webSemantic: didOf('webSemantic'),
    compact: didOf('compact'),
    compactSemantic: didOf('compactSemantic'),
    sdJwtVc: didOf('sdJwtVc'),
  }
  const read = { ...dids, ...readIacas(input.identifiers.mobile ?? [], now, errors) }
  if (errors.length === 0) return read
  throw new Refusal('ecosystem_participant.invalid', 'The participant is not valid; see errors.', errors)
}

/** The identifiers by profile. Document signers of its IACAs sign SD-JWT VC credentials as well. */
export const byProfile = ({
  webSemantic,
  compact,
  compactSemantic,
  mobileKeys,
  sdJwtVc,
}: Omit<ReadIdentifiers, 'mobile'>) =>
  new Map<Profile, readonly string[]>([
    ['web-semantic', webSemantic === null ? [] : [webSemantic]],
    ['compact', compact === null ? [] : [compact]],
    ['compact-semantic', compactSemantic === null ? [] : [compactSemantic]],
    ['mobile', mobileKeys],
    ['sd-jwt-vc', sdJwtVc === null ? mobileKeys : [sdJwtVc, ...mobileKeys]],
  ])

/** Every identifier once, with the field that names it. */
export function identifiersOf(read: ReadIdentifiers): Map<string, string> {
  const fields = new Map<string, string>()
  for (const member of DID_MEMBERS) {
    const did = read[member]
    if (did !== null && !fields.has(did)) fields.set(did, at(member))
  }
  for (const [place, key] of read.mobileKeys.entries()) fields.set(key, at('mobile', place))
  return fields
}
