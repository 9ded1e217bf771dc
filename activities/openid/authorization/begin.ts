import { OpenIdWalletLogin } from '../../../entities/openid/wallets.ts'
import { inTenant } from '../../../entities/orm.ts'
import type { Json } from '../../../protocol/json.ts'
import { isTrusted } from '../../../protocol/openid/oid4vci/authorization/redirects.ts'
import {
  parametersOfBody,
  readClientId,
  readState,
  readTarget,
  readWalletRequest,
  requestUriOf,
  secretOfRequestUri,
} from '../../../protocol/openid/oid4vci/authorization/requests.ts'
import type { LoginContent, Target, WalletPolicy } from '../../../protocol/openid/oid4vci/authorization/types.ts'
import { refuseMember, walletRefusal } from '../../../protocol/openid/oid4vci/refusals.ts'
import type { Dependencies } from '../../dependencies.ts'
import { PLATFORM } from '../../frame/log-entries.ts'
import type { Sealer } from '../../frame/sealing.ts'
import { digestOf, newSecret } from '../../frame/secrets.ts'
import { AUTHORIZATION_SECONDS, type AuthenticationVerbs } from '../providers/authentication.ts'
import { lockSession, openContent } from '../sessions/records.ts'
import { type Answer, answerOf, codeOf } from './answers.ts'
import type { WalletCall, WalletClients } from './clients.ts'
import type { FailedLogins } from './failed.ts'
import type { Grants } from './granted.ts'
import { policyIn } from './policy.ts'
import { addLoginStep, browserDigest, cookieOf, openLogin, sealLogin } from './records.ts'
import { walletOf } from './wallets.ts'

/** For so long a request_uri can be opened (RFC 9126, section 2.2). */
export const PUSHED_SECONDS = 90

type Parameters = Readonly<Record<string, string>>

export interface BrowserCall {
  tenantId: string
  issuer: string
  requestId: string
}

interface Parts extends Pick<Dependencies, 'database' | 'now' | 'uuid'> {
  sealer: Sealer
  authentication: Pick<AuthenticationVerbs, 'beginAuthentication'>
  walletClients: Pick<WalletClients, 'identify'>
  grants: Grants
  fail: FailedLogins['fail']
}

const untrusted = () =>
  refuseMember(
    'invalid_request',
    'redirect_uri',
    'redirect_uri',
    'expected an address that the wallet has registered; of a wallet that is not registered, one of its provider’s list, http://127.0.0.1 or http://[::1], or a scheme that is a domain name in reverse',
  )

/** From the request of a wallet to the authentication provider. */
export function createLogins(parts: Parts) {
  const { database, now, uuid, sealer, authentication, walletClients, grants, fail } = parts
  const later = (seconds: number) => new Date(now().getTime() + seconds * 1000)

  /**
   * Client and address of a request, once the address is trusted; the state only where it can be repeated. `isVouched`: whether
   * the provider that attests the wallet has an address on its list.
   */
  async function trusted(
    tenantId: string,
    parameters: Parameters,
    { isPushed, isAttested, isVouched }: { isPushed: boolean; isAttested: boolean; isVouched(uri: string): boolean },
  ) {
    const target = readTarget(parameters)
    const { wallet, policy } = await inTenant(database.tenants, tenantId, async (em) => ({
      wallet: await walletOf(em, target.clientId),
      policy: await policyIn(em),
    }))
    // never any that the request names: whoever has a genuine wallet could have codes of others sent to a website (D-1051)
    const isNamed = !wallet && isVouched(target.redirectUri)
    if (!isNamed && !isTrusted(target.redirectUri, wallet?.redirectUris)) {
      // an address that nobody vouched for may be right, and not pushed
      if (!isPushed) checkClient(policy, Boolean(wallet?.jwks), isPushed, isAttested)
      throw untrusted()
    }
    return { target: { ...target, ...readState(parameters) }, wallet, policy, isNamed }
  }

  /**
   * A pushed request. It can be opened until somebody has logged in with it: browsers load a page anew, and look at links
   * before a person does (FAPI 2.0 Security Profile, section 5.3.2.2).
   */
  async function pushed(tenantId: string, parameters: Parameters): Promise<LoginContent> {
    const clientId = readClientId(parameters)
    const secret = secretOfRequestUri(parameters.request_uri ?? '')
    const content = await inTenant(database.tenants, tenantId, async (em) => {
      const digest = digestOf(secret ?? '')
      const row = await em.findOne(OpenIdWalletLogin, { requestDigest: digest, state: 'PUSHED' })
      if (!row || row.createdAt.getTime() + PUSHED_SECONDS * 1000 <= now().getTime()) return undefined
      return { ...openLogin(sealer, row), pushedId: row.id }
    })
    if (content?.clientId === clientId) return content
    throw walletRefusal('invalid_request_uri', 'The request_uri is unknown, of another wallet, used, or has ended.')
  }

  /** Notes the login, and returns where the holder logs in. */
  async function begin({ tenantId, issuer, requestId }: BrowserCall, request: LoginContent, policy: WalletPolicy) {
    const [id, secret] = [uuid(), newSecret()]
    const browser = browserDigest(secret)
    const found = await inTenant(database.tenants, tenantId, async (em) => {
      const { session, granted, providerId } = await grants.grantOf(em, request, policy, now())
      const content: LoginContent = { ...request, granted, providerId, browser }
      const at = now()
      em.create(OpenIdWalletLogin, {
        ...{ id, tenantId, sessionId: session?.id ?? null, state: 'LOGIN' },
        content: sealLogin(sealer, { id, tenantId }, content),
        expiresAt: later(AUTHORIZATION_SECONDS),
        createdAt: at,
        updatedAt: at,
      })
      const locked = session && (await lockSession(em, session.id))
      if (locked) addLoginStep(locked, at, { step: 'LOGIN_BEGUN' })
      const { parameters: requested = {} } = (locked && openContent(sealer, locked)) ?? {}
      return { providerId, requested, clientId: locked?.clientId ?? PLATFORM, sessionId: locked?.id }
    })
    const call = { tenantId, requestId, clientId: found.clientId }
    const begun = {
      providerId: found.providerId,
      parameters: request.parameters,
      requested: found.requested,
      context: { loginId: id, browser },
    }
    const { url } = await authentication.beginAuthentication(call, begun).catch(async (error: unknown) => {
      await fail(tenantId, id, codeOf(error))
      throw error
    })
    const cookie = cookieOf(issuer, id, secret, AUTHORIZATION_SECONDS)
    return { location: url, cookie, ...(found.sessionId && { sessionId: found.sessionId }) }
  }

  /** The profile has wallets name credentials by scope alone (HAIP 1.0, section 4.3). */
  function checkProfile({ profile }: WalletPolicy, { configurationIds }: LoginContent): void {
    if (profile === 'haip' && configurationIds)
      throw refuseMember('invalid_request', 'authorization_details', 'unexpected', 'expected scope: the profile has it')
  }

  /** `isKnown`: it has keys of its own, by which it will authenticate, or its provider has vouched for it already. */
  function checkClient(policy: WalletPolicy, isKnown: boolean, isPushed: boolean, isAttested: boolean): void {
    if (policy.requiresWalletAttestation && !isAttested)
      throw walletRefusal(
        'unauthorized_client',
        'The issuer gives credentials to wallets that push their requests with an attestation only.',
      )
    if (policy.requiresClientAuthentication && !isKnown && !isAttested)
      throw walletRefusal(
        'unauthorized_client',
        'The issuer gives credentials to wallets with registered keys, or with an attestation, only.',
      )
    if (policy.requiresPar && !isPushed)
      throw refuseMember(
        'invalid_request',
        'request_uri',
        'required',
        'expected a pushed request: the issuer requires it',
      )
  }

  return {
    /**
     * Keeps the request of a wallet for a short time (RFC 9126). Throws the errors of the authorization endpoint, and
     * `wallet.invalid_client`, `wallet.invalid_dpop_proof`, `wallet.use_dpop_nonce`.
     */
    async pushRequest(call: WalletCall, body: Json): Promise<{ requestUri: string; expiresIn: number }> {
      const { tenantId } = call
      const client = await walletClients.identify(call, body, 'code')
      const parameters: Parameters = {
        ...parametersOfBody(body),
        ...(client.clientId !== undefined && { client_id: client.clientId }),
      }
      if (parameters.request_uri !== undefined)
        throw refuseMember('invalid_request', 'request_uri', 'unexpected', 'expected the parameters themselves')
      const { isAttested, vouchedUris, instanceJkt } = client
      const isVouched = (uri: string) => vouchedUris.length > 0 && isTrusted(uri, vouchedUris)
      const settled = await trusted(tenantId, parameters, { isPushed: true, isAttested, isVouched })
      const { target, wallet, policy, isNamed } = settled
      const request = readWalletRequest(parameters, target)
      checkProfile(policy, request)
      checkClient(policy, Boolean(wallet?.jwks), true, isAttested)
      const { jkt } = client
      if (jkt !== undefined && request.dpopJkt !== undefined && jkt !== request.dpopJkt)
        throw refuseMember('invalid_request', 'dpop_jkt', 'dpop_jkt', 'expected the key of the DPoP proof')
      const dpopJkt = request.dpopJkt ?? jkt
      const content: LoginContent = {
        ...request,
        ...(dpopJkt !== undefined && { dpopJkt }),
        ...(isAttested && { isAttested }),
        ...(instanceJkt !== undefined && { instanceJkt }),
        ...(isNamed && { isNamed }),
      }
      const [id, secret] = [uuid(), newSecret()]
      const at = now()
      await inTenant(database.tenants, tenantId, async (em) => {
        await grants.grantOf(em, content, policy, at)
        em.create(OpenIdWalletLogin, {
          ...{ id, tenantId, state: 'PUSHED', requestDigest: digestOf(secret) },
          content: sealLogin(sealer, { id, tenantId }, content),
          // as long as a login with it can be under way
          expiresAt: later(PUSHED_SECONDS + AUTHORIZATION_SECONDS),
          createdAt: at,
          updatedAt: at,
        })
      })
      return { requestUri: requestUriOf(secret), expiresIn: PUSHED_SECONDS }
    },

    /**
     * Returns where the browser goes: to the authentication provider, or back to the wallet with an error. Throws what the
     * wallet is not told, because its address is not trusted.
     */
    async beginLogin(call: BrowserCall, parameters: Parameters): Promise<Answer> {
      const { tenantId, issuer } = call
      const isPushed = parameters.request_uri !== undefined
      const kept = isPushed ? await pushed(tenantId, parameters) : undefined
      const target: Target | undefined = kept
      const asked = kept ? { client_id: kept.clientId, redirect_uri: kept.redirectUri } : parameters
      const isAttested = kept?.isAttested ?? false
      // the address of a pushed request was on the list then
      const isVouched = () => kept?.isNamed ?? false
      const settled = await trusted(tenantId, asked, { isPushed, isAttested, isVouched })
      return answerOf(issuer, target ?? settled.target, async () => {
        checkClient(settled.policy, Boolean(settled.wallet?.jwks), isPushed, isAttested)
        return begin(call, kept ?? readWalletRequest(parameters, settled.target), settled.policy)
      })
    },
  }
}

export type Logins = ReturnType<typeof createLogins>
