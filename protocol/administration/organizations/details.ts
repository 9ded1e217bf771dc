import { type FieldError, Refusal } from '../../errors.ts'
import { isLabel, LABEL_EXPECTED } from '../../names.ts'
import { EMAIL_EXPECTED, readEmail } from '../accounts/emails.ts'
import { readCountry } from './countries.ts'

/** What an organization is (specification, Other records). */
export interface OrganizationDetails {
  name: string
  /** Registered number of the organization, e.g. in a commercial register. */
  registrationNumber: string
  address: string
  city: string
  state: string
  zipCode: string
  /** ISO 3166-1 alpha-2. */
  country: string
  email: string
  phone: string
  dunsNumber: string | null
  website: string | null
}

/** As callers send it; `country` may be a name. */
export type OrganizationInput = Record<Exclude<keyof OrganizationDetails, 'dunsNumber' | 'website'>, string> & {
  dunsNumber?: string | null | undefined
  website?: string | null | undefined
}

const MAX_CODE = 64

/** Digits as people write them: 5 to 15 of them (ITU-T E.164), with a plus in front or none. */
const PHONE = /^\+?[0-9](?:[ ()./-]{0,3}[0-9]){4,14}$/

const DUNS = /^[0-9]{9}$/

/** An absolute http or https URL as the parser writes it; undefined: it is none. */
function readWebsite(text: string): string | undefined {
  if (text.length > 2048 || !URL.canParse(text)) return undefined
  const url = new URL(text)
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:'
  return isWeb && url.username === '' && url.password === '' && url.hostname.includes('.') ? url.href : undefined
}

type Names = Readonly<Record<keyof OrganizationDetails, string>>

/** `names`: of the members as the caller wrote them. Throws `organization.invalid` with every wrong member. */
export function readOrganization(input: OrganizationInput, names: Names): OrganizationDetails {
  const errors: FieldError[] = []
  const wrong = (member: keyof OrganizationDetails, code: string, message: string): '' => {
    errors.push({ path: names[member], code, message })
    return ''
  }
  const label = (member: 'name' | 'address' | 'city' | 'state') =>
    isLabel(input[member]) ? input[member].trim() : wrong(member, 'label', LABEL_EXPECTED)
  const short = (member: 'registrationNumber' | 'zipCode') =>
    isLabel(input[member]) && input[member].length <= MAX_CODE
      ? input[member].trim()
      : wrong(member, 'label', `expected one line of 1 to ${MAX_CODE} characters`)
  const { phone, dunsNumber = null, website = null } = input
  const details: OrganizationDetails = {
    name: label('name'),
    registrationNumber: short('registrationNumber'),
    address: label('address'),
    city: label('city'),
    state: label('state'),
    zipCode: short('zipCode'),
    country:
      readCountry(input.country) ??
      wrong('country', 'country', 'expected a code of ISO 3166-1 alpha-2 such as DE, or the name in English'),
    email: readEmail(input.email) ?? wrong('email', 'email', EMAIL_EXPECTED),
    phone: PHONE.test(phone) ? phone : wrong('phone', 'phone', 'expected 5 to 15 digits, such as +49 30 901820'),
    dunsNumber:
      dunsNumber === null || DUNS.test(dunsNumber)
        ? dunsNumber
        : wrong('dunsNumber', 'duns', 'expected 9 digits, or null'),
    website:
      website === null
        ? null
        : (readWebsite(website) ??
          wrong('website', 'url', 'expected an http or https URL with a host name, and no user info, or null')),
  }
  if (errors.length === 0) return details
  throw new Refusal('organization.invalid', 'Members of the organization are not valid; see errors.', errors)
}
