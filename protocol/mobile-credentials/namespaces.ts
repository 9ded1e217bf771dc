import * as is from './values.ts'

/** The mDL's document type and namespace (ISO/IEC 18013-5, 7.1). */
export const MDL_NAMESPACE = 'org.iso.18013.5.1'
/** The European personal identification data (ARF, annex 3.01: PID rulebook). */
export const PID = 'eu.europa.ec.eudi.pid.1'

/** A certificate of one country signs no licence of another (D-298); `country` is that of the certificate. */
export const isSignedFor = (issuingCountry: unknown, country: string): boolean =>
  typeof issuingCountry === 'string' && issuingCountry.toUpperCase() === country

type Elements = Readonly<Record<string, is.Type>>

const code = is.map({ code: is.text(), sign: is.text(), value: is.text() }, ['code'])

const drivingPrivileges = is.list(
  is.map(
    {
      vehicle_category_code: is.text(),
      issue_date: is.fullDate,
      expiry_date: is.fullDate,
      codes: is.list(code),
    },
    ['vehicle_category_code'],
  ),
)

const EYES = /^(?:black|blue|brown|dichromatic|grey|green|hazel|maroon|pink|unknown)$/
const HAIR = /^(?:bald|black|blond|brown|grey|red|auburn|sandy|white|unknown)$/

/** ISO/IEC 18013-5, table 5. */
const MDL: Elements = {
  ...Object.fromEntries(
    [
      ...['family_name', 'given_name', 'issuing_authority', 'document_number', 'administrative_number', 'birth_place'],
      ...['resident_address', 'resident_city', 'resident_state', 'resident_postal_code'],
    ].map((name) => [name, is.latin]),
  ),
  ...Object.fromEntries(['issuing_country', 'nationality', 'resident_country'].map((name) => [name, is.country])),
  birth_date: is.fullDate,
  issue_date: is.anyDate,
  expiry_date: is.anyDate,
  portrait: is.bytes,
  portrait_capture_date: is.tdate,
  signature_usual_mark: is.bytes,
  driving_privileges: drivingPrivileges,
  un_distinguishing_sign: is.text(),
  sex: is.uint(9, [0, 1, 2, 9]),
  height: is.uint(1_000),
  weight: is.uint(1_000),
  eye_colour: is.text(20, EYES, 'a colour of ISO/IEC 18013-5, table 5'),
  hair_colour: is.text(20, HAIR, 'a colour of ISO/IEC 18013-5, table 5'),
  age_in_years: is.uint(200),
  age_birth_year: is.uint(9_999),
  issuing_jurisdiction: is.text(6, /^[A-Z]{2}-[A-Z0-9]{1,3}$/, 'a subdivision (ISO 3166-2)'),
  family_name_national_character: is.text(),
  given_name_national_character: is.text(),
}

const place = is.map({ country: is.country, region: is.text(), locality: is.text() })

/** Of the PID rulebook; other elements are free, because the rulebook adds to them. */
const PID_ELEMENTS: Elements = {
  ...Object.fromEntries(
    [
      ...['family_name', 'given_name', 'family_name_birth', 'given_name_birth', 'issuing_authority', 'document_number'],
      ...['resident_address', 'resident_city', 'resident_state', 'resident_postal_code', 'resident_street'],
      ...['resident_house_number', 'personal_administrative_number', 'email_address', 'trust_anchor'],
    ].map((name) => [name, is.text(150)]),
  ),
  birth_date: is.fullDate,
  place_of_birth: place,
  nationality: is.list(is.country),
  resident_country: is.country,
  issuing_country: is.country,
  issuing_jurisdiction: is.text(6, /^[A-Z]{2}-[A-Z0-9]{1,3}$/, 'a subdivision (ISO 3166-2)'),
  expiry_date: is.anyDate,
  issuance_date: is.anyDate,
  portrait: is.bytes,
  sex: is.uint(9, [0, 1, 2, 3, 4, 5, 6, 9]),
  mobile_phone_number: is.text(20, /^\+[1-9]\d+$/, 'a number with + and the country code'),
  age_in_years: is.uint(200),
  age_birth_year: is.uint(9_999),
}

const AGE_OVER = /^age_over_\d\d$/
const BIOMETRIC = /^biometric_template_\w+$/

/** The type of an element; undefined where its namespace has no such element. */
export function typeOf(namespace: string, element: string): is.Type | undefined {
  const rules = namespace === MDL_NAMESPACE ? MDL : namespace === PID ? PID_ELEMENTS : undefined
  if (!rules) return is.free()
  if (AGE_OVER.test(element)) return is.untyped(is.bool)
  const own = Object.hasOwn(rules, element) ? rules[element] : undefined
  if (own) return is.untyped(own)
  if (namespace === PID) return is.free()
  return BIOMETRIC.test(element) ? is.untyped(is.bytes) : undefined
}
