import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { decodeJwt } from 'jose'
import { AuthenticationProvider } from '../../../entities/openid/providers.ts'
import type { OpenIdSession } from '../../../entities/openid/sessions.ts'
import { OpenIdWalletLogin } from '../../../entities/openid/wallets.ts'
import { inTenant } from '../../../entities/orm.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { leavesOf, listed } from '../../../protocol/openid/claims.ts'
import { answerAt } from '../../../protocol/openid/oid4vci/authorization/redirects.ts'
import type { LoggedIn, LoginContent, LoginState } from '../../../protocol/openid/oid4vci/authorization/types.ts'
import { walletRefusal } from '../../../protocol/openid/oid4vci/refusals.ts'
import { isUuid } from '../../../protocol/uuid.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Sealer } from '../../frame/sealing.ts'
import { digestOf, newSecret } from '../../frame/secrets.ts'
import type { HookConfiguration } from '../configuration.ts'
import type { Authentication, AuthenticationVerbs } from '../providers/authentication.ts'
import { lockSession, openContent, sealContent } from '../sessions/records.ts'
import { holdUser } from '../users/erase.ts'
import { type Answer, refusalAt } from './answers.ts'
import type { BrowserCall } from './begin.ts'
import type { FailedLogins } from './failed.ts'
import {
  addLoginStep,
  cookieName,
  cookieOf,
  isBrowser,
  lockLogin,
  openLogin,
  otherBrowser,
  sealLogin,
} from './records.ts'
import type { SelfBegun } from './self-begun.ts'

/** Life of a code (RFC 6749, section 4.1.2: at most ten minutes). */
export const CODE_SECONDS = 60
/** Between the answer of the hook and the return of the browser. */
const RETURN_SECONDS = 300

/** Where the hook sends the holder back to. */
export const interactionUrl = (issuer: string): string => `${issuer}/v1/oauth/interaction`

/** The browser goes to the hook, with a form that it posts. */
export interface HookForm {
  form: { action: string; token: string }
  cookie: Answer['cookie']
  sessionId: string
}

type Cookies = (name: string) => string | undefined

interface Parts extends Pick<Dependencies, 'database' | 'now'> {
  sealer: Sealer
  authentication: Pick<AuthenticationVerbs, 'finishAuthentication'>
  openIdConfiguration: Pick<HookConfiguration, 'hasHook' | 'askHook' | 'readHookAnswer'>
  selfBegun: SelfBegun
  fail: FailedLogins['fail']
  wake(tenantId: string, sessionId: string): Promise<void>
}

const gone = () => walletRefusal('access_denied', 'The offer has ended, or another wallet has taken it.')

const notUnderWay = () =>
  new Refusal('authentication.not_under_way', 'No such login is under way: it has ended, or was used. Begin again.')

interface Found {
  row: OpenIdWalletLogin
  content: LoginContent
}

/** From the authentication provider and the hook to the code. */
export function createLoginEnds(parts: Parts) {
  const { database, now, sealer, authentication, openIdConfiguration, selfBegun, fail, wake } = parts
  const later = (seconds: number) => new Date(now().getTime() + seconds * 1000)

  /** The login in a state, locked. Throws `authentication.not_under_way`. */
  async function locked(em: SqlEntityManager, id: string, state: LoginState): Promise<Found> {
    const row = isUuid(id) ? await lockLogin(em, id) : null
    if (row?.state !== state || row.expiresAt <= now()) throw notUnderWay()
    return { row, content: openLogin(sealer, row) }
  }

  /** The login of a browser. Throws `authentication.not_under_way`, `authentication.other_browser`. */
  async function ofBrowser({ tenantId, issuer }: BrowserCall, id: string, state: LoginState, cookies: Cookies) {
    const { content } = await inTenant(database.tenants, tenantId, (em) => locked(em, id, state))
    if (!isBrowser(content.browser, cookies(cookieName(issuer, id)))) throw otherBrowser()
    return content
  }

  /** The session of a login, locked, while it can still give something. */
  async function openSession(em: SqlEntityManager, { sessionId }: OpenIdWalletLogin): Promise<OpenIdSession> {
    const session = sessionId ? await lockSession(em, sessionId) : null
    if (!session || session.endedAt || session.endsAt <= now() || session.tokenDigest) throw gone()
    return session
  }

  /** The pushed request of a login, which another browser or tab may have used. Throws `wallet.invalid_request_uri`. */
  async function useRequest(em: SqlEntityManager, { pushedId }: LoginContent): Promise<void> {
    if (pushedId === undefined) return
    if ((await em.nativeDelete(OpenIdWalletLogin, { id: pushedId, state: 'PUSHED' })) === 0)
      throw walletRefusal('invalid_request_uri', 'Somebody has logged in with this request_uri already.')
  }

  /** The session does not end while its holder is on the way. */
  const extend = (session: OpenIdSession, until: Date): void => {
    if (session.endsAt < until) session.endsAt = until
  }

  /** Makes the code, which counts in place of an earlier one of the session. */
  function issueCode({ row, content }: Found, session: OpenIdSession, issuer: string, holder: LoggedIn): Answer {
    const code = newSecret()
    const at = now()
    const known = openContent(sealer, session)
    if (!known) throw gone()
    const { holder: _kept, browser: _browser, ...request } = content
    const expiresAt = later(CODE_SECONDS)
    Object.assign(row, {
      state: 'CODE',
      sessionId: session.id,
      codeDigest: digestOf(code),
      userId: null,
      // what the wallet forwarded, such as login_hint, names a person
      content: sealLogin(sealer, row, { ...request, parameters: {} }),
      expiresAt,
      updatedAt: at,
    })
    const { userId } = holder
    Object.assign(session, { loginId: row.id, userId, content: sealContent(sealer, session, { ...known, ...holder }) })
    extend(session, expiresAt)
    addLoginStep(session, at, { step: 'CODE_ISSUED' })
    const { redirectUri, state } = content
    return {
      location: answerAt(redirectUri, { code, state, iss: issuer }),
      cookie: cookieOf(issuer, row.id, '', 0),
      sessionId: session.id,
    }
  }

  /** Does a step of a login; of a failure the wallet is told, and the login has ended. */
  async function step<Result extends object>(
    { tenantId, issuer }: BrowserCall,
    id: string,
    target: LoginContent,
    work: () => Promise<Result>,
  ): Promise<Result | Answer> {
    try {
      return await work()
    } catch (error) {
      const answer = refusalAt(issuer, target, error)
      const sessionId = await fail(tenantId, id, answer.problem ?? '')
      return { ...answer, cookie: cookieOf(issuer, id, '', 0), ...(sessionId && { sessionId }) }
    }
  }

  const holderOf = async (tenantId: string, { providerId, userId, url, subjectId, claims }: Authentication) => {
    const provider = await inTenant(database.tenants, tenantId, (em) =>
      em.findOneOrFail(AuthenticationProvider, { id: providerId }),
    )
    const userClaims = listed(claims, provider.claimsToPersist)
    return { userId, userClaims, authenticationProvider: { subjectId, url } } satisfies LoggedIn
  }

  /** Notes who has logged in, and goes on: to the hook, or back to the wallet with a code. */
  async function proceed(call: BrowserCall, id: string, identified: Authentication): Promise<Answer | HookForm> {
    const { tenantId, issuer } = call
    const holder = await holderOf(tenantId, identified)
    const question = (await openIdConfiguration.hasHook(tenantId))
      ? await openIdConfiguration.askHook(tenantId, {
          sessionId: id,
          userId: identified.userId,
          claims: identified.claims,
          redirectUrl: interactionUrl(issuer),
        })
      : undefined
    const answer = await inTenant(database.tenants, tenantId, async (em): Promise<Answer | HookForm> => {
      if (!(await holdUser(em, holder.userId))) throw gone()
      const found = await locked(em, id, 'LOGIN')
      const { row, content } = found
      await useRequest(em, content)
      row.sessionId ??= await selfBegun.createSession(em, call, content)
      const session = await openSession(em, row)
      const at = now()
      addLoginStep(session, at, { step: 'HOLDER_IDENTIFIED' })
      if (!question) return issueCode(found, session, issuer, holder)
      const expiresAt = later(question.timeoutSeconds)
      const sealed = sealLogin(sealer, row, { ...content, holder })
      Object.assign(row, { state: 'HOOK', userId: holder.userId, content: sealed, expiresAt, updatedAt: at })
      extend(session, later(question.timeoutSeconds + RETURN_SECONDS))
      addLoginStep(session, at, { step: 'HOOK_ASKED' })
      return { form: { action: question.url, token: question.sessionToken }, cookie: undefined, sessionId: session.id }
    })
    if (answer.sessionId) await wake(tenantId, answer.sessionId)
    return answer
  }

  return {
    /**
     * Takes what the redirect of the provider brought. Throws `authentication.not_under_way`,
     * `authentication.other_browser`; of all other refusals the wallet is told.
     */
    async finishLogin(call: BrowserCall, parameters: URLSearchParams, cookies: Cookies): Promise<Answer | HookForm> {
      const { tenantId, issuer } = call
      let begun: { id: string; content: LoginContent } | undefined
      const accept = async ({ loginId }: Record<string, unknown>) => {
        const id = String(loginId)
        begun = { id, content: await ofBrowser(call, id, 'LOGIN', cookies) }
      }
      let identified: Authentication
      try {
        identified = await authentication.finishAuthentication(tenantId, parameters, accept)
      } catch (error) {
        if (!begun) throw error
        const { id, content } = begun
        return step(call, id, content, () => Promise.reject(error))
      }
      if (!begun) throw notUnderWay()
      const { id, content } = begun
      const answer = await step(call, id, content, () => proceed(call, id, identified))
      if (!('form' in answer)) return answer
      const secret = cookies(cookieName(issuer, id)) ?? ''
      const { expiresAt } = await inTenant(database.tenants, tenantId, (em) =>
        em.findOneOrFail(OpenIdWalletLogin, { id }),
      )
      const seconds = Math.ceil((expiresAt.getTime() - now().getTime()) / 1000) + RETURN_SECONDS
      return { ...answer, cookie: cookieOf(issuer, id, secret, seconds) }
    },

    /**
     * Takes the answer of the hook, once, and returns where the browser goes: a post from another site has no cookie of
     * ours, and the redirect that follows it has. Throws `interaction.invalid_answer`, `authentication.claims_too_large`.
     */
    async receiveAnswer({ tenantId, issuer }: BrowserCall, token: string): Promise<Answer> {
      const id = loginIn(token)
      const answer = await openIdConfiguration.readHookAnswer(tenantId, id, token)
      const sessionId = await inTenant(database.tenants, tenantId, async (em) => {
        const { row, content } = await locked(em, id, 'HOOK')
        const session = await openSession(em, row)
        const { holder } = content
        if (!holder) throw notUnderWay()
        const userClaims = { ...holder.userClaims, ...answer.claims }
        leavesOf(userClaims)
        const sealed = sealLogin(sealer, row, { ...content, holder: { ...holder, userClaims } })
        const at = now()
        Object.assign(row, { state: 'ANSWERED', content: sealed, expiresAt: later(RETURN_SECONDS), updatedAt: at })
        addLoginStep(session, at, { step: 'HOOK_ANSWERED' })
        return session.id
      })
      return { location: `${interactionUrl(issuer)}?${new URLSearchParams({ login: id })}`, sessionId }
    },

    /**
     * Gives the wallet its code, once the hook has answered and the browser is the one that began. Throws
     * `authentication.not_under_way`, `authentication.other_browser`.
     */
    async finishInteraction(call: BrowserCall, id: string, cookies: Cookies): Promise<Answer> {
      const { tenantId, issuer } = call
      const content = await ofBrowser(call, id, 'ANSWERED', cookies)
      const answer = await step(call, id, content, () =>
        inTenant(database.tenants, tenantId, async (em) => {
          if (!content.holder || !(await holdUser(em, content.holder.userId))) throw gone()
          const found = await locked(em, id, 'ANSWERED')
          const { holder } = found.content
          if (!holder) throw notUnderWay()
          return issueCode(found, await openSession(em, found.row), issuer, holder)
        }),
      )
      if (answer.sessionId) await wake(tenantId, answer.sessionId)
      return answer
    },
  }
}

/** The login that an answer names, before it is verified. Throws `interaction.invalid_answer`. */
function loginIn(token: string): string {
  const refuse = (cause?: unknown) =>
    new Refusal(
      'interaction.invalid_answer',
      'The answer of the interaction hook is not valid; see errors.',
      [{ path: 'session_token', code: 'jti', message: 'expected a JWT with the jti of the JWT that the hook got' }],
      { cause },
    )
  let jti: unknown
  try {
    jti = decodeJwt(token).jti
  } catch (error) {
    throw refuse(error)
  }
  if (typeof jti !== 'string' || !isUuid(jti)) throw refuse()
  return jti
}

export type LoginEnds = ReturnType<typeof createLoginEnds>
