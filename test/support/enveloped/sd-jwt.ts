import { generateKeyPairSync } from 'node:crypto'
import { readSdJwt } from '../../../protocol/sd-jwt-credentials/read.ts'

/** A credential as vc+sd-jwt, as the API returns it. */
export interface IssuedSdJwt {
  credential: Record<string, unknown>
  encoded: string
  decoded: Record<string, unknown>
}

/** The key of a holder: a public and a private JWK. */
export function keyPair() {
  const privateJwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
  const { d: _, ...jwk } = privateJwk
  return { jwk, privateJwk }
}

/** What may be left out: names of claims, and values of elements of lists. */
export const namesIn = ({ encoded }: Pick<IssuedSdJwt, 'encoded'>): unknown[] =>
  readSdJwt(encoded).disclosures.map(({ name, value }) => name ?? value)
