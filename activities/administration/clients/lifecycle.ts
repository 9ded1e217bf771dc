import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { OAuth2Client } from '../../../entities/administration/tenants.ts'
import { inTenant, takeTurn } from '../../../entities/orm.ts'
import { type FieldError, Refusal } from '../../../protocol/errors.ts'
import { isLabel, LABEL_EXPECTED } from '../../../protocol/names.ts'
import { SCOPES, type Scope } from '../../../protocol/tokens-logs/index.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Call, Metadata, Operations } from '../../frame/operations.ts'
import { newSecret } from '../../frame/secrets.ts'
import { hashClientSecret } from '../../tokens-logs/clients.ts'
import {
  addClientRow,
  type ClientRecord,
  type ClientWithSecret,
  OPERATORS_OWN,
  oauth2ClientNotFound,
  toClientRecord,
} from './records.ts'

export const MAX_OAUTH2_CLIENTS = 100

/** A week: longer is no rotation, but two secrets. */
export const MAX_GRACE_SECONDS = 604_800

const MAX_DESCRIPTION = 1_000

export interface NewClient {
  name: string
  description: string
  /** Default: all that the caller may grant. */
  scopes?: readonly string[] | null
}

export interface ClientChange {
  /** Absent or null: it stays. */
  name?: string | null
  /** Absent or null: they stay. */
  scopes?: readonly string[] | null
  resetSecret: boolean
  /** How long the secret before stays right. */
  graceSeconds: number
}

function refuseInvalid(errors: FieldError[]): void {
  if (errors.length > 0) throw new Refusal('oauth_client.invalid', 'The client cannot be so; see errors.', errors)
}

const nameFaults = (name: string): FieldError[] =>
  isLabel(name) ? [] : [{ path: 'name', code: 'text', message: LABEL_EXPECTED }]

/** May be empty; of a longer one the lines are the caller's. */
const descriptionFaults = (description: string): FieldError[] =>
  description.length <= MAX_DESCRIPTION && description.isWellFormed() && !description.includes('\0')
    ? []
    : [{ path: 'description', code: 'text', message: `expected at most ${MAX_DESCRIPTION} characters of Unicode` }]

/** Throws `oauth_client.scope_beyond_caller`: nobody grants what they do not have. */
function grantedScopes(wanted: readonly string[] | null | undefined, grantable: readonly Scope[]): Scope[] {
  if (!wanted) return [...grantable]
  const errors = wanted.flatMap((scope, at) =>
    grantable.some((one) => one === scope)
      ? []
      : [{ path: `scopes.${at}`, code: 'scope', message: `expected one of: ${grantable.join(' ')}` }],
  )
  if (errors.length > 0)
    throw new Refusal(
      'oauth_client.scope_beyond_caller',
      'The client would get a scope that the access token of this request does not have; see errors.',
      errors,
    )
  return grantable.filter((scope) => wanted.includes(scope))
}

/**
 * The scopes of a client after a change, in their usual order. What it has already may stay: keeping is no giving. What the caller
 * lacks cannot go either: they would get a secret of what is left, and have everything when the scopes are given back. Throws
 * `oauth_client.scope_beyond_caller`.
 */
function changedScopes(row: OAuth2Client, wanted: readonly string[], grantable: readonly Scope[]): Scope[] {
  const isGrantable = (scope: string) => grantable.some((one) => one === scope)
  const scopes = grantedScopes(
    wanted,
    SCOPES.filter((scope) => isGrantable(scope) || row.scopes.includes(scope)),
  )
  const taken = row.scopes.filter((scope) => !wanted.includes(scope) && !isGrantable(scope))
  if (taken.length === 0) return scopes
  throw new Refusal(
    'oauth_client.scope_beyond_caller',
    'The client would lose a scope that the access token of this request does not have; see errors.',
    [{ path: 'scopes', code: 'scope', message: `expected to stay: ${taken.join(' ')}` }],
  )
}

interface Parts extends Pick<Dependencies, 'database' | 'now' | 'uuid'> {
  operations: Operations
  /** Sees operators' clients as well: for operators on the command line, and never for the API. */
  withOperators?: true
}

/** A tenant's OAuth 2.0 clients (specification, OAuth2 client). `grantable`: the scopes that the caller may grant. */
export function createOAuth2Clients({ database, now, uuid, operations, withOperators }: Parts) {
  const visible = { deletedAt: null, ...(!withOperators && { $not: { scopes: { $overlap: [...OPERATORS_OWN] } } }) }

  async function find(em: SqlEntityManager, id: string, lock = false): Promise<OAuth2Client> {
    const row = await em.findOne(OAuth2Client, { id, ...visible }, lock ? { lockMode: LockMode.PESSIMISTIC_WRITE } : {})
    if (!row) throw oauth2ClientNotFound()
    return row
  }

  return {
    /** Throws `oauth_client.invalid`, `oauth_client.scope_beyond_caller`, `oauth_client.too_many`. */
    async createOAuth2Client(
      call: Call,
      { name, description, scopes: wanted }: NewClient,
      grantable: readonly Scope[],
    ): Promise<ClientWithSecret> {
      const { tenantId } = call
      refuseInvalid([...nameFaults(name), ...descriptionFaults(description)])
      const scopes = grantedScopes(wanted, grantable)
      const id = uuid()
      return operations.change(call, 'createOAuth2Client', { id }, async (em) => {
        await takeTurn(em, `oauth2 clients of ${tenantId}`)
        if ((await em.count(OAuth2Client, { deletedAt: null })) >= MAX_OAUTH2_CLIENTS)
          throw new Refusal(
            'oauth_client.too_many',
            `A tenant can have ${MAX_OAUTH2_CLIENTS} clients. Delete one first.`,
          )
        const [secret, createdAt] = [newSecret(), now()]
        const row = addClientRow(em, { id, tenantId, name, description, secret, scopes, createdAt })
        await em.flush()
        return { ...toClientRecord(row, createdAt), clientSecret: secret }
      })
    },

    /** Newest first. */
    listOAuth2Clients: (tenantId: string, { limit, offset }: { limit: number; offset: number }) =>
      inTenant(database.tenants, tenantId, async (em) => {
        const orderBy = { createdAt: 'desc', id: 'asc' } as const
        const [rows, total] = await em.findAndCount(OAuth2Client, visible, { orderBy, limit, offset })
        return { clients: rows.map((row) => toClientRecord(row, now())), total }
      }),

    readOAuth2Client: (tenantId: string, id: string): Promise<ClientRecord> =>
      inTenant(database.tenants, tenantId, async (em) => toClientRecord(await find(em, id), now())),

    /**
     * A new secret makes the one before wrong at once, or at the end of the grace; one before that is wrong at once.
     * Scopes that are taken away end in the client's tokens within seconds (standing.ts). Throws `oauth_client.invalid`, `oauth_client.not_found`, `oauth_client.scope_beyond_caller`.
     */
    async updateOAuth2Client(
      call: Call,
      id: string,
      { name, scopes, resetSecret, graceSeconds }: ClientChange,
      grantable: readonly Scope[],
    ): Promise<ClientWithSecret> {
      refuseInvalid([
        ...(typeof name === 'string' ? nameFaults(name) : []),
        ...(graceSeconds > 0 && !resetSecret
          ? [{ path: 'secret_grace_seconds', code: 'alone', message: 'expected none, or 0, without a new secret' }]
          : []),
      ])
      const metadata: Metadata = { id, resetSecret }
      return operations.change(call, 'updateOAuth2Client', metadata, async (em) => {
        const row = await find(em, id, true)
        if (resetSecret) grantedScopes(row.scopes, grantable) // also those that this change takes: they may be given back
        if (scopes) {
          row.scopes = changedScopes(row, scopes, grantable)
          metadata.scopes = row.scopes.join(' ')
        }
        const changedAt = now()
        const secret = resetSecret ? newSecret() : undefined
        if (secret !== undefined) {
          const isKept = graceSeconds > 0
          Object.assign(row, {
            formerSecretHash: isKept ? row.secretHash : null,
            formerSecretEndsAt: isKept ? new Date(changedAt.getTime() + graceSeconds * 1000) : null,
            secretHash: hashClientSecret(secret),
          })
        }
        Object.assign(row, { name: name ?? row.name, updatedAt: changedAt })
        await em.flush()
        return { ...toClientRecord(row, changedAt), ...(secret !== undefined && { clientSecret: secret }) }
      })
    },

    /** Its secrets are wrong at once, and its tokens end within seconds (standing.ts). Throws `oauth_client.not_found`. */
    async deleteOAuth2Client(call: Call, id: string): Promise<void> {
      await operations.change(call, 'deleteOAuth2Client', { id }, async (em) => {
        const row = await find(em, id, true)
        row.deletedAt = now()
        return null
      })
    },
  }
}

export type OAuth2Clients = ReturnType<typeof createOAuth2Clients>
