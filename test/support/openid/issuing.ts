import { createHash } from 'node:crypto'
import type { Reply } from '../world.ts'
import { type Authorization, assertionOf, dpopProof, pkce } from './authorization.ts'
import { createWalletKey, offerIn, sessionsOf, type WalletKey } from './wallet.ts'

const PRE = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'

export const GRANTS = ['authorization_code', 'pre-authorized_code'] as const
export type Grant = (typeof GRANTS)[number]

/** A wallet that the tenant knows. */
interface SuiteClient {
  id: string
  redirectUri: string
  /** Of its assertions. */
  key: WalletKey
  /** Of its DPoP proofs. */
  bound: WalletKey
}

/**
 * A wallet as the conformance suite of the OpenID Foundation plays it: it pushes its requests, authenticates by
 * private_key_jwt, proves a key by DPoP with the server's nonce, begins by itself with a scope where it logs in, and types a
 * transaction code where it has an offer. The tenant requires all of that.
 */
export async function openSuiteWallet(authorization: Authorization, template: string) {
  const { base, browser, setPolicy, world } = authorization
  await setPolicy({
    ...{ requiresPar: true, requiresDpop: true, requiresClientAuthentication: true, allowsWalletInitiated: true },
  })
  const clients: SuiteClient[] = []
  for (const [id, redirectUri] of [
    ['wallet-1', 'https://suite.example/callback'],
    ['wallet-2', 'https://suite.example/callback?dummy1=lorem&dummy2=ipsum'],
  ] as const) {
    const key = await createWalletKey()
    const body = {
      name: id,
      clientId: id,
      redirectUris: [redirectUri],
      jwks: { keys: [{ ...key.publicJwk, kid: '1' }] },
    }
    const reply = await world.ask('/v1/openid/wallets', { token: world.token, body })
    if (reply.status !== 201) throw new Error(`no wallet: ${reply.text}`)
    clients.push({ id, redirectUri, key, bound: await createWalletKey() })
  }
  const first = clients[0]
  const second = clients[1]
  if (!first || !second) throw new Error('there are two wallets')
  const metadata = (await world.ask('/.well-known/openid-credential-issuer')).json<Record<string, unknown>>()
  type Configuration = { scope: string }
  const known = metadata.credential_configurations_supported as Record<string, Configuration>
  const scope = known[template]?.scope ?? ''

  /** One request with a proof; with another one where the server wants its nonce in it. */
  async function proved(
    path: string,
    { bound }: SuiteClient,
    sent: { form?: () => Promise<Record<string, string>>; body?: object | string; token?: string },
  ): Promise<Reply> {
    const ath = sent.token === undefined ? {} : { ath: createHash('sha256').update(sent.token).digest('base64url') }
    const ask = async (nonce?: string) => {
      const dpop = await dpopProof(bound, { htu: `${base}${path}`, ...ath, ...(nonce && { nonce }) })
      const authorized: Record<string, string> = sent.token === undefined ? {} : { authorization: `DPoP ${sent.token}` }
      if (sent.form) return authorization.form(path, await sent.form(), { dpop })
      if (typeof sent.body === 'string')
        return world.ask(path, {
          raw: sent.body,
          headers: { dpop, ...authorized, 'content-type': 'application/jwt' },
        })
      return world.ask(path, { body: sent.body ?? {}, headers: { dpop, ...authorized } })
    }
    const reply = await ask()
    const wanted = reply.headers.get('dpop-nonce')
    return wanted && /use_dpop_nonce/.test(reply.text) ? ask(wanted) : reply
  }

  async function byLogin(client: SuiteClient): Promise<Reply> {
    const { verifier, challenge } = pkce()
    const asked = {
      ...{
        response_type: 'code',
        client_id: client.id,
        redirect_uri: client.redirectUri,
        scope,
        state: 'of-the-suite',
      },
      ...{ code_challenge: challenge, code_challenge_method: 'S256', login_hint: 'ada' },
    }
    const push = async () => ({ ...asked, ...(await assertionOf(client.key, client.id, base)) })
    const pushed = await proved('/v1/oauth/par', client, { form: push })
    if (pushed.status !== 201) throw new Error(`not pushed: ${pushed.text}`)
    const { request_uri } = pushed.json<{ request_uri: string }>()
    const url = authorization.authorizeUrl({ client_id: client.id, request_uri })
    const { location = '' } = await browser().follow(url, client.redirectUri)
    const code = new URL(location).searchParams.get('code') ?? ''
    const form = async () => ({
      ...{ grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: client.redirectUri },
      ...(await assertionOf(client.key, client.id, base)),
    })
    return proved('/v1/oauth/token', client, { form })
  }

  async function byOffer(client: SuiteClient): Promise<Reply> {
    const claims = { given_name: 'ada', family_name: 'Lovelace' }
    const { uri, txCode = '' } = await sessionsOf(world).offer({ credentials: [template], claims, txCode: true })
    const code = offerIn(uri).grants[PRE]?.['pre-authorized_code'] ?? ''
    const form = async () => ({
      ...{ grant_type: PRE, 'pre-authorized_code': code, tx_code: txCode },
      ...(await assertionOf(client.key, client.id, base)),
    })
    return proved('/v1/oauth/token', client, { form })
  }

  const nonce = async () =>
    (await world.ask('/v1/openid/nonce', { method: 'POST' })).json<{ c_nonce: string }>().c_nonce

  return {
    first,
    second,
    metadata,
    nonce,
    /** From the first request to a token. */
    async authorize(grant: Grant, client: SuiteClient = first) {
      const reply = await (grant === 'authorization_code' ? byLogin(client) : byOffer(client))
      if (reply.status !== 200) throw new Error(`no token: ${reply.text}`)
      return reply.json<{ access_token: string; token_type: string; expires_in: number }>()
    },
    /** A proof of a key, which a test changes. */
    async prove(key: WalletKey, claims: object = {}, client: SuiteClient = first): Promise<string> {
      const iat = Math.floor(Date.now() / 1000)
      const header = { typ: 'openid4vci-proof+jwt', jwk: key.publicJwk }
      return key.sign(header, { iss: client.id, aud: base, iat, nonce: await nonce(), ...claims })
    },
    /** A request with the token and a proof of possession; a text is an encrypted one. */
    call: (path: string, token: string, body: object | string, client: SuiteClient = first) =>
      proved(path, client, { token, body }),
  }
}

export type SuiteWallet = Awaited<ReturnType<typeof openSuiteWallet>>
