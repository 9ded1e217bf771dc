import type { Request, RequestHandler } from 'express'
import type { Call } from '../../activities/frame/operations.ts'
import type { Platform } from '../../activities/index.ts'
import type { Caller, Tokens } from '../../activities/tokens-logs/tokens.ts'
import { Refusal } from '../../protocol/errors.ts'
import type { Scope } from '../../protocol/tokens-logs/index.ts'
import { claimKey } from './idempotency.ts'
import { usesBasic } from './limits/tokens.ts'

const REALM = 'Bearer realm="countersign"'

/** Reads the bearer token (RFC 6750 section 2.1), if there is one; the operation decides whether it needs one. */
export const readBearer =
  (tokens: Pick<Tokens, 'verifyToken'>): RequestHandler =>
  async (request, response, next) => {
    const { authorization } = request.headers
    if (authorization === undefined || usesBasic(request) || request.isOfWallet) return next()
    const token = /^Bearer +([\w.~+/=-]+)$/i.exec(authorization)?.[1]
    try {
      if (!token)
        throw new Refusal(
          'token.invalid',
          'The Authorization header has no bearer token. Send Authorization: Bearer <token>.',
        )
      request.caller = await tokens.verifyToken(token)
      next()
    } catch (error) {
      if (!(error instanceof Refusal)) return next(error)
      response.set('WWW-Authenticate', `${REALM}, error="invalid_token"`)
      request.refused = error
      next()
    }
  }

/** Refuses a request with an invalid token after it was counted: guesses count towards the rate limit. */
export const refuseBadBearer: RequestHandler = (request, _response, next) => next(request.refused)

/** Operators may do with every organization what people may do with theirs; own accounts need a session besides. */
const ofOperators = (scope: string): Scope => scope.replace(/^accounts:/, 'platform:') as Scope

/**
 * Returns the caller of an operation with @Security (tsoa calls it by this name); `vcApi` is the scheme that a variable
 * may open for everybody. Throws `Refusal` for 401 and 403.
 */
export async function expressAuthentication(request: Request, name: string, scopes: string[] = []): Promise<Call> {
  const { res } = request
  const platform = request.app.locals.platform as Platform
  // a proxy on this machine has a loopback address too, and speaks for anybody
  const open = name === 'vcApi' && request.headers.authorization === undefined && !request.forwarded
  const caller = open ? await platform.vcApi.openCaller(request.headers.host ?? '') : request.caller
  if (!caller) {
    res?.set('WWW-Authenticate', REALM)
    throw new Refusal(
      'token.missing',
      'An access token is required. Get one from POST /v1/auth/token and send it as Authorization: Bearer <token>.',
    )
  }
  const holds = (scope: Scope) => caller.scopes.includes(scope)
  const missing = scopes.filter((scope) => !holds(scope as Scope) && !holds(ofOperators(scope)))
  if (missing.length > 0) {
    res?.set('WWW-Authenticate', `${REALM}, error="insufficient_scope", scope="${scopes.join(' ')}"`)
    throw new Refusal('token.insufficient_scope', `The access token does not have the scope ${missing.join(' ')}.`)
  }
  if (name === 'vcApi') await platform.vcApi.assertOn(caller.tenantId)
  if (open && res) Object.assign(res.locals, { tenantId: caller.tenantId, clientId: caller.clientId })
  const requestId = res?.locals.requestId as string
  await claimKey(request, platform.idempotency, caller)
  const { idempotency } = request
  const { tenantId, clientId, sessionId } = caller
  return { tenantId, clientId, requestId, ...(sessionId && { sessionId }), ...(idempotency && { idempotency }) }
}

/** The request as controllers see it: with its caller, who is authorised already. */
export interface Called {
  user: Call
  /** What the access token says. */
  caller?: Caller
  /** The file of a form. */
  sentFile?: Uint8Array
  /** What the operation adds to the log entry that the API writes for it. No personal data. */
  noted?: Noted
}

export interface Noted {
  /** Objects that the path does not name by their UUIDs. */
  objectIds?: string[]
  /** UUID of a credential that the caller sent, and a digest of its text (activities/frame/log-queue.ts). */
  presentedId?: string
  presentedDigest?: string
  /** The verdict of a verification, with the code of the first check that failed. */
  verified?: boolean
  reason?: string | null
}
