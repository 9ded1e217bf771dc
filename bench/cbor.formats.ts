import { SERIAL } from './formats.ts'
import type { BenchedPlatform } from './platform.ts'

/** Credentials in CBOR: signed over HTTP, and by a library for the same elements in one thread. */
export interface CborFormat {
  name: 'mdoc' | 'cwt'
  /** Of the sign operation. */
  path: string
  /** Part of every right answer. */
  expected: string
  /** The query of a batch. */
  batch: Record<string, string>
  row: 'mDL' | '25 claims'
  /** Of a batch, at most. */
  batchRows: number
  /** Makes an issuer, and returns the body of a sign request with a serial number. */
  prepare(platform: BenchedPlatform): Promise<object>
}

export const MDL = 'org.iso.18013.5.1'
export const MDL_TYPE = `${MDL}.mDL`

/** Bytes of a portrait as mDLs have them; their content is no matter, but they do not compress. */
const PORTRAIT_BYTES = 3_000

/** Numbers that are the same in every run (Park and Miller's generator). */
function* numbers(): Generator<number> {
  for (let seed = 42; ; ) {
    seed = (seed * 48_271) % 2_147_483_647
    yield seed
  }
}

export function portrait(): Uint8Array {
  const source = numbers()
  return Uint8Array.from({ length: PORTRAIT_BYTES }, () => Number(source.next().value) & 0xff)
}

/** A driving licence as an issuing authority sends it. */
export const elements = (photo: unknown, number: string) => ({
  family_name: 'Lovelace',
  given_name: 'Ada Augusta',
  birth_date: '1990-12-10',
  issue_date: '2027-01-01',
  expiry_date: '2037-01-01',
  issuing_country: 'NL',
  issuing_authority: 'Example Road Authority',
  document_number: number,
  portrait: photo,
  driving_privileges: [
    { vehicle_category_code: 'AM', issue_date: '2010-01-01', expiry_date: '2037-01-01' },
    { vehicle_category_code: 'B', issue_date: '2010-01-01', expiry_date: '2037-01-01', codes: [{ code: '01' }] },
  ],
  un_distinguishing_sign: 'NL',
  sex: 2,
  height: 172,
  weight: 64,
  eye_colour: 'brown',
  birth_place: 'Example Town',
  resident_address: 'Example Street 1',
  resident_city: 'Example City',
  resident_postal_code: '1000 AA',
  resident_country: 'NL',
  nationality: 'NL',
  age_in_years: 36,
  age_birth_year: 1990,
  age_over_18: true,
  age_over_21: true,
})

/** A device key; whose it is, is no matter here. */
export const DEVICE_KEY = {
  kty: 'EC',
  crv: 'P-256',
  x: 'usWxHK2PmfnHKwXPS54m0kTcGJ90UiglWiGahtagnv8',
  y: 'IBOL-C3BttVivg-lSreASjpkttcsz-1rb7btKLv8EX4',
} as const

/** A pass of 25 claims: texts, dates, numbers and booleans. */
export const claims = (number: string) => ({
  type: 'Course',
  course: 'CS-101',
  title: 'Analytical engines',
  student: `student-${number}`,
  given_name: 'Ada Augusta',
  family_name: 'Lovelace',
  birth_date: '1990-12-10',
  grade: 'A',
  credits: 7.5,
  hours: 120,
  passed: true,
  with_honours: false,
  attempt: 1,
  institution: 'Example University',
  faculty: 'Mathematics',
  department: 'Computing',
  teacher: 'Charles Babbage',
  awarded: '2027-01-01',
  started: '2026-09-01',
  ended: '2026-12-20',
  term: 'winter',
  language: 'en',
  campus: 'Example Town',
  country: 'NL',
  room: 'B 1.07',
})

/** Another format of CBOR gets its entry here and its plain loop in loops/cbor.ts. */
export const CBOR_FORMATS: readonly CborFormat[] = [
  {
    name: 'mdoc',
    path: '/v1/credentials/mobile/sign',
    expected: '"issuerAuth":"',
    batch: { format: 'mobile' },
    row: 'mDL',
    batchRows: 5_000, // each has 5,000 bytes
    async prepare(platform) {
      await platform.post('/v1/credentials/mobile/iacas', { country: 'NL', commonName: 'Bench IACA' })
      await platform.post('/v1/credentials/mobile/document-signers', { active: true })
      const photo = Buffer.from(portrait()).toString('base64url')
      const itemsToSign = { [MDL]: elements(photo, SERIAL) }
      return { payload: { docType: MDL_TYPE, itemsToSign, deviceKeyInfo: { deviceKey: DEVICE_KEY } } }
    },
  },
  {
    name: 'cwt',
    path: '/v1/credentials/compact/sign',
    expected: '"encoded":"CSC:/1/',
    batch: { format: 'compact' },
    row: '25 claims',
    batchRows: 20_000,
    async prepare(platform) {
      const { did } = await platform.post<{ did: string }>('/v1/dids', { method: 'KEY', options: { keyType: 'p256' } })
      return { payload: { iss: did, ...claims(SERIAL) } }
    },
  },
]
