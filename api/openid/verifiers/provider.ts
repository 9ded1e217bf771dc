import { createPublicKey, type KeyObject } from 'node:crypto'
import Provider, {
  type Adapter,
  type AdapterPayload,
  type ClientMetadata,
  type Configuration,
  ExternalSigningKey,
  errors,
  interactionPolicy,
} from 'oidc-provider'
import type { Platform } from '../../../activities/index.ts'
import type { KnownClient, ProviderFacts } from '../../../activities/openid/verifiers/facts.ts'
import type { VerifierKey } from '../../../activities/openid/verifiers/keys.ts'
import { PRESENTATION_CLAIM } from '../../../protocol/openid/verifiers/values.ts'
import { PAGE_HEADERS } from '../pages.ts'
import { errorPage } from './page.ts'

/** Seconds. A person who is on the way needs the first, and a client that comes with a code the second. */
export const LIFETIMES = {
  interaction: 600,
  code: 60,
  /** For prompt=none and max_age (D-530). */
  session: 600,
  token: 3_600,
  /** Of a refresh token and its successors together. */
  refresh: 14 * 86_400,
} as const

/** How long the claims of a person may be asked for: at the end of the session, and with the last refresh token. */
export const KEPT_SECONDS = LIFETIMES.session + LIFETIMES.code + LIFETIMES.token
const KEPT_TO_REFRESH_SECONDS = LIFETIMES.refresh + LIFETIMES.token

type Parts = Pick<Platform, 'oidcPayloads' | 'oidcProviderFacts' | 'signIns'>

/** A key whose private half is in the key store. */
class StoredKey extends ExternalSigningKey {
  readonly #key: VerifierKey

  constructor(key: VerifierKey) {
    super()
    this.#key = key
    Object.assign(this, { kid: key.kid, alg: key.alg })
  }

  override keyObject(): KeyObject {
    return createPublicKey({ key: { ...this.#key.publicJwk }, format: 'jwk' })
  }

  override sign(data: Uint8Array): Promise<Uint8Array> {
    return this.#key.sign(data)
  }
}

/** A client in the words of Dynamic Client Registration; in place of its secret it has the digest of it. */
const metadataOf = (client: KnownClient, issuer: string): ClientMetadata => ({
  client_id: client.id,
  client_name: client.name,
  application_type: client.applicationType === 'native' ? 'native' : 'web',
  redirect_uris: [...client.redirectUris],
  grant_types: [...client.grantTypes],
  response_types: ['code'],
  token_endpoint_auth_method: client.tokenEndpointAuthMethod as ClientMetadata['token_endpoint_auth_method'],
  id_token_signed_response_alg: client.idTokenSignedResponseAlg as 'ES256',
  subject_type: 'pairwise',
  // never called: it only says that all redirect URIs are of one sector
  sector_identifier_uri: new URL('/', issuer).href.replace(/^http:/, 'https:'),
  ...(client.logoUri !== null && { logo_uri: client.logoUri }),
  ...(client.secretDigest !== undefined && { client_secret: client.secretDigest }),
})

/** The rows of a verifier, as the provider wants them. */
function createAdapter({ oidcPayloads, oidcProviderFacts }: Parts, facts: ProviderFacts): (kind: string) => Adapter {
  return (kind) => {
    const rows = oidcPayloads(facts, kind)
    const notKept = async () => undefined
    const { findClient } = oidcProviderFacts
    return {
      async find(name) {
        if (kind !== 'Client') return (await rows.find(name)) as AdapterPayload | undefined
        const client = await findClient(facts.tenantId, facts.verifierId, name)
        return client && (metadataOf(client, facts.issuer) as AdapterPayload)
      },
      async upsert(name, payload, seconds) {
        // an interaction is of the browser that has its cookie, whoever has signed in there meanwhile (D-1201)
        const { session: _, ...ofBrowser } = payload
        const kept = kind === 'Interaction' ? ofBrowser : payload
        await rows.save(name, kept as Record<string, unknown>, seconds ?? Number.POSITIVE_INFINITY)
      },
      async findByUid(uid) {
        return (await rows.findByUid(uid)) as AdapterPayload | undefined
      },
      findByUserCode: notKept,
      /** Of concurrent uses of a code or a refresh token one succeeds, as with later ones (RFC 6749, section 4.1.2). */
      async consume(name) {
        if (await rows.consume(name)) return
        const used = await rows.find(name)
        if (typeof used?.grantId === 'string') {
          // the grant as well: the other use may save its tokens after this
          await oidcPayloads(facts, 'Grant').remove(used.grantId)
          await rows.revoke(used.grantId)
        }
        throw new errors.InvalidGrant('it was used already')
      },
      async destroy(name) {
        await rows.remove(name)
      },
      async revokeByGrantId(grantId) {
        await rows.revoke(grantId)
      },
    }
  }
}

/** The person of a sign-in, who has a name for the client besides. */
export const accountIdOf = ({ signInId, subject }: { signInId: string; subject: string }): string =>
  `${signInId}.${subject}`

const signInOf = (accountId: string): string => accountId.split('.')[0] ?? ''
const subjectOf = (accountId: string): string => accountId.split('.')[1] ?? ''

/** A sign-in is asked for without a session, for a client's prompt, and where the session is too old; consent with it. */
function policy() {
  const base = interactionPolicy.base()
  const login = base.get('login')
  if (!login) throw new Error('the provider has no prompt for a login')
  return [login, new interactionPolicy.Prompt({ name: 'consent', requestable: true })]
}

/** Answers browsers with a page, and clients with JSON. */
const renderError: Configuration['renderError'] = (context, out) => {
  context.set(PAGE_HEADERS)
  context.type = 'html'
  context.body = errorPage(out.error, out.error_description)
}

function configurationOf(parts: Parts, facts: ProviderFacts): Configuration {
  const claims = facts.includePresentation ? [...facts.claims, PRESENTATION_CLAIM] : facts.claims
  const path = new URL(facts.issuer).pathname
  return {
    adapter: createAdapter(parts, facts),
    jwks: { keys: facts.keys.map((key) => new StoredKey(key)) },
    claims: { openid: ['sub', ...claims] },
    scopes: ['openid', 'offline_access'],
    responseTypes: ['code'],
    subjectTypes: ['pairwise'],
    sectorIdentifierUriValidate: () => false,
    pairwiseIdentifier: (_context, accountId) => subjectOf(accountId),
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    enabledJWA: { idTokenSigningAlgValues: ['ES256', 'EdDSA'] },
    conformIdTokenClaims: false,
    allowOmittingSingleRegisteredRedirectUri: false,
    // a public client has nothing else; a confidential one may rely on its nonce (RFC 9700, section 2.1.1)
    pkce: { required: (_context, client) => client.tokenEndpointAuthMethod === 'none' },
    // the origin of an app's own scheme is `null`, which is that of every sandboxed frame too
    clientBasedCORS: (_context, origin, client) =>
      (client.redirectUris ?? []).some(
        (uri) => /^https?:/i.test(uri) && URL.canParse(uri) && new URL(uri).origin === origin,
      ),
    cookies: {
      keys: [facts.cookieKey],
      names: { session: 'verifier_session', interaction: 'verifier_sign_in', resume: 'verifier_resume' },
      long: { httpOnly: true, sameSite: 'lax', signed: true, path },
      short: { httpOnly: true, sameSite: 'lax', signed: true },
    },
    routes: {
      authorization: '/authorize',
      token: '/token',
      userinfo: '/userinfo',
      jwks: '/jwks',
      revocation: '/revoke',
    },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      externalSigningSupport: { enabled: true, ack: 'experimental-01' },
      pushedAuthorizationRequests: { enabled: false },
      resourceIndicators: { enabled: false },
      revocation: { enabled: true },
      rpInitiatedLogout: { enabled: false },
    },
    interactions: {
      url: (_context, { uid }) => `${path}/sign-in/${uid}`,
      policy: policy(),
    },
    ttl: {
      AccessToken: LIFETIMES.token,
      AuthorizationCode: LIFETIMES.code,
      Grant: LIFETIMES.refresh + LIFETIMES.token,
      IdToken: LIFETIMES.token,
      Interaction: LIFETIMES.interaction,
      Session: LIFETIMES.session,
      RefreshToken: ({ oidc }) => oidc.entities.RotatedRefreshToken?.remainingTTL ?? LIFETIMES.refresh,
    },
    issueRefreshToken: async (_context, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    expiresWithSession: async () => false,
    /** Whom a presentation signs in has agreed by presenting: there is no second question. */
    async loadExistingGrant({ oidc }) {
      const { client, session, provider } = oidc
      if (!client || !session?.accountId) return undefined
      const grant = new provider.Grant({ accountId: session.accountId, clientId: client.clientId })
      grant.addOIDCScope('openid offline_access')
      await grant.save()
      if (client.grantTypeAllowed('refresh_token'))
        await parts.signIns.keepAccount(facts, signInOf(session.accountId), KEPT_TO_REFRESH_SECONDS)
      return grant
    },
    async findAccount(_context, accountId) {
      const account = await parts.signIns.readAccount(facts, signInOf(accountId))
      return account && { accountId, claims: async () => ({ ...account.claims, sub: accountId }) }
    },
    renderError,
  }
}

/** The OpenID provider that a verifier is for its clients. */
export function createProvider(parts: Parts, facts: ProviderFacts): Provider {
  const provider = new Provider(facts.issuer, configurationOf(parts, facts))
  const { isSecretOf } = parts.oidcProviderFacts
  Object.assign(provider, { proxy: true, silent: true })
  provider.Client.prototype.compareClientSecret = function compare(actual: string) {
    return typeof this.clientSecret === 'string' && isSecretOf(this.clientSecret, actual)
  }
  return provider
}
