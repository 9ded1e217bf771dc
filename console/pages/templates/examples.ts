import type { Format } from './formats.ts'

/** The first template of each format, for a command and for a new one in the editor. */
export const EXAMPLES = {
  'web-semantic': {
    name: 'Course certificate',
    type: 'CourseCredential',
    additional_types: [],
    contexts: [
      'https://www.w3.org/ns/credentials/v2',
      {
        CourseCredential: 'https://schema.org/EducationalOccupationalCredential',
        course: 'https://schema.org/courseCode',
      },
    ],
    issuer: { name: 'Example University' },
    proof_type: 'eddsa-rdfc-2022',
    revocable: true,
    expires_in: { years: 1 },
    claim_mappings: { course: { map_from: 'claims.course', required: true } },
  },
  compact: {
    type: 'CourseTicket',
    revocable: true,
    expiration: { years: 1 },
    credential_mappings: { course: { map_from: 'claims.course', required: true } },
  },
  'compact-semantic': {
    type: 'CoursePass',
    revocable: true,
    expiration: { years: 1 },
    credential_mappings: { course: { map_from: 'claims.course', required: true } },
  },
  mobile: {
    type: 'org.iso.18013.5.1.mDL',
    revocable: true,
    expiration: { months: 6 },
    claim_mappings: {
      'org.iso.18013.5.1': {
        family_name: { map_from: 'claims.family_name', required: true },
        given_name: { map_from: 'claims.given_name', required: true },
        birth_date: { map_from: 'claims.birth_date', required: true },
        issuing_country: { default_value: 'DE' },
      },
    },
  },
  'sd-jwt-vc': {
    name: 'Course certificate',
    claims: [
      { path: ['given_name'], map_from: 'claims.given_name', required: true },
      { path: ['course'], map_from: 'claims.course', required: true, disclosure: 'always' },
    ],
    revocable: true,
    expiration: { years: 1 },
    display: [{ locale: 'en', name: 'Course certificate' }],
  },
} as const satisfies Record<Format, object>
