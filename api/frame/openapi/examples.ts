/** DIDs and contexts that the examples of several areas use. */
export const ISSUER = 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK'
export const HOLDER = 'did:key:z6MkpTHR8VNsBxYAAWHut2Geadd9jSwuBV8xRoAnwWsdvktH'
export const V2 = 'https://www.w3.org/ns/credentials/v2'

/** A credential before it is signed. */
export const UNSIGNED = {
  '@context': [V2, { course: 'https://schema.org/courseCode' }],
  type: ['VerifiableCredential'],
  issuer: { id: ISSUER, name: 'Example University' },
  credentialSubject: { id: HOLDER, course: 'CS-101' },
}
