/** Vocabulary of the members that wallets show (specification, signWebSemanticCredential). */
export const VOCABULARY = 'https://countersign.dev/vocab#'

/**
 * The terms that the sign operation accepts and data model 1.1 does not define (specification, Web semantic
 * credentials). It is an inline context of each credential that uses it, so that a verifier needs nothing from us.
 * `name` and `description` are those of data model 2.0, so that both models give the same statements; they stay
 * unprotected, since an issuer's own 1.1 context may mean something narrower by them. The rest is protected.
 */
export const extensions = {
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
}

const TEXT = JSON.stringify(extensions)
const ENTRIES = Object.keys(extensions).length

/** Whether an inline context of a document is this one. */
export const isExtensions = (context: object): boolean =>
  Object.keys(context).length === ENTRIES && JSON.stringify(context) === TEXT
