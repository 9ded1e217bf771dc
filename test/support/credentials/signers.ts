import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { sign as bbsSign, secretKeyToPublicKey } from '@digitalbazaar/bbs-signatures'
import { p256, p384 } from '@noble/curves/nist.js'
import type { Signer } from '../../../protocol/data-integrity/index.ts'
import { type DidDocument, parseDidUrl } from '../../../protocol/dids/index.ts'
import { didKeyMethodId, didKeyOf, resolveDidKey } from '../../../protocol/dids/key.ts'
import { Refusal } from '../../../protocol/errors.ts'

/** A signer with a fresh key and its did:key. */
export interface TestSigner extends Signer {
  did: string
}

const refuse = (what: string) => () => Promise.reject(new Error(`the test key cannot ${what}`))

const identity = (keyType: Signer['keyType'], publicKey: Uint8Array) => {
  const did = didKeyOf(keyType, publicKey)
  return { did, keyType, publicKey, verificationMethod: didKeyMethodId(did, { keyType, publicKey }) }
}

export function ed25519Signer(): TestSigner {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const raw = Buffer.from(String(publicKey.export({ format: 'jwk' }).x), 'base64url')
  return {
    ...identity('ed25519', raw),
    sign: async (data) => sign(null, data, privateKey),
    bbsSign: refuse('sign BBS'),
  }
}

export function p256Signer(): TestSigner {
  const { secretKey, publicKey } = p256.keygen()
  return {
    ...identity('p256', publicKey),
    sign: async (data) => p256.sign(data, secretKey),
    bbsSign: refuse('sign BBS'),
  }
}

export function p384Signer(): TestSigner {
  const { secretKey, publicKey } = p384.keygen()
  return {
    ...identity('p384', publicKey),
    sign: async (data) => p384.sign(data, secretKey),
    bbsSign: refuse('sign BBS'),
  }
}

export async function bbsSigner(): Promise<TestSigner> {
  const ciphersuite = 'BLS12-381-SHA-256'
  const secretKey = new Uint8Array(randomBytes(32))
  secretKey[0] = 0
  const publicKey = await secretKeyToPublicKey({ secretKey, ciphersuite })
  return {
    ...identity('bls12381g2', publicKey),
    sign: refuse('sign'),
    bbsSign: ({ header, messages }) => bbsSign({ header, messages, secretKey, publicKey, ciphersuite }),
  }
}

export const resolveTestDid = async (did: string): Promise<DidDocument> => {
  if (parseDidUrl(did).method !== 'key') throw new Refusal('did.not_found', `${did} does not resolve.`)
  return resolveDidKey(did)
}
