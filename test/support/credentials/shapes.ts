import { createDocumentLoader } from '../../../protocol/contexts/index.ts'
import { canonizePlain } from '../../../protocol/data-integrity/canonize.ts'
import type { Json } from '../../../protocol/data-integrity/index.ts'
import { createShapes } from '../../../protocol/data-integrity/shapes.ts'

export const options = { documentLoader: createDocumentLoader() }

/** The library, with a count of how often it was asked. */
export function library() {
  const asked = { times: 0 }
  const full = (document: Json) => {
    asked.times += 1
    return canonizePlain(document, options)
  }
  return { asked, full }
}

export const V2 = 'https://www.w3.org/ns/credentials/v2'
export const TERMS = {
  course: 'https://schema.org/courseCode',
  school: { '@id': 'https://schema.org/provider', '@type': '@id' },
  level: { '@id': 'https://schema.org/level', '@type': '@vocab' },
  when: { '@id': 'https://schema.org/when', '@type': 'http://www.w3.org/2001/XMLSchema#dateTime' },
  parts: { '@id': 'https://schema.org/parts', '@container': '@list' },
  raw: { '@id': 'https://schema.org/raw', '@type': '@json' },
  tongue: '@language',
  datatype: '@type',
  ex: 'https://example.org/',
  basic: 'https://example.org/levels#basic',
  price: { '@id': 'https://schema.org/price', '@type': 'http://www.w3.org/2001/XMLSchema#double' },
  born: { '@id': 'https://schema.org/birthDate', '@type': 'http://www.w3.org/2001/XMLSchema#date' },
  member: { '@id': 'https://schema.org/member', '@type': 'http://www.w3.org/2001/XMLSchema#boolean' },
  address: 'https://schema.org/address',
  town: 'https://schema.org/addressLocality',
}

export const credential = (subject: Json, more: Json = {}): Json => ({
  '@context': [V2, TERMS],
  id: 'urn:uuid:2a1fbdfb-4f8f-4a06-a2f3-4bb9c6d7d3a8',
  type: ['VerifiableCredential'],
  issuer: { id: 'did:example:issuer' },
  validFrom: '2027-01-01T00:00:00Z',
  credentialSubject: subject,
  ...more,
})

/** Each answer must be the library's; how often the library was asked on the way. */
export async function ask(documents: Json[]): Promise<number> {
  const { asked, full } = library()
  const canonizeLike = createShapes()
  for (const document of documents) {
    const expected = await canonizePlain(document, options).catch((error: Error) => error.message)
    const found = await canonizeLike('tenant', document, full).catch((error: Error) => error.message)
    if (found !== expected) throw new Error(`${found}\nis not\n${expected}`)
  }
  return asked.times
}
