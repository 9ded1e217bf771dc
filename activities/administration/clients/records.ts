import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { OAuth2Client } from '../../../entities/administration/tenants.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { ALL_SCOPES, SCOPES, type Scope } from '../../../protocol/tokens-logs/index.ts'
import { hashClientSecret } from '../../tokens-logs/clients.ts'

export interface ClientRecord {
  /** Also the client id. */
  id: string
  name: string
  description: string
  scopes: string[]
  createdAt: string
  updatedAt: string
  /** Until when the secret before is right as well; null: it is not. */
  formerSecretEndsAt: string | null
}

export interface ClientWithSecret extends ClientRecord {
  /** Shown once, when it is made. */
  clientSecret?: string
}

export const oauth2ClientNotFound = () => new Refusal('oauth_client.not_found', 'There is no such client.')

/** Scopes that no tenant grants: whoever administers a tenant sees no client with one of them, and gives it no secret (D-604). */
export const OPERATORS_OWN: readonly Scope[] = ALL_SCOPES.filter((scope) => !SCOPES.includes(scope))

export function toClientRecord(row: OAuth2Client, now: Date): ClientRecord {
  const ends = row.formerSecretEndsAt ?? null
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    scopes: [...row.scopes],
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    formerSecretEndsAt: ends !== null && ends > now ? ends.toISOString() : null,
  }
}

interface NewRow {
  id: string
  tenantId: string
  name: string
  description: string
  secret: string
  scopes: readonly Scope[]
  createdAt: Date
}

export const addClientRow = (em: SqlEntityManager, { secret, scopes, createdAt, ...row }: NewRow): OAuth2Client =>
  em.create(OAuth2Client, {
    ...{ ...row, scopes: [...scopes], createdAt, updatedAt: createdAt },
    secretHash: hashClientSecret(secret),
  })
