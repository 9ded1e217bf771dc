import 'reflect-metadata'
import { randomUUID, webcrypto } from 'node:crypto'
import { BasicConstraintsExtension, KeyUsageFlags, KeyUsagesExtension, X509CertificateGenerator } from '@peculiar/x509'
import { exportJWK, type JWTPayload, SignJWT } from 'jose'
import type { World } from '../../world.ts'
import type { WalletKey } from '../wallet.ts'

const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const DAY_MS = 24 * 60 * 60 * 1000

const newPair = () => webcrypto.subtle.generateKey(ECDSA, true, ['sign', 'verify'])

const seconds = () => Math.floor(Date.now() / 1000)

export const PROVIDERS = '/v1/openid/wallet-providers'
export const WALLET_CLIENT = 'https://wallet.example'

/** A maker of wallets, with an authority of its own that certifies what signs its attestations. */
export async function openWalletProvider() {
  const [root, signer] = [await newPair(), await newPair()]
  let serial = 0
  async function certificate(
    [subject, publicKey]: [string, webcrypto.CryptoKey],
    [issuer, signingKey]: [string, webcrypto.CryptoKey],
    { isAuthority = false, days = 30 }: { isAuthority?: boolean; days?: number } = {},
  ) {
    serial += 1
    const made = await X509CertificateGenerator.create({
      serialNumber: `0${serial}`,
      ...{ subject: `C=NL, CN=${subject}`, issuer: `C=NL, CN=${issuer}`, publicKey, signingKey },
      notBefore: new Date(Date.now() - 60 * DAY_MS),
      notAfter: new Date(Date.now() + days * DAY_MS),
      signingAlgorithm: ECDSA,
      extensions: [
        new BasicConstraintsExtension(isAuthority),
        new KeyUsagesExtension(isAuthority ? KeyUsageFlags.keyCertSign : KeyUsageFlags.digitalSignature, true),
      ],
    })
    return { pem: made.toString('pem'), x5c: Buffer.from(made.rawData).toString('base64') }
  }
  const rootName: [string, webcrypto.CryptoKey] = ['Provider root', root.privateKey]
  const anchor = await certificate(['Provider root', root.publicKey], rootName, { isAuthority: true })
  const leaf = await certificate(['Provider signer', signer.publicKey], rootName)
  const selfSigned = await certificate(['Lonely', signer.publicKey], ['Lonely', signer.privateKey])
  const expired = await certificate(['Provider signer', signer.publicKey], rootName, { days: -1 })
  const jwk = { ...(await exportJWK(signer.publicKey)), kid: 'provider-1', alg: 'ES256' }

  const sign = (typ: string, claims: JWTPayload, header: object) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'ES256', typ, x5c: [leaf.x5c], ...header }).sign(signer.privateKey)

  return {
    anchor,
    leaf,
    selfSigned,
    expired,
    jwk,
    privateKey: signer.privateKey,
    /** What a tenant says of it; `changes` are those of a test. */
    async register({ ask, token }: Pick<World, 'ask' | 'token'>, changes: object = {}): Promise<string> {
      const body = { name: 'A provider', attests: ['wallets', 'keys'], certificates: [anchor.pem], ...changes }
      const reply = await ask(PROVIDERS, { token, body })
      if (reply.status !== 201) throw new Error(`no provider: ${reply.text}`)
      return reply.json<{ id: string }>().id
    },
    /** That a wallet is its own, which a test changes. */
    attestWallet: (instance: Pick<WalletKey, 'publicJwk'>, claims: JWTPayload = {}, header: object = {}) =>
      sign(
        'oauth-client-attestation+jwt',
        { sub: WALLET_CLIENT, exp: seconds() + 3_600, iat: seconds(), cnf: { jwk: instance.publicJwk }, ...claims },
        header,
      ),
    /** That keys are kept well, which a test changes. */
    attestKeys: (keys: readonly Pick<WalletKey, 'publicJwk'>[], claims: JWTPayload = {}, header: object = {}) =>
      sign(
        'key-attestation+jwt',
        {
          ...{ iat: seconds(), exp: seconds() + 3_600, attested_keys: keys.map(({ publicJwk }) => publicJwk) },
          ...{ key_storage: ['iso_18045_high'], user_authentication: ['iso_18045_moderate'], ...claims },
        },
        header,
      ),
    /** Any JWT of its key. */
    sign,
  }
}

export type WalletProvider = Awaited<ReturnType<typeof openWalletProvider>>

/** A proof of the instance's key (draft-ietf-oauth-attestation-based-client-auth-11, section 5.1), which a test changes. */
export const attestationProof = (instance: WalletKey, aud: string, claims: JWTPayload = {}, header: object = {}) =>
  instance.sign(
    { typ: 'oauth-client-attestation-pop+jwt', ...header },
    { aud, jti: randomUUID(), iat: seconds(), ...claims },
  )

/** A challenge of the issuer. */
export const challengeOf = async ({ ask }: Pick<World, 'ask'>): Promise<string> =>
  (await ask('/v1/oauth/challenge', { method: 'POST' })).json<{ attestation_challenge: string }>().attestation_challenge
