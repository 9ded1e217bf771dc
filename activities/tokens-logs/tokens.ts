import { createLocalJWKSet, errors, type JWTPayload, jwtVerify } from 'jose'
import { LRUCache } from 'lru-cache'
import { Refusal } from '../../protocol/errors.ts'
import { parseCompactJws, signCompactJws } from '../../protocol/jws.ts'
import { parseScopes, type Scope } from '../../protocol/tokens-logs/index.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Client } from './clients.ts'
import { createTokenKeys, type TokenKeys } from './keys.ts'
import { createStanding, type SessionScopes } from './standing.ts'

export interface TokenRequest {
  /** Undefined when no client was authenticated. */
  client: Client | undefined
  grantType: string
  scope?: string | null
}

/** A person's session, whose token is wanted. */
export interface SessionTokenRequest {
  accountId: string
  sessionId: string
  tenantId: string
  scopes: readonly Scope[]
}

/** Tokens of sessions are short, because they are in a browser's memory (D-628). */
const SESSION_TOKEN_SECONDS = 600

export interface Caller {
  tenantId: string
  /** The client, or the account of a person. */
  clientId: string
  /** Of a person who has logged in. */
  sessionId?: string
  scopes: readonly Scope[]
  /** Seconds since 1970 at which the token ends. */
  expires: number
}

const holds = ({ keySet }: TokenKeys, kid: string | undefined) => keySet.keys.some((key) => key.kid === kid)

/**
 * Access tokens: signed JWTs (RFC 9068) under an EdDSA key of the key store, by the client credentials grant of OAuth
 * 2.0 (RFC 6749 section 4.4).
 */
export function createTokens({
  systemSql,
  keys,
  config,
  now,
  uuid,
  sessionScopes,
}: Pick<Dependencies, 'systemSql' | 'keys' | 'config' | 'now' | 'uuid'> & { sessionScopes: SessionScopes }) {
  const issuer = config.publicUrl.origin
  const verifiedTokens = new LRUCache<string, { caller: Caller; kid: string | undefined }>({ max: 10_000 })
  const tokenKeys = createTokenKeys({ systemSql, now })
  const standing = createStanding({ systemSql, now, sessionScopes })

  const refuse = (message: string) => new Refusal('token.invalid', message)

  async function issue(
    expiresIn: number,
    who: { sub: string; client_id: string; tenant_id: string; sid?: string },
    scopes: readonly Scope[],
  ) {
    const issuedAt = Math.floor(now().getTime() / 1000)
    const times = { iat: issuedAt, exp: issuedAt + expiresIn }
    const claims = { iss: issuer, aud: issuer, ...who, scope: scopes.join(' '), ...times, jti: uuid() }
    const accessToken = await tokenKeys.signWith(({ signing, kid }) =>
      signCompactJws({ alg: 'EdDSA', typ: 'at+jwt', kid }, claims, (data) => keys.sign(signing, data)),
    )
    return { accessToken, expiresIn, scopes: [...scopes] }
  }

  return {
    /** The JWK set of the token keys (RFC 7517), newest first. */
    keySet: async () => (await tokenKeys.current()).keySet,

    /**
     * Throws `Refusal('token.unsupported_grant' | 'token.invalid_client' | 'token.invalid_scope')`,
     * `Unavailable('keys')`.
     */
    async issueToken({
      client,
      grantType,
      scope,
    }: TokenRequest): Promise<{ accessToken: string; expiresIn: number; scopes: Scope[] }> {
      if (grantType !== 'client_credentials')
        throw new Refusal('token.unsupported_grant', 'grantType must be client_credentials.', [
          { path: 'grantType', code: 'enum', message: 'expected client_credentials' },
        ])
      if (!client) throw new Refusal('token.invalid_client', 'The client id or the client secret is wrong.')
      const requestedScopes = scope ? parseScopes(scope) : client.scopes
      if (!requestedScopes?.every((one) => client.scopes.includes(one)))
        throw new Refusal('token.invalid_scope', 'The request asks for a scope that the client does not have.', [
          { path: 'scope', code: 'scope', message: `expected one or more of: ${client.scopes.join(' ')}` },
        ])
      const who = { sub: client.id, client_id: client.id, tenant_id: client.tenantId }
      return issue(config.accessTokenLifetimeSeconds, who, requestedScopes)
    },

    /** A person's token. Throws `Unavailable('keys')`. */
    issueSessionToken({ accountId, sessionId, tenantId, scopes }: SessionTokenRequest) {
      const who = { sub: accountId, client_id: 'countersign', tenant_id: tenantId, sid: sessionId }
      return issue(Math.min(config.accessTokenLifetimeSeconds, SESSION_TOKEN_SECONDS), who, scopes)
    },

    /**
     * Returns the caller of a bearer token. Throws `Refusal('token.invalid')`, which says only what is wrong with the
     * token.
     */
    async verifyToken(token: string): Promise<Caller> {
      const seconds = Math.floor(now().getTime() / 1000)
      const cached = verifiedTokens.get(token)
      if (cached && cached.caller.expires > seconds && holds(await tokenKeys.current(), cached.kid))
        return standing.assertStands(cached.caller)
      if (token.length > 8_192) throw refuse('The access token is too long.')
      const parsed = parseCompactJws(token)
      if (!parsed) throw refuse('The access token was not issued by this platform, or was altered.')
      const kid = typeof parsed.header.kid === 'string' ? parsed.header.kid : undefined
      const { keySet } = await tokenKeys.withKey(kid)
      const { payload } = await jwtVerify<JWTPayload & { tenant_id?: string; scope?: string; sid?: string }>(
        token,
        createLocalJWKSet(keySet),
        { issuer, audience: issuer, algorithms: ['EdDSA'], typ: 'at+jwt', currentDate: now() },
      ).catch((error: unknown) => {
        throw error instanceof errors.JWTExpired
          ? refuse('The access token has expired: request a new one.')
          : refuse('The access token was not issued by this platform, or was altered.')
      })
      const scopes = parseScopes(payload.scope ?? '')
      if (!payload.tenant_id || !payload.sub || !scopes || !payload.exp)
        throw refuse('The access token lacks a required claim.')
      const { tenant_id: tenantId, sub: clientId, sid: sessionId, exp: expires } = payload
      const caller = { tenantId, clientId, scopes, expires, ...(sessionId !== undefined && { sessionId }) }
      verifiedTokens.set(token, { caller, kid })
      return standing.assertStands(caller)
    },
  }
}

export type Tokens = ReturnType<typeof createTokens>
