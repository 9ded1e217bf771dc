import { ref, URI } from '../frame/openapi/json.ts'
import type { Schema, Schemas } from '../frame/openapi/schemas.ts'

const request = (method: string, required: string[], options: Schema): Schema => ({
  type: 'object',
  required: ['method', 'options'],
  properties: {
    method: { type: 'string', enum: [method] },
    options: {
      type: 'object',
      ...(required.length > 0 && { required }),
      properties: options,
      additionalProperties: false,
    },
    issuer: {
      type: 'boolean',
      description:
        "true: the DID becomes the tenant's default issuer, which signs where a request names no DID. Refused if the tenant has a default issuer; PUT /v1/settings replaces it.",
    },
  },
  additionalProperties: false,
})

/** Schemas of this area that TypeScript cannot say (api/frame/openapi/document.ts). */
export const DID_SCHEMAS: Schemas = {
  KeyDidIn: {
    description: 'A did:key has one key.',
    ...request('KEY', [], {
      keyType: {
        type: 'string',
        enum: ['ed25519', 'p256', 'p384', 'bls12381g2', 'x25519'],
        description: 'An x25519 key opens and sends encrypted messages, and signs nothing.',
      },
    }),
  },
  WebDidIn: {
    description: 'A did:web has a key of each type.',
    ...request('WEB', ['url'], {
      url: {
        type: 'string',
        description: 'A public domain, or an https URL below which the document lies.',
        pattern: '^(https://)?([a-z0-9]([a-z0-9-]{0,40}[a-z0-9])?\\.)+[a-z]{2,}(/[A-Za-z0-9_-]+)*$',
        maxLength: 1500,
        example: 'issuer.example',
      },
    }),
  },
  DidIn: { anyOf: [ref('KeyDidIn'), ref('WebDidIn')] },
  DidDocument: {
    type: 'object',
    required: ['id'],
    properties: {
      '@context': { anyOf: [URI, { type: 'array', items: {} }] },
      id: ref('Did'),
      alsoKnownAs: { type: 'array', items: URI },
      verificationMethod: { type: 'array', items: ref('VerificationMethod') },
      ...Object.fromEntries(
        ['authentication', 'assertionMethod', 'keyAgreement', 'capabilityInvocation', 'capabilityDelegation'].map(
          (name) => [name, { type: 'array', items: { anyOf: [{ type: 'string' }, ref('VerificationMethod')] } }],
        ),
      ),
      service: { type: 'array', items: { type: 'object', additionalProperties: true } },
    },
    additionalProperties: true,
  },
  VerificationMethod: {
    type: 'object',
    required: ['id', 'type', 'controller'],
    properties: {
      id: { type: 'string' },
      type: { type: 'string' },
      controller: ref('Did'),
      publicKeyMultibase: { type: 'string' },
      publicKeyJwk: { type: 'object', additionalProperties: true },
    },
    additionalProperties: true,
  },
}
