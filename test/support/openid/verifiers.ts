import jsQrModule from 'jsqr'
import * as openid from 'openid-client'
import { PNG } from 'pngjs'
import { createDid } from '../credentials/credentials.ts'
import type { World as WholeWorld } from '../world.ts'
import { type Browser, openBrowser, type Page } from './browser.verifiers.ts'

type World = Pick<WholeWorld, 'ask' | 'token'>

export const VERIFIERS = '/v1/oidc/verifiers'
const TEMPLATES = '/v1/credentials/web-semantic/presentations/templates'

export const COURSE = 'https://schema.org/courseCode'
export const REDIRECT = 'https://portal.university.example/callback'

export interface Verifier {
  id: string
  verifierDid: string
  presentationTemplateId: string
  includePresentation: boolean
  claimMappings: object[]
  issuer: string
}

export interface VerifierClient {
  id: string
  secret?: string
  redirectUris: string[]
}

/** Asks for a credential with the term of `payload` (test/support/credentials/credentials.ts). */
export const courseQuery = (more: object = {}) => [
  {
    type: 'QueryByExample',
    credentialQuery: [
      {
        required: true,
        example: {
          '@context': ['https://www.w3.org/ns/credentials/v2', { course: COURSE }],
          type: 'VerifiableCredential',
          credentialSubject: { course: {} },
          ...more,
        },
      },
    ],
  },
]

async function made<T>(world: World, path: string, body: object, token: string): Promise<T> {
  const reply = await world.ask(path, { token, body })
  if (reply.status > 201) throw new Error(`${path} answered ${reply.status} ${reply.text}`)
  return reply.json<T>()
}

export const createTemplate = async (world: World, query: unknown = courseQuery(), token = world.token) =>
  (
    await made<{ id: string }>(
      world,
      TEMPLATES,
      { domain: 'verifier.example', name: 'A course certificate', query },
      token,
    )
  ).id

/** The body that creates a verifier, with a DID and a template of its own unless told. */
export async function verifierBody(world: World, more: object = {}, token = world.token) {
  return {
    claim_mappings: [{ json_ld_fqn: COURSE, oidc_claim: 'course' }],
    include_presentation: false,
    presentation_template_id: await createTemplate(world, undefined, token),
    verifier_did: await createDid(world, 'p256', token),
    ...more,
  }
}

export const createVerifier = async (world: World, more: object = {}, token = world.token): Promise<Verifier> =>
  made(world, VERIFIERS, await verifierBody(world, more, token), token)

export const clientBody = (more: object = {}) => ({
  name: 'Student portal',
  applicationType: 'web',
  redirectUris: [REDIRECT],
  grantTypes: ['authorization_code', 'refresh_token'],
  responseTypes: ['code'],
  tokenEndpointAuthMethod: 'client_secret_basic',
  idTokenSignedResponseAlg: 'ES256',
  logoUri: null,
  ...more,
})

export const createVerifierClient = (
  world: World,
  verifierId: string,
  more: object = {},
  token = world.token,
): Promise<VerifierClient> => made(world, `${VERIFIERS}/${verifierId}/clients`, clientBody(more), token)

const LINK = /href="(openid4vp:[^"]+)"/

/** The links of a page, in clear: of its button, and of its QR code, which is of the other device. */
export const sameDeviceLink = ({ text }: Page): string => (LINK.exec(text)?.[1] ?? '').replaceAll('&amp;', '&')

/** The text of the QR code of a page, as a camera reads it. */
export function qrLink({ text }: Page): string {
  const [, encoded = ''] = /src="data:image\/png;base64,([^"]+)"/.exec(text) ?? []
  const { data, width, height } = PNG.sync.read(Buffer.from(encoded, 'base64'))
  return jsQrModule.default(new Uint8ClampedArray(data), width, height)?.data ?? ''
}

/** A relying party by another author (openid-client), and the browser of a person. */
export async function openRelyingParty(
  { issuer }: Pick<Verifier, 'issuer'>,
  { id, secret, redirectUris: [redirectUri = ''] }: VerifierClient,
  authentication: openid.ClientAuth = secret === undefined ? openid.None() : openid.ClientSecretBasic(secret),
) {
  const config = await openid.discovery(new URL(issuer), id, undefined, authentication, {
    execute: [openid.allowInsecureRequests],
  })

  /** Where a sign-in begins, and what the client remembers of it. */
  async function authorizationUrl(parameters: Record<string, string> = {}) {
    const [nonce, state, pkceCodeVerifier] = [
      openid.randomNonce(),
      openid.randomState(),
      openid.randomPKCECodeVerifier(),
    ]
    const url = openid.buildAuthorizationUrl(config, {
      scope: 'openid',
      redirect_uri: redirectUri,
      nonce,
      state,
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      ...parameters,
    })
    return { url, checks: { expectedNonce: nonce, expectedState: state, pkceCodeVerifier } }
  }

  /** Opens the page of a sign-in in a browser. */
  async function begin(browser: Browser = openBrowser(), parameters: Record<string, string> = {}) {
    const { url, checks } = await authorizationUrl(parameters)
    return { browser, page: await browser.follow(url.href, redirectUri), checks }
  }

  type Begun = Awaited<ReturnType<typeof begin>>

  return {
    config,
    redirectUri,
    authorizationUrl,
    begin,
    /** From the page where the wallet has answered to the redirect to the client. */
    async back({ browser }: Pick<Begun, 'browser'>, url: string): Promise<URL> {
      const page = await browser.follow(url, redirectUri)
      if (page.location === undefined) throw new Error(`no way back: ${page.status} ${page.text}`)
      return new URL(page.location)
    },
    grant: (url: URL, { checks }: Pick<Begun, 'checks'>) => openid.authorizationCodeGrant(config, url, checks),
  }
}
