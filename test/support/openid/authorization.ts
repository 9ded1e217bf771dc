import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { request } from 'node:http'
import type { JWTPayload } from 'jose'
import { openWorld, type Reply, type WorldOptions } from '../world.ts'
import { openBrowser } from './browser.ts'
import { PROVIDERS } from './logins.ts'
import { openProviders } from './provider.ts'
import { offerIn, sessionsOf, type WalletKey } from './wallet.ts'

/** The address of a wallet that is not registered. */
export const CALLBACK = 'http://127.0.0.1:49152/callback'

export const pkce = () => {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

export const errorOf = (reply: Reply): string => `${reply.status} ${reply.json<{ error?: string }>().error}`

/** A platform, a real provider that logs holders in, and what wallets and browsers do with both. */
export async function openAuthorization(options: WorldOptions = {}) {
  const providers = await openProviders('https://unused.test/callback')
  const world = await openWorld({ ...options, env: { ...options.env, ...providers.env } }).catch(
    async (error: unknown) => {
      await providers.close()
      throw error
    },
  )
  const base = world.config.publicUrl.origin
  const { hostname, port } = new URL(providers.issuer)
  const client = await providers.register({
    redirect_uris: [`${base}/v1/oauth/authentication/callback`],
    grant_types: ['authorization_code'],
    token_endpoint_auth_method: 'client_secret_basic',
  })
  const body = {
    url: providers.issuer,
    ...client,
    scope: ['openid', 'profile', 'email'],
    claims_to_persist: ['given_name', 'family_name'],
    forwarded_request_parameters: ['login_hint'],
    token_endpoint_auth_method: 'client_secret_basic',
  }
  const kept = ['url', 'client_id', 'client_secret', 'scope', 'claims_to_persist', 'forwarded_request_parameters']
  const wanted = Object.fromEntries(
    [...kept, 'token_endpoint_auth_method'].map((name) => [name, Reflect.get(body, name)]),
  )
  const created = await world.ask(PROVIDERS, { token: world.token, body: wanted })
  if (created.status !== 200) throw new Error(`no provider: ${created.text}`)
  const at = world.config.publicUrl.hostname
  const places = { [hostname]: { port: Number(port), tls: true }, [at]: { port: world.config.port, tls: false } }
  const headers = { host: world.config.publicUrl.host }

  /** A request to another tenant of the platform, by its host name. */
  const ofTenant = (subdomain: string, path: string, body = '', more: Record<string, string> = {}) =>
    new Promise<{ status: number; text: string; location: string | undefined }>((resolve, reject) => {
      const type = 'application/x-www-form-urlencoded'
      const sent = { 'content-type': type, ...more, host: `${subdomain}.${world.config.publicUrl.host}` }
      const where = { host: 'localhost', port: world.config.port, path, method: body ? 'POST' : 'GET' }
      const outgoing = request({ ...where, headers: sent, agent: false }, (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('error', reject)
        answer.on('end', () => {
          const { statusCode: status = 0, headers: received } = answer
          resolve({ status, location: received.location, text: Buffer.concat(chunks).toString('utf8') })
        })
      })
      outgoing.on('error', reject).end(body)
    })

  const form = (path: string, members: Record<string, string>, more: Record<string, string> = {}) =>
    world.ask(path, {
      raw: new URLSearchParams(members).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers, ...more },
    })

  return {
    providers,
    world,
    base,
    providerId: created.json<{ id: string }>().id,
    browser: () => openBrowser(places, providers.authority.pem),
    form,
    ofTenant,
    exchange: (members: Record<string, string>, more?: Record<string, string>) =>
      form('/v1/oauth/token', { grant_type: 'authorization_code', ...members }, more),
    setPolicy: async (policy: object) => {
      const reply = await world.ask('/v1/openid/wallet-policy', { method: 'PUT', token: world.token, body: policy })
      if (reply.status !== 200) throw new Error(`no policy: ${reply.text}`)
    },
    /** An offer with a login, and what a wallet needs of it. */
    async offered(credentials: string[], more: object = {}) {
      const { id, uri } = await sessionsOf(world).offer({ credentials, grantType: 'authorization_code', ...more })
      return { id, uri, issuerState: offerIn(uri).grants.authorization_code?.issuer_state ?? '' }
    },
    /** The address that a wallet opens in the browser. */
    authorizeUrl: (parameters: Record<string, string | undefined>): string => {
      const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined)
      return `${base}/v1/oauth/authorize?${new URLSearchParams(given)}`
    },
    async close() {
      await world.close()
      await providers.close()
    },
  }
}

export type Authorization = Awaited<ReturnType<typeof openAuthorization>>

/** The parameters of a wallet that is not registered, which a test changes. */
export const parametersFor = (
  challenge: string,
  issuerState: string,
  more: Record<string, string | undefined> = {},
) => ({
  response_type: 'code',
  client_id: 'wallet',
  redirect_uri: CALLBACK,
  code_challenge: challenge,
  code_challenge_method: 'S256',
  state: 'state-of-the-wallet',
  issuer_state: issuerState,
  ...more,
})

/** A DPoP proof of a key (RFC 9449, section 4.2), which a test changes. */
export const dpopProof = (key: WalletKey, claims: JWTPayload, header: object = {}): Promise<string> => {
  const iat = Math.floor(Date.now() / 1000)
  return key.sign(
    { typ: 'dpop+jwt', jwk: key.publicJwk, ...header },
    { jti: randomUUID(), htm: 'POST', iat, ...claims },
  )
}

/** A client assertion (RFC 7523, section 3), which a test changes. */
export const assertionOf = async (key: WalletKey, clientId: string, aud: string, claims: JWTPayload = {}) => {
  const iat = Math.floor(Date.now() / 1000)
  const payload = { iss: clientId, sub: clientId, aud, jti: randomUUID(), iat, exp: iat + 60, ...claims }
  return {
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: await key.sign({}, payload),
  }
}

/** What a redirect brings. */
export const queryOf = (location: string | undefined) => Object.fromEntries(new URL(location ?? '').searchParams)
