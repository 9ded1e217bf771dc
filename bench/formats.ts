import type { ProofType } from '../protocol/data-integrity/index.ts'

/** What is measured: a proof type, over a credential of the data model that it is at home in. */
export interface Format {
  name: ProofType
  keyType: 'ed25519' | 'p256' | 'bls12381g2'
  contexts: (string | object)[]
}

const V1 = 'https://www.w3.org/2018/credentials/v1'
const V2 = 'https://www.w3.org/ns/credentials/v2'
/** As in the README's quick tour: an issuer's own terms, defined in the credential itself. */
const OWN = { alumniOf: 'https://schema.org/alumniOf', AlumniCredential: 'https://example.org/AlumniCredential' }

export const FORMATS: Format[] = [
  { name: 'eddsa-rdfc-2022', keyType: 'ed25519', contexts: [V2, OWN] },
  { name: 'Ed25519Signature2018', keyType: 'ed25519', contexts: [V1, OWN] },
  { name: 'ecdsa-rdfc-2019', keyType: 'p256', contexts: [V2, OWN] },
  { name: 'bbs-2023', keyType: 'bls12381g2', contexts: [V2, OWN] },
]

/** Stands where the load generator writes a number, so that no two requests are alike. */
export const SERIAL = '000000000000'

export const payload = ({ contexts }: Format, issuer: string) => ({
  '@context': contexts,
  type: ['VerifiableCredential', 'AlumniCredential'],
  issuer: { id: issuer },
  credentialSubject: { id: `did:example:holder-${SERIAL}`, alumniOf: 'Example University' },
})

/** What a row of a batch holds. */
export type Row = 'diploma' | 'one text'

const DIPLOMA = {
  ...OWN,
  name: 'https://schema.org/name',
  givenName: 'https://schema.org/givenName',
  familyName: 'https://schema.org/familyName',
  birthDate: { '@id': 'https://schema.org/birthDate', '@type': 'http://www.w3.org/2001/XMLSchema#date' },
  memberNumber: 'https://schema.org/membershipNumber',
  address: 'https://schema.org/address',
  street: 'https://schema.org/streetAddress',
  postalCode: 'https://schema.org/postalCode',
  locality: 'https://schema.org/addressLocality',
  honours: 'https://example.org/honours',
}

const two = (value: number) => String(value).padStart(2, '0')

/** A credential as issuers have them: texts, a date, a number, a nested address, a boolean; no two are alike. */
export const diploma = ({ contexts }: Format, issuer: string, serial: number) => ({
  '@context': [...contexts.filter((context) => context !== OWN), DIPLOMA],
  type: ['VerifiableCredential', 'AlumniCredential'],
  issuer: { id: issuer },
  credentialSubject: {
    id: `did:example:holder-${SERIAL}`,
    givenName: `Given ${serial}`,
    familyName: `Family ${serial % 977}`,
    birthDate: `${1950 + (serial % 50)}-${two(1 + (serial % 12))}-${two(1 + (serial % 28))}`,
    alumniOf: 'Example University',
    memberNumber: 100_000 + serial,
    address: { street: `Street ${serial % 499}`, postalCode: `${10_000 + serial}`, locality: 'Example Town' },
    honours: serial % 3 === 0,
  },
})
