import { generateKeyPairSync } from 'node:crypto'
import {
  type DidDocument,
  type PublicJwk,
  publicKeyOf,
  toJwk,
  type VerificationMethod,
} from '../../../protocol/dids/index.ts'
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

/** The same document with each key as a JWK, for libraries that read no other form. */
export function withJwks(document: DidDocument): DidDocument {
  const asJwk = ({ id, controller, ...method }: VerificationMethod): VerificationMethod => ({
    id,
    type: 'JsonWebKey2020',
    controller,
    publicKeyJwk: toJwk(publicKeyOf({ id, controller, ...method })),
  })
  const embedded = (entries: (string | VerificationMethod)[] = []) =>
    entries.map((entry) => (typeof entry === 'string' ? entry : asJwk(entry)))
  return {
    ...document,
    verificationMethod: document.verificationMethod?.map(asJwk) ?? [],
    authentication: embedded(document.authentication),
    assertionMethod: embedded(document.assertionMethod),
    keyAgreement: embedded(document.keyAgreement),
  }
}
