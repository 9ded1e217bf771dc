import { CompactSign, exportJWK, generateKeyPair } from 'jose'
import type { Json } from '../../../protocol/data-integrity/index.ts'
import { fromJwk, type PublicJwk } from '../../../protocol/dids/jwk.ts'
import { didKeyMethodId, didKeyOf } from '../../../protocol/dids/key.ts'

/** A holder elsewhere, whose JWTs the library jose signs. */
export async function joseHolder(alg: string) {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  const key = fromJwk((await exportJWK(publicKey)) as PublicJwk)
  const did = didKeyOf(key.keyType, key.publicKey)
  const kid = didKeyMethodId(did, key)
  const sign = async (content: Json | string, header: Json = {}) => {
    const text = typeof content === 'string' ? content : JSON.stringify(content)
    const members = { alg, typ: 'vp+jwt', cty: 'vp', kid, ...header }
    const given = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
    return new CompactSign(new TextEncoder().encode(text)).setProtectedHeader({ alg, ...given }).sign(privateKey)
  }
  return { did, kid, sign }
}

export type JoseHolder = Awaited<ReturnType<typeof joseHolder>>
