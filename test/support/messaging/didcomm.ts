import { createPrivateKey, createPublicKey, diffieHellman, type JsonWebKey } from 'node:crypto'
import { type AgreementKey, isAgreementKey } from '../../../protocol/dids/agreement.ts'
import {
  type DidDocument,
  dereference,
  fromJwk,
  type PublicJwk,
  publicKeyOf,
  toJwk,
} from '../../../protocol/dids/index.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { Agreement, Opener } from '../../../protocol/messaging/jwe.decrypt.ts'
import { vectorJson } from '../credentials/conformance-vectors.ts'

export type PrivateJwk = PublicJwk & { kid: string; d: string }

export function agreementKey({ kty, crv, x, y }: PublicJwk): AgreementKey {
  const key = fromJwk({ kty, crv, x, y })
  if (!isAgreementKey(key)) throw new Error('the key does not agree')
  return key
}

/** Agrees with a private JWK by node:crypto, which the code under test does not use for NIST curves. */
export const agreementOf = (jwk: PrivateJwk): Agreement => ({
  kid: jwk.kid,
  keyType: agreementKey(jwk).keyType,
  agree: async (peer) => {
    const privateKey = createPrivateKey({ key: jwk as JsonWebKey, format: 'jwk' })
    return diffieHellman({ privateKey, publicKey: createPublicKey({ key: toJwk(peer) as JsonWebKey, format: 'jwk' }) })
  },
})

/** Alice and Bob of DIDComm v2, appendices A and B. */
export function aliceAndBob() {
  const documents = ['alice', 'bob'].map((name) => vectorJson<DidDocument>(`didcomm-v2/diddoc-${name}.json`))
  const secrets = (name: string) => vectorJson<PrivateJwk[]>(`didcomm-v2/secrets-${name}.json`)
  return {
    alice: secrets('alice'),
    bob: secrets('bob'),
    resolve: async (did: string): Promise<DidDocument> => {
      const document = documents.find(({ id }) => id === did)
      if (!document) throw new Refusal('did.unresolvable', `${did} does not resolve.`)
      return document
    },
  }
}

/** Opens with private JWKs; senders are those that `resolve` knows. */
export const openerOf = (ours: PrivateJwk[], resolve: (did: string) => Promise<DidDocument>): Opener => ({
  agreementsOf: async (kids) => ours.filter(({ kid }) => kids.includes(kid)).map(agreementOf),
  senderKeyOf: async (skid) => {
    const document = await resolve(skid.split('#')[0] ?? '')
    return agreementKey(toJwk(publicKeyOf(dereference(document, skid, 'keyAgreement').method)))
  },
})

/** Opens what has no sender. */
export const openerOfOne = (jwk: PrivateJwk): Opener =>
  openerOf([jwk], async (did) => {
    throw new Refusal('did.unresolvable', `${did} does not resolve.`)
  })

export const json = (bytes: Uint8Array): unknown => JSON.parse(Buffer.from(bytes).toString())
