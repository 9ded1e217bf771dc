import { createRemoteJWKSet, jwtVerify } from 'jose'
import { makeHolder } from '../credentials/holders.ts'
import type { World } from '../world.ts'
import { type Browser, openBrowser, type Page } from './browser.verifiers.ts'
import { presentJsonLd, wallet } from './presenting.ts'
import { openSignIns } from './signing-in.ts'
import { createVerifierClient, qrLink, REDIRECT, type VerifierClient } from './verifiers.ts'

/** Parameters of a request; undefined leaves one out. */
export type Parameters = Record<string, string | undefined>

interface Asking {
  browser?: Browser
  /** Whose request it is; default: a client of its own. */
  client?: VerifierClient
  /** As a form in place of a query. */
  byPost?: boolean
}

export interface Tokens {
  access_token: string
  id_token: string
  refresh_token?: string
  token_type: string
  error?: string
}

export const NONCE = 'n-0S6_WzA2Mj'
export const STATE = 'af0ifjsldkj'

const formOf = (parameters: Parameters): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  )

/**
 * A relying party as the conformance suite of the OpenID Foundation has it, which sends requests that no library makes; and
 * one person, whose wallet presents whenever a page asks for it.
 */
export async function openRequests(world: World) {
  const at = await openSignIns(world)
  const { issuer } = at.verifier
  const holder = makeHolder()
  const { credential } = await at.credentialFor(holder)
  const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`))
  const other = await createVerifierClient(world, at.verifier.id, { tokenEndpointAuthMethod: 'client_secret_post' })

  /** Up to the redirect to the client, or to a page that leads no further. */
  async function authorize(more: Parameters = {}, asking: Asking = {}) {
    const { browser = openBrowser(), client = at.client, byPost = false } = asking
    const parameters = formOf({
      client_id: client.id,
      redirect_uri: REDIRECT,
      response_type: 'code',
      scope: 'openid',
      state: STATE,
      nonce: NONCE,
      ...more,
    })
    const begin = (): Promise<Page> =>
      byPost
        ? browser.open(`${issuer}/authorize`, parameters)
        : browser.open(`${issuer}/authorize?${new URLSearchParams(parameters)}`)
    const first = await begin()
    const isAway = ({ location }: Page) => location?.startsWith(REDIRECT) ?? true
    let page = isAway(first) ? first : await browser.follow(first.location ?? '', REDIRECT)
    const wasAsked = page.url.includes('/sign-in/')
    if (wasAsked) {
      const request = await wallet.readRequest(qrLink(page))
      await wallet.answer(request, await presentJsonLd(holder, credential, request))
      page = await browser.follow(page.url, REDIRECT)
    }
    const back = new URL(page.location ?? 'none:').searchParams
    return { browser, client, page, wasAsked, back }
  }

  /** Asks for tokens; the secret goes where the client was registered to send it. */
  async function exchange(form: Parameters, client: VerifierClient = at.client) {
    const { id = '', secret = '' } = client
    const isPost = client.id === other.id
    const response = await fetch(`${issuer}/token`, {
      method: 'POST',
      headers: isPost ? {} : { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` },
      body: new URLSearchParams(formOf({ ...form, ...(isPost && { client_id: id, client_secret: secret }) })),
    })
    return { status: response.status, headers: response.headers, tokens: (await response.json()) as Tokens }
  }

  const exchangeCode = (code: string | null, client?: VerifierClient) =>
    exchange({ grant_type: 'authorization_code', redirect_uri: REDIRECT, code: code ?? '' }, client)

  /** Claims of an ID token with a valid signature of the verifier for the client. */
  const claimsOf = async (idToken: string, audience = at.client.id) =>
    jwtVerify(idToken, keys, { issuer, audience, requiredClaims: ['sub', 'exp', 'iat'] })

  return {
    at,
    other,
    authorize,
    exchange,
    exchangeCode,
    claimsOf,
    /** The whole way, to claims. */
    async signIn(more: Parameters = {}, asking: Asking = {}) {
      const authorized = await authorize(more, asking)
      const { client } = authorized
      const { status, headers, tokens } = await exchangeCode(authorized.back.get('code'), client)
      if (status !== 200) throw new Error(`no tokens: ${authorized.page.url} ${JSON.stringify(tokens)}`)
      const { payload, protectedHeader } = await claimsOf(tokens.id_token, client.id)
      return { ...authorized, headers, tokens, claims: payload, header: protectedHeader }
    },
    userInfo: (init: RequestInit) => fetch(`${issuer}/userinfo`, init),
    metadata: async () =>
      (await (await fetch(`${issuer}/.well-known/openid-configuration`)).json()) as Record<string, unknown>,
  }
}

export type Requests = Awaited<ReturnType<typeof openRequests>>
