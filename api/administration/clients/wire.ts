import type { ClientRecord, ClientWithSecret } from '../../../activities/administration/clients/records.ts'
import type { Count, DateTime, Uuid } from '../../frame/wire.ts'

/** One line of 1 to 255 characters, for people. */
export type OAuth2ClientName = string

/** Up to 1000 characters, for people. */
export type OAuth2ClientDescription = string

/**
 * Scopes of the areas of a tenant, each once.
 * @maxItems 100 expected at most 100 scopes
 */
export type GrantedScopes = string[]

/**
 * Seconds in which the secret before stays right.
 * @isInt expected a whole number
 * @minimum 0
 * @maximum 604800
 */
export type SecretGraceSeconds = number

export interface OAuth2ClientIn {
  description: OAuth2ClientDescription
  name: OAuth2ClientName
  /** What the client may do. Default: what the access token of this request may do. */
  scopes?: GrantedScopes | null
}

export interface OAuth2ClientUpdateIn {
  /** null: it stays. */
  name?: OAuth2ClientName | null
  /** What the client may do from now on, in place of what it could. null: it stays. */
  scopes?: GrantedScopes | null
  /** true: the client gets a new secret, which only this response shows. */
  reset_secret: boolean
  /** How long the secret before stays right beside the new one. Default: 0, it is wrong at once. */
  secret_grace_seconds?: SecretGraceSeconds | null
}

export interface OAuth2ClientOut {
  id: Uuid
  /** The same as id: what the client sends to get a token. */
  clientId: Uuid
  name: string
  description: string
  scopes: string[]
  createdAt: DateTime
  updatedAt: DateTime
  /** Until when the secret before the current one is right as well. */
  formerSecretEndsAt: DateTime | null
}

/** The secret is shown when it is made, and never again. */
export interface OAuth2ClientSecretOut extends OAuth2ClientOut {
  clientSecret?: string
}

export interface OAuth2ClientPageOut {
  data: OAuth2ClientOut[]
  limit: Count
  totalCount: Count
  totalPages: Count
}

export const clientToWire = (record: ClientRecord): OAuth2ClientOut => ({
  id: record.id,
  clientId: record.id,
  name: record.name,
  description: record.description,
  scopes: record.scopes,
  createdAt: record.createdAt,
  updatedAt: record.updatedAt,
  formerSecretEndsAt: record.formerSecretEndsAt,
})

export const clientWithSecretToWire = (record: ClientWithSecret): OAuth2ClientSecretOut => ({
  ...clientToWire(record),
  ...(record.clientSecret !== undefined && { clientSecret: record.clientSecret }),
})

export const OAUTH2_CLIENT: OAuth2ClientOut = {
  id: '8c1d2e3f-4a5b-4c6d-9e7f-0a1b2c3d4e5f',
  clientId: '8c1d2e3f-4a5b-4c6d-9e7f-0a1b2c3d4e5f',
  name: 'Student registry',
  description: 'Signs degrees when they are conferred',
  scopes: ['semantic-credentials:read', 'semantic-credentials:write'],
  createdAt: '2026-09-01T08:00:00.000Z',
  updatedAt: '2026-09-01T08:00:00.000Z',
  formerSecretEndsAt: null,
}

export const OAUTH2_CLIENT_WITH_SECRET: OAuth2ClientSecretOut = {
  id: '8c1d2e3f-4a5b-4c6d-9e7f-0a1b2c3d4e5f',
  clientId: '8c1d2e3f-4a5b-4c6d-9e7f-0a1b2c3d4e5f',
  name: 'Student registry',
  description: 'Signs degrees when they are conferred',
  scopes: ['semantic-credentials:read', 'semantic-credentials:write'],
  createdAt: '2026-09-01T08:00:00.000Z',
  updatedAt: '2026-09-02T08:00:00.000Z',
  formerSecretEndsAt: '2026-09-02T09:00:00.000Z',
  clientSecret: '3vqN1bq0Yk8y9XcV2mRrT7uZ5wLkJhGfDsA4pO6iEtU',
}
