import * as openid from 'openid-client'
import { type AuthenticationProvider, OpenIdAuthorization } from '../../../entities/openid/providers.ts'
import { inTenant } from '../../../entities/orm.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { Json } from '../../../protocol/json.ts'
import { claimsAbout, leavesOf } from '../../../protocol/openid/claims.ts'
import { AUTHENTICATION_ENTRY } from '../../../protocol/openid/entries.ts'
import { parametersOf } from '../../../protocol/openid/providers.ts'
import type { Dependencies } from '../../dependencies.ts'
import { addLogEntry } from '../../frame/log-entries.ts'
import type { Call } from '../../frame/operations.ts'
import type { Sealer } from '../../frame/sealing.ts'
import { digestOf } from '../../frame/secrets.ts'
import type { Tenants } from '../../frame/tenants/index.ts'
import type { Users } from '../users/users.ts'
import type { Clients } from './clients.ts'
import { authenticationFault } from './faults.ts'
import { findProvider } from './lifecycle.ts'
import { redirectUrlOf } from './records.ts'

/** Time that a holder has to log in at the provider. */
export const AUTHORIZATION_SECONDS = 15 * 60

export interface BeginAuthentication {
  providerId: string
  /** Parameters of the holder's request, of which the provider gets those that it forwards. */
  parameters?: Readonly<Record<string, string | undefined>>
  /** Parameters that the tenant itself wants the provider to get, whether it forwards them or not (D-508). */
  requested?: Readonly<Record<string, string>>
  /** What the caller gets back when the holder returns, such as the id of its session. */
  context?: Json
}

export interface Authentication {
  userId: string
  providerId: string
  /** The issuer. */
  url: string
  subjectId: string
  /** All that the provider said about the holder; the user has only the claims that are persisted. */
  claims: Json
  context: Json
}

/** Of an authorization under way, encrypted. */
interface Content {
  nonce: string
  codeVerifier: string
  redirectUrl: string
  maxAge: number | null
  requestId: string
  clientId: string
  context: Json
}

interface Parts extends Pick<Dependencies, 'database' | 'now' | 'uuid'> {
  sealer: Sealer
  tenants: Pick<Tenants, 'byId'>
  clients: Pick<Clients, 'clientOf'>
  users: Pick<Users, 'saveUser'>
}

const notUnderWay = () =>
  new Refusal('authentication.not_under_way', 'No authentication with this state is under way. Begin again.', [
    { path: 'state', code: 'state', message: 'expected the state of an authentication that began lately, used once' },
  ])

const boundTo = (tenantId: string, id: string) => `${tenantId}/openid/authorizations/${id}`

/** OpenID Connect Core 1.0, section 2: at most 255 characters of ASCII. */
const SUBJECT = /^[\x20-\x7e]{1,255}$/

/** Identifies holders at authentication providers: code flow with PKCE S256, state and nonce, always. */
export function createAuthentication({ database, now, uuid, sealer, tenants, clients, users }: Parts) {
  /** Deletes the row of a state: of two callbacks with one state, the second finds none. */
  const take = (tenantId: string, state: string) =>
    inTenant(database.tenants, tenantId, async (em) => {
      const text = `delete from openid_authorizations where tenant_id = ? and state_digest = ?
        returning id, provider_id, content, expires_at`
      type Row = { id: string; provider_id: string; content: Buffer; expires_at: Date | string }
      const [row] = await em.execute<Row[]>(text, [tenantId, digestOf(state)])
      if (!row || new Date(row.expires_at) <= now()) throw notUnderWay()
      const opened = sealer.open(row.content, boundTo(tenantId, row.id)).toString('utf8')
      return { provider: await findProvider(em, row.provider_id), content: JSON.parse(opened) as Content }
    })

  /** Exchanges the code, and reads the claims. Throws errors of openid-client and of outbound calls. */
  async function identify(
    provider: AuthenticationProvider,
    content: Content,
    parameters: URLSearchParams,
    state: string,
  ) {
    const { nonce, codeVerifier, maxAge, redirectUrl } = content
    const client = await clients.clientOf(provider)
    const tokens = await openid.authorizationCodeGrant(client, new URL(`${redirectUrl}?${parameters}`), {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: codeVerifier,
      idTokenExpected: true,
      ...(maxAge !== null && { maxAge }),
    })
    const idToken = tokens.claims()
    if (!idToken || !SUBJECT.test(idToken.sub))
      throw new Refusal('authentication.invalid_answer', 'The provider did not name the holder by a valid sub.')
    const hasUserInfo = client.serverMetadata().userinfo_endpoint !== undefined
    const userInfo = hasUserInfo ? await openid.fetchUserInfo(client, tokens.access_token, idToken.sub) : {}
    const claims = claimsAbout(idToken, userInfo)
    leavesOf(claims) // they are neither too many nor too deep
    return { subjectId: idToken.sub, claims }
  }

  return {
    /**
     * Returns the URL to send the holder to. Throws `authentication_provider.not_found`,
     * `authentication.invalid_parameter`, and what keeps the provider's metadata from being read.
     */
    async beginAuthentication(call: Omit<Call, 'idempotency'>, begin: BeginAuthentication): Promise<{ url: string }> {
      const { tenantId, requestId, clientId } = call
      const provider = await inTenant(database.tenants, tenantId, (em) => findProvider(em, begin.providerId))
      const { requested = {} } = begin
      const forwardedParameters = [...new Set([...provider.forwardedParameters, ...Object.keys(requested)])]
      const { staticParameters } = provider
      const parameters = parametersOf({ forwardedParameters, staticParameters }, { ...begin.parameters, ...requested })
      const client = await clients.clientOf(provider).catch((error: unknown) => {
        throw authenticationFault(error)
      })
      const redirectUrl = redirectUrlOf(await tenants.byId(tenantId))
      const [state, nonce, codeVerifier] = [openid.randomState(), openid.randomNonce(), openid.randomPKCECodeVerifier()]
      const url = openid.buildAuthorizationUrl(client, {
        ...parameters,
        scope: provider.scope.join(' '),
        redirect_uri: redirectUrl,
        state,
        nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      })
      const maxAge = parameters.max_age === undefined ? null : Number(parameters.max_age)
      const { context = {} } = begin
      const content: Content = { nonce, codeVerifier, redirectUrl, maxAge, requestId, clientId, context }
      const id = uuid()
      const at = now()
      await inTenant(database.tenants, tenantId, async (em) => {
        em.create(OpenIdAuthorization, {
          id,
          tenantId,
          providerId: provider.id,
          stateDigest: digestOf(state),
          content: sealer.seal(Buffer.from(JSON.stringify(content)), boundTo(tenantId, id)),
          expiresAt: new Date(at.getTime() + AUTHORIZATION_SECONDS * 1000),
          createdAt: at,
        })
      })
      return { url: url.href }
    },

    /**
     * Takes what the provider's redirect brought: identifies the holder, and creates or updates the user. A state works
     * once, whatever becomes of it. `accept` sees the context before the code is exchanged, and may refuse. Throws `authentication.not_under_way`, `authentication.refused`,
     * `authentication.invalid_answer`, `authentication.claims_too_large`, `Unavailable('outbound')`.
     */
    async finishAuthentication(
      tenantId: string,
      parameters: URLSearchParams,
      accept: (context: Json) => Promise<void> = async () => undefined,
    ): Promise<Authentication> {
      const [state, ...others] = parameters.getAll('state')
      if (!state || others.length > 0) throw notUnderWay()
      const { provider, content } = await take(tenantId, state)
      const { requestId, clientId, context } = content
      const { id: providerId, url } = provider
      const entry = { tenantId, requestId, clientId, ...AUTHENTICATION_ENTRY }
      try {
        await accept(context)
        const identified = await identify(provider, content, parameters, state)
        const userId = await inTenant(database.tenants, tenantId, async (em) => {
          const saved = await users.saveUser(em, provider, identified)
          addLogEntry(em, { now, uuid }, { ...entry, outcome: 'SUCCESS', metadata: { id: saved, providerId } })
          return saved
        })
        return { userId, providerId, url, ...identified, context }
      } catch (error) {
        const fault = authenticationFault(error)
        const code = fault instanceof Refusal ? fault.code : 'unavailable'
        await inTenant(database.tenants, tenantId, async (em) => {
          addLogEntry(em, { now, uuid }, { ...entry, outcome: 'FAIL', metadata: { providerId, code } })
        })
        throw fault
      }
    },
  }
}

export type AuthenticationVerbs = ReturnType<typeof createAuthentication>
