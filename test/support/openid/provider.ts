import { randomBytes } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { request } from 'node:https'
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'
import { Provider } from 'oidc-provider'
import { startTestDns } from '../parts/dns.ts'
import { createTestAuthority, listenTls } from '../parts/tls.ts'

/** What the provider knows of an account, by scope. */
export const accountOf = (id: string) => ({
  sub: id,
  email: `${id}@university.example`,
  email_verified: true,
  given_name: id,
  family_name: 'Lovelace',
  address: { country: 'NZ', locality: 'Ōtautahi' },
})

/** Gets access_denied in place of a code. */
export const REFUSED = 'nobody'

/** With characters that HTTP Basic has to encode (RFC 6749, section 2.3.1). */
export const BASIC_SECRET = 'basic:secret/+% x'

export interface Upstream {
  issuer: string
  redirectUrl: string
  /** Its key for ID tokens, which an upstream that is started again has to have again. */
  privateJwk?: JWK
}

export const newPrivateJwk = async (): Promise<JWK> =>
  exportJWK((await generateKeyPair('RS256', { extractable: true })).privateKey)

/** oidc-provider, with holders who log in by their login_hint at once. */
export async function createUpstream({ issuer, redirectUrl, privateJwk }: Upstream) {
  const own = privateJwk ?? (await newPrivateJwk())
  const client = {
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code'],
    response_types: ['code' as const],
  }
  const provider = new Provider(issuer, {
    jwks: { keys: [{ ...own, kid: 'first', use: 'sig', alg: 'RS256' }] },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    claims: {
      openid: ['sub'],
      profile: ['given_name', 'family_name'],
      email: ['email', 'email_verified'],
      address: ['address'],
    },
    clients: [
      { ...client, client_id: 'basic', client_secret: BASIC_SECRET, token_endpoint_auth_method: 'client_secret_basic' },
      { ...client, client_id: 'post', client_secret: 'post-secret', token_endpoint_auth_method: 'client_secret_post' },
      { ...client, client_id: 'none', token_endpoint_auth_method: 'none' },
    ],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
    pkce: { required: () => true },
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
    features: { devInteractions: { enabled: false }, registration: { enabled: true } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, id) => ({ accountId: id, claims: () => accountOf(id) }),
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({
        accountId: oidc.session?.accountId ?? '',
        clientId: oidc.client?.clientId ?? '',
      })
      grant.addOIDCScope('openid profile email address')
      await grant.save()
      return grant
    },
  })
  const callback = provider.callback()
  const login = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { params } = await provider.interactionDetails(incoming, outgoing)
    const account = String(params.login_hint ?? 'ada')
    const result =
      account === REFUSED
        ? { error: 'access_denied', error_description: 'a text <script> of the provider' }
        : { login: { accountId: account } }
    await provider.interactionFinished(incoming, outgoing, result)
  }
  const listener: RequestListener = (incoming, outgoing) => {
    if (incoming.url?.startsWith('/interaction/')) login(incoming, outgoing).catch(() => outgoing.writeHead(500).end())
    else callback(incoming, outgoing)
  }
  return { provider, listener }
}

type Answer = object | string | Response
/** What a provider of our own making answers with, as JSON or as a response of its own; a path that is not here is 404. */
export type Answers = Map<string, (incoming: IncomingMessage, body: string) => Answer | Promise<Answer>>

const NAMES = ['login.test', 'rogue.test']

/**
 * The part of the web where providers are: https://login.test, a real one, and https://rogue.test, which says what a test
 * has it say. `env` lets a platform see it.
 */
export async function openProviders(redirectUrl: string) {
  const authority = await createTestAuthority()
  const dns = await startTestDns(Object.fromEntries(NAMES.map((name) => [name, { A: ['127.0.0.1'] }])))
  const rogue: Answers = new Map()
  const requests: { path: string; headers: IncomingMessage['headers']; body: string }[] = []
  const real: { listener?: RequestListener } = {}
  const front = await listenTls(await authority.issue(NAMES), (incoming, outgoing) => {
    if (incoming.headers.host?.startsWith('login.test')) return real.listener?.(incoming, outgoing)
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', async () => {
      const body = Buffer.concat(chunks).toString('utf8')
      const { url: path = '/', headers } = incoming
      requests.push({ path, headers, body })
      const answer = await rogue.get(path)?.(incoming, body)
      if (answer instanceof Response) {
        outgoing.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
        return
      }
      const text = typeof answer === 'string' ? answer : JSON.stringify(answer)
      outgoing.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(text)
    })
  })
  const issuer = `https://login.test:${front.port}`
  const upstream = await createUpstream({ issuer, redirectUrl })
  real.listener = upstream.listener

  const open = (url: string, cookies: Map<string, string>, sent?: { method: string; body: string }) =>
    new Promise<{ status: number; location?: string; text: string }>((resolve, reject) => {
      const { hostname, pathname, search } = new URL(url)
      const headers = {
        host: `${hostname}:${front.port}`,
        cookie: [...cookies].map((cookie) => cookie.join('=')).join('; '),
        ...(sent && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent.body) }),
      }
      const where = { host: '127.0.0.1', port: front.port, servername: hostname, path: pathname + search }
      const outgoing = request(
        { ...where, method: sent?.method ?? 'GET', ca: authority.pem, headers, agent: false },
        (answer) => {
          for (const cookie of answer.headers['set-cookie'] ?? []) {
            const [name = '', value = ''] = cookie.split(';')[0]?.split(/=(.*)/s) ?? []
            cookies.set(name, value)
          }
          const chunks: Buffer[] = []
          answer.on('data', (chunk: Buffer) => chunks.push(chunk))
          answer.on('error', reject)
          answer.on('end', () => {
            const { statusCode: status = 0, headers: received } = answer
            const { location } = received
            resolve({ status, ...(location && { location }), text: Buffer.concat(chunks).toString('utf8') })
          })
        },
      )
      outgoing.on('error', reject).end(sent?.body)
    })

  return {
    issuer,
    rogueIssuer: `https://rogue.test:${front.port}`,
    rogue,
    /** What came to rogue.test. */
    requests,
    env: {
      OUTBOUND_DNS_SERVER: dns.address,
      OUTBOUND_CA_FILE: authority.file,
      OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8',
    },
    dns,
    authority,
    /** A holder's browser, from the URL of an authorization to the callback; returns the parameters of the callback. */
    async browse(url: string): Promise<URLSearchParams> {
      const cookies = new Map<string, string>()
      for (let at = url, hops = 0; hops < 6; hops += 1) {
        const { status, location, text } = await open(at, cookies)
        if (!location) throw new Error(`the provider answered ${status} ${text.slice(0, 500)}`)
        at = new URL(location, at).href
        if (at.startsWith(redirectUrl)) return new URL(at).searchParams
      }
      throw new Error('the provider does not send the holder back')
    },
    /** Registers a client (RFC 7591). */
    async register(metadata: object): Promise<{ client_id: string }> {
      const body = JSON.stringify({ redirect_uris: [redirectUrl], ...metadata })
      const { status, text } = await open(`${issuer}/reg`, new Map(), { method: 'POST', body })
      if (status !== 201) throw new Error(`no client: ${text}`)
      return JSON.parse(text)
    },
    async close() {
      await front.close()
      await dns.close()
      authority.close()
    },
  }
}

export type Providers = Awaited<ReturnType<typeof openProviders>>

/** Makes rogue.test a provider whose tokens a test signs. */
export async function playProvider({ rogue, rogueIssuer: issuer }: Providers, algorithm = 'ES256') {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid: 'rogue', use: 'sig', alg: algorithm }
  const metadata: Record<string, unknown> = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [algorithm],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
  }
  rogue.clear()
  rogue.set('/.well-known/openid-configuration', () => metadata)
  rogue.set('/jwks', () => ({ keys: [jwk] }))
  const sign = (claims: JWTPayload, header: Record<string, unknown> = {}, key = privateKey) =>
    new SignJWT(claims).setProtectedHeader({ alg: algorithm, kid: 'rogue', ...header }).sign(key)
  return { metadata, jwk, sign, privateKey }
}
