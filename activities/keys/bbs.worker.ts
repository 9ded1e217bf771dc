import { fromRaw, generateBbsKeyPair } from '@digitalbazaar/bls12-381-multikey'
import { fenceIntrinsics } from '../intrinsics.ts'
import type { BbsInput } from './index.ts'
import type { KeyMaterial } from './material.ts'

fenceIntrinsics()

/** BBS_BLS12381G1_XMD:SHA-256_SSWU_RO_ in the library's words. */
const algorithm = 'BBS-BLS12-381-SHA-256'

/** KeyGen of draft-irtf-cfrg-bbs-signatures, 3.4.1, from 32 random bytes. */
export async function generate(seed: Uint8Array): Promise<KeyMaterial> {
  const pair = await generateBbsKeyPair({ algorithm, seed })
  const { publicKey, secretKey } = await pair.export({ raw: true, publicKey: true, secretKey: true })
  return { publicKey, secret: secretKey }
}

/** Sign of draft-irtf-cfrg-bbs-signatures, 3.5.1. */
export async function sign({ secret, publicKey, header, messages }: KeyMaterial & BbsInput): Promise<Uint8Array> {
  const pair = await fromRaw({ algorithm, publicKey, secretKey: secret })
  return pair.signer().multisign({ header, messages })
}
