import { fromRaw, generateBbsKeyPair } from '@digitalbazaar/bls12-381-multikey'
import { fenceIntrinsics } from '../frame/process/intrinsics.ts'
import type { BbsInput } from './index.ts'
import type { KeyMaterial } from './material.ts'

fenceIntrinsics()

/** The library's name of BBS_BLS12381G1_XMD:SHA-256_SSWU_RO_. */
const algorithm = 'BBS-BLS12-381-SHA-256'

/** A result, and the milliseconds of work that it took. */
export interface Made<Result> {
  result: Result
  workMs: number
}

async function measured<Result>(make: () => Promise<Result>): Promise<Made<Result>> {
  const begun = process.threadCpuUsage()
  const result = await make()
  const { user, system } = process.threadCpuUsage(begun)
  return { result, workMs: (user + system) / 1000 }
}

/** KeyGen of draft-irtf-cfrg-bbs-signatures, 3.4.1, from 32 random bytes. */
export const generate = (seed: Uint8Array): Promise<Made<KeyMaterial>> =>
  measured(async () => {
    const pair = await generateBbsKeyPair({ algorithm, seed })
    const { publicKey, secretKey } = await pair.export({ raw: true, publicKey: true, secretKey: true })
    return { publicKey, secret: secretKey }
  })

/** Sign of draft-irtf-cfrg-bbs-signatures, 3.5.1. */
export const sign = ({ secret, publicKey, header, messages }: KeyMaterial & BbsInput): Promise<Made<Uint8Array>> =>
  measured(async () => {
    const pair = await fromRaw({ algorithm, publicKey, secretKey: secret })
    return pair.signer().multisign({ header, messages })
  })
