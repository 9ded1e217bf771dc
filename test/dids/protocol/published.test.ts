import test from 'ava'
import { type DidDocument, fromMultibase, type VerificationMethod } from '../../../protocol/dids/index.ts'
import { publishes } from '../../../protocol/dids/published.ts'
import { webDidDocument } from '../../../protocol/dids/web.document.ts'

const DID = 'did:web:issuer.example'
const KEYS = ['z6MkpTHR8VNsBxYAAWHut2Geadd9jSwuBV8xRoAnwWsdvktH', 'z6LSbysY2xFMRpGMhb7tFTLMpeuPRaqaWM1yECx2AtzE3KCc']
const OWN = webDidDocument(DID, KEYS.map(fromMultibase))
const NOW = new Date('2026-01-01T00:00:00Z')

type Methods = VerificationMethod[]

/** Our document with a change. */
function changed(change: (document: DidDocument & { verificationMethod: Methods }) => unknown): DidDocument {
  const document = structuredClone(OWN) as DidDocument & { verificationMethod: Methods }
  change(document)
  return document
}
const first = (more: Partial<VerificationMethod>) =>
  changed(({ verificationMethod: [method] }) => Object.assign(method ?? {}, more))
const relative = (id: string) => id.slice(DID.length)

const LEGAL: [what: string, document: DidDocument][] = [
  ['as it is', OWN],
  [
    'with members of its own',
    changed((document) => Object.assign(document, { alsoKnownAs: ['https://issuer.example'] })),
  ],
  [
    'with relative ids',
    changed((document) => {
      for (const method of document.verificationMethod) method.id = relative(method.id)
      for (const member of ['authentication', 'assertionMethod', 'keyAgreement'] as const)
        document[member] = document[member]?.map((use) => relative(String(use)))
    }),
  ],
  [
    'with a method within its relationship',
    changed((document) => {
      const [id] = document.keyAgreement ?? []
      document.keyAgreement = document.verificationMethod.filter((method) => method.id === id)
      document.verificationMethod = document.verificationMethod.filter((method) => method.id !== id)
    }),
  ],
  ['with a key that ends later', first({ expires: '2027-01-01T00:00:00Z' })],
]
for (const [what, document] of LEGAL)
  test(`a document that is published ${what} has the keys`, (t) => t.true(publishes(document, OWN, { now: NOW })))

const UNUSABLE: [what: string, document: DidDocument][] = [
  ['without a use of a key', changed((document) => document.authentication?.pop())],
  ['without a method', changed(({ verificationMethod }) => verificationMethod.pop())],
  ['without methods', { id: DID }],
  ['with a key of another controller', first({ controller: 'did:web:other.example' })],
  ['with a key of another type', first({ type: 'Ed25519VerificationKey2020' })],
  ['with a key of no type that is known', first({ type: 'Unknown2030' })],
  ['with another key', first({ publicKeyMultibase: 'z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK' })],
  ['with a malformed key', first({ publicKeyMultibase: 'z6Mk' })],
  ['with a revoked key', first({ revoked: '2025-01-01T00:00:00Z' })],
  ['with a key that has expired', first({ expires: '2025-01-01T00:00:00Z' })],
]
for (const [what, document] of UNUSABLE)
  test(`a document that is published ${what} lacks keys`, (t) => t.false(publishes(document, OWN, { now: NOW })))
