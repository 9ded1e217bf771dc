const VOCABULARY = 'https://countersign.dev/vocab#'

/**
 * What the sign operation accepts and data model 1.1 does not define (specification, Web semantic credentials).
 * `name` and `description` are those of data model 2.0, so that both models give the same statements; they stay
 * unprotected, since an issuer's own 1.1 context may mean something narrower by them. The rest is protected.
 */
export const extensions = {
  '@context': {
    '@version': 1.1,
    name: 'https://schema.org/name',
    description: 'https://schema.org/description',
    iconUrl: { '@id': `${VOCABULARY}iconUrl`, '@type': '@id', '@protected': true },
    logoUrl: { '@id': `${VOCABULARY}logoUrl`, '@type': '@id', '@protected': true },
    credentialBranding: {
      '@id': `${VOCABULARY}credentialBranding`,
      '@protected': true,
      '@context': {
        '@protected': true,
        backgroundColor: `${VOCABULARY}backgroundColor`,
        watermarkImageUrl: { '@id': `${VOCABULARY}watermarkImageUrl`, '@type': '@id' },
      },
    },
  },
}

const SCHEMA = 'https://schema.org/'
const DATE = { '@type': 'http://www.w3.org/2001/XMLSchema#date' }
const CLAIMS = ['givenName', 'familyName', 'additionalName', 'honorificPrefix', 'email', 'telephone', 'gender']
const MORE_CLAIMS = ['nationality', 'jobTitle', 'alumniOf', 'memberOf', 'worksFor', 'identifier', 'address']
const PLACES = ['streetAddress', 'addressLocality', 'addressRegion', 'postalCode', 'addressCountry']
const TYPES = ['Person', 'Organization', 'PostalAddress', 'EducationalOccupationalCredential']
const OWN_TYPES = ['AlumniCredential', 'EmployeeCredential', 'MembershipCredential', 'IdentityCredential']

const schemaTerms = (names: string[]) => Object.fromEntries(names.map((name) => [name, SCHEMA + name]))

/** Everyday claims and types, so that a first credential needs no vocabulary of its own. */
export const person = {
  '@context': {
    '@version': 1.1,
    '@protected': true,
    id: '@id',
    type: '@type',
    ...schemaTerms([...CLAIMS, ...MORE_CLAIMS, ...PLACES, ...TYPES]),
    birthDate: { '@id': `${SCHEMA}birthDate`, ...DATE },
    startDate: { '@id': `${SCHEMA}startDate`, ...DATE },
    endDate: { '@id': `${SCHEMA}endDate`, ...DATE },
    ...Object.fromEntries(OWN_TYPES.map((name) => [name, VOCABULARY + name])),
  },
}
