import type { DID_OPERATIONS } from '../../protocol/dids/operations.ts'
import type { AreaDocument } from '../frame/openapi/document.ts'
import { ref } from '../frame/openapi/json.ts'
import { DID_ANSWERS } from './answers.ts'
import { DID_SCHEMAS } from './schemas.ts'

/** Facts of this area's operations that the generator cannot derive (api/frame/openapi/document.ts). */
export const DID_DOCUMENT: AreaDocument<keyof typeof DID_OPERATIONS | 'getLinkedDIDs' | 'getDIDConfiguration'> = {
  examples: {
    createDID: { method: 'KEY', options: { keyType: 'ed25519' } },
  },
  located: ['createDID'],
  notFound: { '/v1/dids/{id}': 'did.not_found' },
  refusals: {
    createDID: { 409: 'did.taken' },
    getLinkedDIDs: { 404: 'linked_dids.not_found' },
    getDIDConfiguration: { 404: 'linked_dids.not_found' },
  },
  parameters: { resolveDID: { id: ref('Did') }, deleteDID: { id: ref('Did') } },
  schemas: DID_SCHEMAS,
  answers: DID_ANSWERS,
  problems: {
    400: {
      'did.invalid': 'A DID, or a key in it, is malformed.',
      'did.invalid_configuration': 'A domain linkage file is malformed.',
      'did.invalid_document': 'A DID document is malformed, or its id is another DID.',
      'did.invalid_url': 'No did:web can be made of the URL; the detail says why.',
      'did.key_type_unsupported': 'A DID cannot be created with this key type.',
      'did.key_unsupported': 'A DID document has a key of a type that is not supported.',
      'did.method_not_found': 'The DID document has no such verification method.',
      'did.method_unsupported': 'The DID method is not supported; key and web are.',
      'did.unresolvable': 'A DID does not resolve; the detail says why.',
    },
    404: {
      'did.not_found': 'The tenant has no such DID.',
      'linked_dids.not_found': 'No DID is linked to this domain.',
    },
    409: {
      'did.default_issuer': 'The DID is the default issuer of the tenant; replace or remove it in the settings first.',
      'did.default_issuer_taken': 'The tenant has a default issuer already; the settings replace it.',
      'did.taken': 'The tenant has this DID already.',
    },
  },
}
