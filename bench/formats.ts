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
