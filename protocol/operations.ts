import { ADMINISTRATION_OPERATIONS } from './administration/operations.ts'
import { CREDENTIAL_OPERATIONS } from './credentials/operations.ts'
import { DID_OPERATIONS } from './dids/operations.ts'
import { disjoint } from './disjoint.ts'
import { SEMANTIC_CREDENTIAL_OPERATIONS } from './semantic-credentials/operations.ts'
import type { Scope } from './tokens-logs/index.ts'
import { TOKEN_AND_LOG_OPERATIONS } from './tokens-logs/operations.ts'

/**
 * What an operation is called in the log (`<name>_SUCCESS`, `<name>_FAIL`) and under which category. Operations that
 * change something write their SUCCESS entry in their own transaction; for the rest, and for failures, the API does.
 */
export interface OperationFacts {
  /** What a token must hold; absent where no token is asked for. The controller says the same, and the API compares. */
  scope?: Scope
  name: string
  category: string
  /** The operation writes its own SUCCESS entry. */
  changes?: true
}

/** The operations of all areas that have entries in the log, by their operationId. */
export const OPERATIONS = disjoint(
  ADMINISTRATION_OPERATIONS,
  CREDENTIAL_OPERATIONS,
  DID_OPERATIONS,
  SEMANTIC_CREDENTIAL_OPERATIONS,
  TOKEN_AND_LOG_OPERATIONS,
) satisfies Record<string, OperationFacts>

export type OperationId = keyof typeof OPERATIONS

/** The operations that write their own SUCCESS entry. */
export type ChangeId = {
  [Id in OperationId]: (typeof OPERATIONS)[Id] extends { changes: true } ? Id : never
}[OperationId]

/** undefined for what nobody logs, such as public documents. */
export const factsOf = (operationId: string): OperationFacts | undefined =>
  Object.hasOwn(OPERATIONS, operationId) ? OPERATIONS[operationId as OperationId] : undefined

/** Category and type of the log entry of a change that was made. */
export function successOf(operationId: ChangeId): { category: string; type: string } {
  const { category, name } = OPERATIONS[operationId]
  return { category, type: `${name}_SUCCESS` }
}
