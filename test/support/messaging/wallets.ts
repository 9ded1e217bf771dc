import { generateKeyPairSync } from 'node:crypto'
import { type DidDocument, type PublicJwk, publicKeyOf, toJwk } from '../../../protocol/dids/index.ts'
import type { WorldBeside } from '../parts/elsewhere.ts'
import type { createReceiver } from '../receiver.ts'

/** Somebody elsewhere, whose wallet takes messages at a path of the receiver. */
export const walletsOf =
  (beside: () => Pick<WorldBeside, 'urlOf'>, receiver: ReturnType<typeof createReceiver>) =>
  (name: string, more: Partial<DidDocument> = {}) => {
    const { urlOf } = beside()
    const host = new URL(urlOf('')).host.replace(':', '%3A')
    const did = `did:web:${host}:${name}`
    const jwk = {
      ...(generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' }) as PublicJwk & { d: string }),
      kid: `${did}#key`,
    }
    const { kty, crv, x } = jwk
    const document: DidDocument = {
      id: did,
      verificationMethod: [
        {
          id: jwk.kid,
          type: 'JsonWebKey2020',
          controller: did,
          publicKeyJwk: { kty, crv, ...(x !== undefined && { x }) },
        },
      ],
      keyAgreement: [jwk.kid],
      service: [
        {
          id: `${did}#messages`,
          type: 'DIDCommMessaging',
          serviceEndpoint: { uri: urlOf(`${name}/inbox`), accept: ['didcomm/v2'] },
        },
      ],
      ...more,
    }
    receiver.script(`/${name}/did.json`, (_nth, response) => void response.end(JSON.stringify(document)))
    return { did, jwk, document, inbox: `/${name}/inbox` }
  }

const RELATIONSHIPS = ['authentication', 'assertionMethod', 'keyAgreement'] as const

/** The same document with each key as a JWK in its list of methods, for libraries that read no other form. */
export function withJwks(document: DidDocument): DidDocument {
  const entries = RELATIONSHIPS.flatMap((relationship) => document[relationship] ?? [])
  const embedded = entries.filter((entry) => typeof entry !== 'string')
  const methods = [...(document.verificationMethod ?? []), ...embedded].map((method) => ({
    id: method.id,
    type: 'JsonWebKey2020',
    controller: method.controller,
    publicKeyJwk: toJwk(publicKeyOf(method)),
  }))
  const idsOf = (relationship: (typeof RELATIONSHIPS)[number]) =>
    (document[relationship] ?? []).map((entry) => (typeof entry === 'string' ? entry : entry.id))
  const named = Object.fromEntries(RELATIONSHIPS.map((relationship) => [relationship, idsOf(relationship)]))
  return { ...document, ...named, verificationMethod: methods }
}
