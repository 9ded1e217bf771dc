import { createLocalJWKSet, errors, type JWTPayload, jwtVerify } from 'jose'
import { LRUCache } from 'lru-cache'
import { Refusal } from '../../protocol/errors.ts'
import { parseCompactJws, signCompactJws } from '../../protocol/jws.ts'
import { parseScopes, type Scope } from '../../protocol/tokens-logs/index.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Client } from './clients.ts'
import { createTokenKeys, type TokenKeys } from './keys.ts'

export interface TokenRequest {
  /** Undefined when no client was authenticated. */
  client: Client | undefined
  grantType: string
  scope?: string | null
}

export interface Caller {
  tenantId: string
  clientId: string
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
}: Pick<Dependencies, 'systemSql' | 'keys' | 'config' | 'now' | 'uuid'>) {
  const issuer = config.publicUrl.origin
  const verifiedTokens = new LRUCache<string, { caller: Caller; kid: string | undefined }>({ max: 10_000 })
  const tokenKeys = createTokenKeys({ systemSql, now })

  const refuse = (message: string) => new Refusal('token.invalid', message)

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
      const issuedAt = Math.floor(now().getTime() / 1000)
      const expiresIn = config.accessTokenLifetimeSeconds
      const claims = {
        iss: issuer,
        aud: issuer,
        sub: client.id,
        client_id: client.id,
        tenant_id: client.tenantId,
        scope: requestedScopes.join(' '),
        iat: issuedAt,
        exp: issuedAt + expiresIn,
        jti: uuid(),
      }
      const sign = ({ signing, kid }: TokenKeys): Promise<string> =>
        signCompactJws({ alg: 'EdDSA', typ: 'at+jwt', kid }, claims, (data) => keys.sign(signing, data))
      const accessToken = await sign(await tokenKeys.current()).catch(async (error: unknown) => {
        if (!(error instanceof Refusal && error.code === 'key.not_found')) throw error
        return sign(await tokenKeys.reload()) // it was replaced a moment ago
      })
      return { accessToken, expiresIn, scopes: [...requestedScopes] }
    },

    /**
     * Returns the caller of a bearer token. Throws `Refusal('token.invalid')`, which says only what is wrong with the
     * token.
     */
    async verifyToken(token: string): Promise<Caller> {
      const seconds = Math.floor(now().getTime() / 1000)
      const cached = verifiedTokens.get(token)
      if (cached && cached.caller.expires > seconds && holds(await tokenKeys.current(), cached.kid))
        return cached.caller
      if (token.length > 8_192) throw refuse('The access token is too long.')
      const parsed = parseCompactJws(token)
      if (!parsed) throw refuse('The access token was not issued by this platform, or was altered.')
      const kid = typeof parsed.header.kid === 'string' ? parsed.header.kid : undefined
      const { keySet } = await tokenKeys.withKey(kid)
      const { payload } = await jwtVerify<JWTPayload & { tenant_id?: string; scope?: string }>(
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
      const caller = { tenantId: payload.tenant_id, clientId: payload.sub, scopes, expires: payload.exp }
      verifiedTokens.set(token, { caller, kid })
      return caller
    },
  }
}

export type Tokens = ReturnType<typeof createTokens>
