/** DIDs and contexts that the examples of several areas use. */
export const ISSUER = 'did:key:z6MkmomoUrVggWwNxqRwhZQbdptSzXT6PRnuqcEaXgi293BD'
export const HOLDER = 'did:key:z6MksB9SGEexWNVFQdro28nYZG9Tg2FDqwKrciVPVzwgnAzz'
/** The verification method of the issuer's key. */
export const ISSUER_KEY = `${ISSUER}#${ISSUER.slice('did:key:'.length)}`
export const V2 = 'https://www.w3.org/ns/credentials/v2'

/** A credential before it is signed. */
export const UNSIGNED = {
  '@context': [V2, { course: 'https://schema.org/courseCode' }],
  type: ['VerifiableCredential'],
  issuer: { id: ISSUER, name: 'Example University' },
  credentialSubject: { id: HOLDER, course: 'CS-101' },
}
