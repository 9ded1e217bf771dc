import { type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { Refusal } from '../errors.ts'
import { isObject, type Json } from '../json.ts'

/** Types of the two tokens (RFC 8725, section 3.11): neither is taken for the other one, though one secret signs both. */
export const QUESTION_TYPE = 'interaction+jwt'
export const ANSWER_TYPE = 'interaction-answer+jwt'

/** Used in place of 0, and the longest that counts. */
const DEFAULT_SECONDS = 20 * 60
const MAX_SECONDS = 24 * 60 * 60

/** Seconds that a holder has at the hook (D-455). */
export const timeoutOf = (sessionTimeoutSeconds: number): number =>
  sessionTimeoutSeconds === 0 ? DEFAULT_SECONDS : Math.min(sessionTimeoutSeconds, MAX_SECONDS)

export interface Interaction {
  /** Base address of the tenant, and URL of the hook. */
  platform: string
  hook: string
  /** 32 bytes. */
  secret: Uint8Array
  /** Id of the session that waits for the answer. */
  sessionId: string
}

export interface InteractionQuestion extends Interaction {
  userId: string
  claims: Json
  /** Where the hook sends the holder back to. */
  redirectUrl: string
  timeoutSeconds: number
  now: Date
}

const seconds = (date: Date) => Math.floor(date.getTime() / 1000)

/** Returns the JWT that the hook gets, signed by HMAC-SHA-256 with the secret of the configuration. */
export const signQuestion = (question: InteractionQuestion): Promise<string> => {
  const { platform, hook, secret, sessionId, userId, claims, redirectUrl, timeoutSeconds, now } = question
  const iat = seconds(now)
  return new SignJWT({ claims, redirect_url: redirectUrl })
    .setProtectedHeader({ alg: 'HS256', typ: QUESTION_TYPE })
    .setIssuer(platform)
    .setAudience(hook)
    .setSubject(userId)
    .setJti(sessionId)
    .setIssuedAt(iat)
    .setExpirationTime(iat + timeoutSeconds)
    .sign(secret)
}

export interface InteractionAnswer {
  /** Claims that the hook found out, or replaced. */
  claims: Json
}

const refuse = (code: string, message: string, cause?: unknown): Refusal =>
  new Refusal(
    'interaction.invalid_answer',
    'The answer of the interaction hook is not valid; see errors.',
    [{ path: 'session_token', code, message }],
    { cause },
  )

const MAX_TOKEN = 64 * 1024
/** Life of an answer: the holder's browser brings it at once. */
const MAX_ANSWER_SECONDS = 10 * 60

async function verified(
  token: string,
  { platform, hook, secret, sessionId }: Interaction,
  now: Date,
  toleranceMs: number,
) {
  try {
    const { payload } = await jwtVerify(token, secret, {
      algorithms: ['HS256'],
      typ: ANSWER_TYPE,
      issuer: hook,
      audience: platform,
      requiredClaims: ['iat', 'exp', 'jti'],
      maxTokenAge: MAX_ANSWER_SECONDS,
      clockTolerance: toleranceMs / 1000,
      currentDate: now,
    })
    return payload
  } catch (error) {
    const code = error instanceof Error && 'claim' in error ? String(error.claim).slice(0, 20) : 'jwt'
    throw refuse(
      code,
      `expected a JWT of the type ${ANSWER_TYPE}, HS256, from ${hook} for ${platform}, for session ${sessionId}`,
      error,
    )
  }
}

/**
 * Reads the JWT that the hook answers with. Throws `Refusal('interaction.invalid_answer')` for one that is not signed
 * with the secret, not of the hook, for another session, or too old.
 */
export async function readAnswer(
  token: string,
  interaction: Interaction,
  { now, toleranceMs }: { now: Date; toleranceMs: number },
): Promise<InteractionAnswer> {
  if (token.length > MAX_TOKEN) throw refuse('length', `expected at most ${MAX_TOKEN} characters`)
  const { jti, claims = {} }: JWTPayload = await verified(token, interaction, now, toleranceMs)
  if (jti !== interaction.sessionId) throw refuse('jti', 'expected the jti of the JWT that the hook got')
  if (!isObject(claims)) throw refuse('claims', 'expected an object')
  return { claims }
}
