import { exportJWK, type GeneralJWE, generateKeyPair, type JWK } from 'jose'
import { fromJwk, type PublicJwk } from '../../../protocol/dids/index.ts'
import { didKeyOf, resolveDidKey } from '../../../protocol/dids/key.ts'
import { recipientsOf } from '../../../protocol/messaging/recipients.ts'
import type { Reply, World } from '../world.ts'

/** A JWE of the platform. */
export interface Jwe {
  ciphertext: string
  iv: string
  protected: string
  recipients: { encryptionKey: string; header: { alg: string; epk: JWK; kid: string; skid?: string } }[]
  tag: string
}

export interface DecryptAnswer {
  payload: unknown
  recipientDidUrl: string
  senderDidUrl?: string
  senderPublicJwk?: JWK
}

export interface EncryptionProblem {
  type: string
  errors: { path: string; code: string; message: string }[]
}

/** The two operations, by the token of a tenant. */
export const encryptionOf = (world: Pick<World, 'ask'>) => {
  const ask = (verb: 'encrypt' | 'decrypt', body: unknown, token: string): Promise<Reply> =>
    world.ask(`/v1/messaging/${verb}`, { token, body })
  return {
    ask,
    async decrypt(jwe: unknown, token: string): Promise<DecryptAnswer> {
      const reply = await ask('decrypt', { jwe }, token)
      if (reply.status !== 200) throw new Error(`not decrypted: ${reply.text}`)
      return reply.json<DecryptAnswer>()
    },
  }
}

export const problemOf = (reply: Reply) => reply.json<EncryptionProblem>()

/** The first key of key agreement of a did:key. */
export function agreementIn(did: string) {
  const [recipient] = recipientsOf(resolveDidKey(did), did, { now: new Date() })
  if (!recipient) throw new Error(`${did} agrees with nobody`)
  return recipient
}

/** The DID URL of that key. */
export const keyOf = (did: string): string => agreementIn(did).kid

/** A DID of nobody's platform, with its private key. */
export async function foreigner() {
  const { privateKey, publicKey } = await generateKeyPair('ECDH-ES', { crv: 'X25519', extractable: true })
  const did = didKeyOf('x25519', fromJwk((await exportJWK(publicKey)) as PublicJwk).publicKey)
  return { did, kid: keyOf(did), privateKey }
}

/** RFC 7516: the specification's shape under its names, each parameter in one place. */
export function rfc7516(text: string): GeneralJWE {
  const { recipients, ...jwe } = JSON.parse(text) as Jwe
  return {
    ...jwe,
    recipients: recipients.map(({ encryptionKey, header: { kid } }) => ({
      encrypted_key: encryptionKey,
      header: { kid },
    })),
  }
}
