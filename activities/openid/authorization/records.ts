import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { OpenIdSession } from '../../../entities/openid/sessions.ts'
import { OpenIdWalletLogin } from '../../../entities/openid/wallets.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { LoginContent } from '../../../protocol/openid/oid4vci/authorization/types.ts'
import type { SessionStep } from '../../../protocol/openid/oid4vci/session.ts'
import type { Sealer } from '../../frame/sealing.ts'
import { digestOf, isSame } from '../../frame/secrets.ts'
import { addStep } from '../sessions/records.ts'

type Row = Pick<OpenIdWalletLogin, 'tenantId' | 'id'>

const boundTo = ({ tenantId, id }: Row) => `${tenantId}/openid/logins/${id}`

export const sealLogin = (sealer: Sealer, row: Row, content: LoginContent): Buffer =>
  sealer.seal(Buffer.from(JSON.stringify(content)), boundTo(row))

export const openLogin = (sealer: Sealer, row: OpenIdWalletLogin): LoginContent =>
  JSON.parse(sealer.open(row.content, boundTo(row)).toString('utf8')) as LoginContent

/** The login, locked until the end of the transaction; a session is locked after its login. */
export const lockLogin = (em: SqlEntityManager, id: string): Promise<OpenIdWalletLogin | null> =>
  em.findOne(OpenIdWalletLogin, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })

/** A cookie for each login, so that two tabs do not take one another's. `__Host-`: no other host has set it (RFC 6265bis). */
export const cookieName = (issuer: string, loginId: string): string =>
  `${issuer.startsWith('https:') ? '__Host-' : ''}countersign-login-${loginId}`

export interface Cookie {
  name: string
  /** Empty: it is deleted. */
  value: string
  seconds: number
  secure: boolean
}

export const cookieOf = (issuer: string, loginId: string, value: string, seconds: number): Cookie => ({
  name: cookieName(issuer, loginId),
  value,
  seconds,
  secure: issuer.startsWith('https:'),
})

export const browserDigest = (secret: string): string => digestOf(secret).toString('base64url')

/** Whether a browser is the one that began. */
export function isBrowser(digest: string | undefined, secret: string | undefined): boolean {
  return digest !== undefined && secret !== undefined && isSame(digest, browserDigest(secret))
}

export const otherBrowser = () =>
  new Refusal(
    'authentication.other_browser',
    'This login was begun in another browser, or too long ago. Begin again from the wallet, and allow cookies.',
  )

/** Whoever has the offer may begin many logins: they do not use up the steps of the session. */
const MAX_LOGIN_STEPS = 50

export function addLoginStep(session: OpenIdSession, at: Date, step: Omit<SessionStep, 'at'>): void {
  if (session.steps.length < MAX_LOGIN_STEPS) addStep(session, at, step)
}
