import { ADMINISTRATION_OPERATIONS } from './administration/operations.ts'
import { CLAIM_SOURCE_OPERATIONS } from './claim-sources/operations.ts'
import { COMPACT_CREDENTIAL_OPERATIONS } from './compact-credentials/operations.ts'
import { CREDENTIAL_OPERATIONS } from './credentials/operations.ts'
import { DID_OPERATIONS } from './dids/operations.ts'
import { disjoint } from './disjoint.ts'
import { DOMAIN_OPERATIONS } from './domains/operations.ts'
import { MESSAGING_OPERATIONS } from './messaging/operations.ts'
import { MOBILE_CREDENTIAL_OPERATIONS } from './mobile-credentials/operations.ts'
import { OPENID_OPERATIONS } from './openid/operations.ts'
import { SD_JWT_CREDENTIAL_OPERATIONS } from './sd-jwt-credentials/operations.ts'
import { SEMANTIC_CREDENTIAL_OPERATIONS } from './semantic-credentials/operations.ts'
import { PLATFORM_AREAS, type Scope } from './tokens-logs/index.ts'
import { TOKEN_AND_LOG_OPERATIONS } from './tokens-logs/operations.ts'
import { TRUST_LIST_OPERATIONS } from './trust-lists/operations.ts'
import { isUuid } from './uuid.ts'
import { WEBHOOK_OPERATIONS } from './webhooks/operations.ts'

/**
 * Name (`<name>_SUCCESS`, `<name>_FAIL`) and category of an operation's log entries. An operation that changes
 * something writes its SUCCESS entry in its own transaction; the API writes all other entries.
 */
export interface OperationFacts {
  /** Scope that the token must have; absent if none is needed. The controller repeats it, and the API compares both. */
  scope?: Scope
  /** Of an operation without a scope: with this one the caller acts as an operator, for no tenant. */
  operatorScope?: Scope
  name: string
  category: string
  /** The operation writes its own SUCCESS entry. */
  changes?: true
}

/** The operations of all areas that have entries in the log, by their operationId. */
export const OPERATIONS = disjoint(
  ADMINISTRATION_OPERATIONS,
  CLAIM_SOURCE_OPERATIONS,
  COMPACT_CREDENTIAL_OPERATIONS,
  CREDENTIAL_OPERATIONS,
  DID_OPERATIONS,
  DOMAIN_OPERATIONS,
  MESSAGING_OPERATIONS,
  MOBILE_CREDENTIAL_OPERATIONS,
  OPENID_OPERATIONS,
  SD_JWT_CREDENTIAL_OPERATIONS,
  SEMANTIC_CREDENTIAL_OPERATIONS,
  TOKEN_AND_LOG_OPERATIONS,
  TRUST_LIST_OPERATIONS,
  WEBHOOK_OPERATIONS,
) satisfies Record<string, OperationFacts>

export type OperationId = keyof typeof OPERATIONS

/** The operations that write their own SUCCESS entry. */
export type ChangeId = {
  [Id in OperationId]: (typeof OPERATIONS)[Id] extends { changes: true } ? Id : never
}[OperationId]

/** Of rows that belong to no tenant: operators and people make them, and people who have not logged in. */
export type PlatformChangeId = {
  [Id in ChangeId]: (typeof OPERATIONS)[Id] extends { scope: infer S }
    ? S extends `${(typeof PLATFORM_AREAS)[number]}:${string}`
      ? Id
      : never
    : Id
}[ChangeId]

export type TenantChangeId = Exclude<ChangeId, PlatformChangeId>

const isOfPlatformArea = (scope: Scope): boolean => PLATFORM_AREAS.some((area) => scope.startsWith(`${area}:`))

/**
 * Whether a caller with these scopes asks as an operator or as a person for what belongs to no tenant: the entry is in the
 * log of the first tenant. A tenant's client, which has none of them, is refused in its own log.
 */
export const isOfPlatform = ({ scope, operatorScope }: OperationFacts, scopes: readonly Scope[]): boolean =>
  scope === undefined
    ? operatorScope !== undefined && scopes.includes(operatorScope)
    : isOfPlatformArea(scope) && scopes.some(isOfPlatformArea)

/**
 * Ids of the objects that a log entry is about: every UUID of its metadata but the client's. The first OBJECT_PLACES can
 * be searched for.
 */
export const objectIdsOf = (metadata: Readonly<Record<string, unknown>>): string[] => [
  ...new Set(
    Object.entries(metadata).flatMap(([name, value]) =>
      name !== 'clientId' && typeof value === 'string' && isUuid(value) ? [value] : [],
    ),
  ),
]

/** Indexes of logs.object_ids, one for each place. */
export const OBJECT_PLACES = 4

/** undefined for operations without log entries, such as public documents. */
export const factsOf = (operationId: string): OperationFacts | undefined =>
  Object.hasOwn(OPERATIONS, operationId) ? OPERATIONS[operationId as OperationId] : undefined

/** Category and type of the log entry of a successful change. */
export function successOf(operationId: ChangeId): { category: string; type: string } {
  const { category, name } = OPERATIONS[operationId]
  return { category, type: `${name}_SUCCESS` }
}
