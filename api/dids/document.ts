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
  problems: [
    {
      400: {
        'did.invalid': {
          meaning: 'A DID, or a key in it, is malformed.',
          remedy:
            'Send did:<method>:<identifier>, without path, query and fragment. Where the DID document of another party has a malformed key, that party publishes a correct one.',
        },
        'did.invalid_configuration': {
          meaning: 'A domain linkage file is malformed.',
          remedy:
            'The owner of the domain publishes a /.well-known/did-configuration.json with @context and linked_dids (DIF Well Known DID Configuration).',
        },
        'did.invalid_document': {
          meaning: 'A DID document is malformed, or its id is another DID.',
          remedy:
            'Publish the DID document at the address of the DID, with the DID as its id. For a did:web of the tenant, resolveDID returns the document to publish.',
        },
        'did.invalid_url': {
          meaning: 'No did:web can be made of the URL; the detail says why.',
          remedy: 'Send options.url as a public domain such as issuer.example, or as an https URL.',
        },
        'did.key_type_unsupported': {
          meaning: 'A DID cannot be created with this key type.',
          remedy: 'Send one of the options.keyType values that errors lists.',
        },
        'did.key_unsupported': {
          meaning: 'A DID document has a key of a type that is not supported.',
          remedy:
            'The controller of the DID publishes a key of a supported type in the document, such as Ed25519 as Multikey.',
        },
        'did.method_not_found': {
          meaning: 'The DID document has no such verification method.',
          remedy:
            'The verificationMethod of a proof must be a DID URL of the document. Use the id of a method that the document has, or publish the document with the key.',
        },
        'did.method_unsupported': {
          meaning: 'The DID method is not supported.',
          remedy: 'Use a DID that begins with did:key: or did:web:.',
        },
        'did.unresolvable': {
          meaning: 'A DID does not resolve; the detail says why.',
          remedy:
            'The controller of the DID makes its document available at the address in the detail, with status 200; then repeat the request.',
        },
      },
      404: {
        'did.not_found': {
          meaning: 'The tenant has no such DID.',
          remedy: 'Take the id from getDIDsList, with a token of the tenant that created the DID.',
        },
        'linked_dids.not_found': {
          meaning: 'No DID is linked to this domain.',
          remedy:
            'Read the file at the host of a tenant. The tenant creates a DID with createDID, which is linked once its registrationStatus is COMPLETED.',
        },
      },
      409: {
        'did.default_issuer': {
          meaning: 'The DID is the default issuer of the tenant, which cannot be deleted.',
          remedy: 'Set defaultIssuer to another DID or to null with updateTenantSettings, then repeat deleteDID.',
        },
        'did.default_issuer_taken': {
          meaning: 'The tenant has a default issuer already.',
          remedy: 'Create the DID without issuer, then set defaultIssuer to it with updateTenantSettings.',
        },
        'did.keys_absent': {
          meaning:
            'The DID came with its tenant from another platform, and its keys stayed there: it resolves, and signs nothing.',
          remedy: 'Create a DID with createDID, and name it instead. resolveDID shows the same as its warning.',
        },
        'did.host_lost': {
          meaning: 'The host of a did:web is no verified domain of the tenant any more, so that the DID signs nothing.',
          remedy:
            'Verify the domain again (createDomain, verifyDomain), or name another DID. resolveDID shows the same as its warning.',
        },
        'did.too_many': {
          meaning: 'The tenant has as many DIDs on other hosts that are PROCESSING as it can have.',
          remedy:
            'Publish the documents of those that getDIDsList shows as PROCESSING, or delete one with deleteDID; then create the other one.',
        },
        'did.taken': {
          meaning: 'The tenant has this DID already.',
          remedy: 'Use the DID that getDIDsList shows, or send another options.url.',
        },
      },
    },
  ],
}
