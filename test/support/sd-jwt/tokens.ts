import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { PublicJwk } from '../../../protocol/dids/jwk.ts'
import { isObject, type Json } from '../../../protocol/json.ts'
import type { DisclosurePlan } from '../../../protocol/sd-jwt-credentials/build.ts'
import { type IssuanceTerms, signSdJwt, unsignedSdJwt } from '../../../protocol/sd-jwt-credentials/issue.ts'
import { addKeyBinding } from '../../../protocol/sd-jwt-credentials/key-binding.ts'
import { keyOfJwk } from '../../../protocol/sd-jwt-credentials/keys.ts'
import { presentSdJwt } from '../../../protocol/sd-jwt-credentials/present.ts'
import { type VerificationRules, verifySdJwt } from '../../../protocol/sd-jwt-credentials/verify.ts'

/** A P-256 key in this process, for tests of the protocol. */
export function testKey() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { kty = '', crv, x, y } = publicKey.export({ format: 'jwk' })
  const jwk: PublicJwk = { kty, ...(crv && { crv }), ...(x && { x }), ...(y && { y }) }
  return {
    jwk,
    sign: async (data: Uint8Array): Promise<Uint8Array> =>
      sign('sha256', data, { key: privateKey, dsaEncoding: 'ieee-p1363' }),
  }
}

export const issuerKey = testKey()
export const holderKey = testKey()
export const ISSUER = 'did:example:issuer'
export const NOW = new Date('2026-11-25T12:00:00Z')
export const SESSION = { nonce: 'n-0S6_WzA2Mj', audience: 'https://verifier.example' }

export const terms: IssuanceTerms = {
  vct: 'https://types.example/person',
  issuer: ISSUER,
  issuedAt: NOW,
  expiresAt: new Date('2027-11-25T12:00:00Z'),
  holder: holderKey.jwk,
}

export const claims = {
  given_name: 'Ærøskøbing',
  address: { street: 'Torvet 1', city: 'Ærø' },
  nationalities: ['DK', 'DE'],
  age: 42,
}

export const plan: DisclosurePlan = {
  selective: [['given_name'], ['address'], ['address', 'street'], ['nationalities', null]],
  decoys: 2,
}

/** Issues; what is not given is that of above. */
export const issue = (own: { claims?: Json; plan?: DisclosurePlan; terms?: Partial<IssuanceTerms> } = {}) =>
  signSdJwt(
    unsignedSdJwt(
      own.claims ?? claims,
      own.plan ?? plan,
      { ...terms, ...own.terms },
      { alg: 'ES256', kid: `${ISSUER}#key` },
      { randomBytes },
    ),
    issuerKey.sign,
  )

/** Presents all claims, or those at the paths, with a key binding. */
export const present = (text: string, paths?: Parameters<typeof presentSdJwt>[1]) =>
  addKeyBinding(
    paths ? presentSdJwt(text, paths) : text,
    { alg: 'ES256', ...SESSION, issuedAt: NOW, algorithm: 'sha-256' },
    holderKey.sign,
  )

export const verify = (text: string, rules: Partial<VerificationRules> = {}) =>
  verifySdJwt(text, {
    now: NOW,
    keyBinding: 'unchecked',
    issuerKey: async () => ({ key: keyOfJwk(issuerKey.jwk), issuer: ISSUER }),
    ...rules,
  })

const part = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

/** A JWT of any header and payload; a text is taken as its JSON. */
export async function jwtOf(header: unknown, payload: unknown, key = issuerKey): Promise<string> {
  const input = `${part(header)}.${part(payload)}`
  return `${input}.${Buffer.from(await key.sign(Buffer.from(input))).toString('base64url')}`
}

export const disclosureOf = (value: unknown): string => part(value)

/** Header and payload of the JWT that a text begins with. */
export function partsOf(text: string): { header: Json; payload: Json } {
  const [header, payload] = text
    .split('~', 1)
    .join('')
    .split('.')
    .map((each): unknown =>
      JSON.parse(
        Buffer.from(each, 'base64url').toString('latin1').startsWith('{')
          ? Buffer.from(each, 'base64url').toString('utf8')
          : '{}',
      ),
    )
  if (!isObject(header) || !isObject(payload)) throw new Error('the text begins with no JWT')
  return { header, payload }
}
