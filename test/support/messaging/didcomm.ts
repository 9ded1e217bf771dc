import {
  createCipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type JsonWebKey,
  randomBytes,
} from 'node:crypto'
import { type AgreementKey, isAgreementKey } from '../../../protocol/dids/agreement.ts'
import { type DidDocument, fromJwk, type PublicJwk, toJwk } from '../../../protocol/dids/index.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { Agreement, Opener } from '../../../protocol/messaging/jwe.decrypt.ts'
import { concatKdf, ephemeralKey, wrapKey } from '../../../protocol/messaging/jwe.keys.ts'
import { senderKeyIn } from '../../../protocol/messaging/recipients.ts'
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
export const openerOf = (
  ours: PrivateJwk[],
  resolve: (did: string) => Promise<DidDocument>,
  now = new Date('2026-01-01T00:00:00Z'),
): Opener => ({
  agreementsOf: async (kids) => ours.filter(({ kid }) => kids.includes(kid)).map(agreementOf),
  senderKeyOf: (skid) => senderKeyIn(resolve, skid, { now }),
})

/** Opens what has no sender. */
export const openerOfOne = (jwk: PrivateJwk): Opener =>
  openerOf([jwk], async (did) => {
    throw new Refusal('did.unresolvable', `${did} does not resolve.`)
  })

export const json = (bytes: Uint8Array): unknown => JSON.parse(Buffer.from(bytes).toString())

/** Two people with keys of X25519 made for a test, known by `resolve`. */
export function people() {
  const person = (name: string) => {
    const pairs = ['one', 'two'].map((key) => {
      const { privateKey } = generateKeyPairSync('x25519')
      return {
        ...(privateKey.export({ format: 'jwk' }) as PublicJwk & { d: string }),
        kid: `did:example:${name}#${key}`,
      }
    })
    const id = `did:example:${name}`
    const verificationMethod = pairs.map(({ kid, kty, crv, x }) => ({
      id: kid,
      type: 'JsonWebKey2020',
      controller: id,
      publicKeyJwk: { kty, crv, x },
    }))
    const document: DidDocument = { id, verificationMethod, keyAgreement: verificationMethod.map((each) => each.id) }
    return { id, pairs, document, recipients: pairs.map((jwk) => ({ kid: jwk.kid, key: agreementKey(jwk) })) }
  }
  const all = { ann: person('ann'), ben: person('ben'), eve: person('eve') }
  return {
    ...all,
    resolve: async (did: string): Promise<DidDocument> => {
      const found = Object.values(all).find(({ id }) => id === did)
      if (!found) throw new Refusal('did.unresolvable', `${did} does not resolve.`)
      return found.document
    },
  }
}

export interface Forgery {
  plaintext?: Uint8Array
  /** Replaces and adds members of the protected header; undefined removes one. */
  header?: Record<string, unknown>
  recipient?: object
  /** Replaces and adds members of the JWE. */
  members?: Record<string, unknown>
}

/** A JWE by ECDH-ES+A256KW and A256GCM whose tag is right whatever stands in its header. */
export function forged(jwk: PublicJwk & { kid: string }, forgery: Forgery = {}): Record<string, unknown> {
  const { plaintext = Buffer.from('"a letter"'), header, recipient, members } = forgery
  const base64url = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url')
  const ephemeral = ephemeralKey('x25519', randomBytes)
  const own: Record<string, unknown> = {
    alg: 'ECDH-ES+A256KW',
    enc: 'A256GCM',
    epk: toJwk(ephemeral.publicKey),
    ...header,
  }
  const text = base64url(JSON.stringify(own))
  const [contentKey, iv] = [randomBytes(32), randomBytes(12)]
  const cipher = createCipheriv('aes-256-gcm', contentKey, iv).setAAD(Buffer.from(text))
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()])
  const secret = ephemeral.agree(agreementKey(jwk))
  const info = { apu: Buffer.alloc(0), apv: Buffer.from(String(own.apv ?? ''), 'base64url') }
  const key = concatKdf({ secret, keyBytes: 32, algorithm: 'ECDH-ES+A256KW', ...info })
  const encrypted_key = base64url(wrapKey(key, contentKey))
  return {
    protected: text,
    // as JSON, which keeps members of any name
    recipients: [{ header: JSON.parse(JSON.stringify({ kid: jwk.kid, ...recipient })) as object, encrypted_key }],
    iv: base64url(iv),
    ciphertext: base64url(ciphertext),
    tag: base64url(cipher.getAuthTag()),
    ...members,
  }
}
