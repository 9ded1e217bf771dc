import type { DID_OPERATIONS } from '../../protocol/dids/operations.ts'
import type { AreaDocument } from '../frame/openapi/document.ts'

/** What the generator cannot say of the operations of this area (api/frame/openapi/document.ts). */
export const DID_DOCUMENT: AreaDocument<keyof typeof DID_OPERATIONS> = {
  examples: {
    createDID: { method: 'KEY', options: { keyType: 'ed25519' } },
  },
  located: ['createDID'],
  notFound: { '/v1/dids/{id}': 'no such DID' },
  problems: {
    400: {
      'did.invalid': 'A DID, or a key in it, is malformed.',
      'did.invalid_configuration': 'A domain linkage file is malformed.',
      'did.invalid_document': 'A DID document is malformed, or is not that of its DID.',
      'did.invalid_url': 'The URL cannot be the address of a did:web.',
      'did.key_type_unsupported': 'DIDs are not made with this key type.',
      'did.key_unsupported': 'A key in a DID document is of a type that is not supported.',
      'did.method_not_found': 'The DID document has no such verification method.',
      'did.method_unsupported': 'The DID method is not supported; key and web are.',
      'did.unresolvable': 'A DID does not resolve; the detail says why.',
    },
    404: {
      'did.not_found': 'There is no such DID in this tenant.',
      'linked_dids.not_found': 'No DID is linked to this domain.',
    },
    409: {
      'did.taken': 'The tenant has this DID already.',
    },
  },
}
