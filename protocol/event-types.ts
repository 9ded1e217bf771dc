import { ADMINISTRATION_ENTRIES } from './administration/entries.ts'
import { CLAIM_SOURCE_ENTRIES } from './claim-sources/entries.ts'
import { CREDENTIAL_ENTRIES } from './credentials/entries.ts'
import type { logOf } from './credentials/formats.ts'
import { DOMAIN_ENTRIES } from './domains/entries.ts'
import { MESSAGING_ENTRIES } from './messaging/entries.ts'
import { MOBILE_CREDENTIAL_ENTRIES } from './mobile-credentials/entries.ts'
import { OPENID_ENTRIES } from './openid/entries.ts'
import { OPERATIONS, type OperationId } from './operations.ts'
import { WEBHOOK_ENTRIES } from './webhooks/entries.ts'

/** Name and category of log entries: `<name>_SUCCESS`, `<name>_FAIL`. */
export interface EntryFacts {
  name: string
  category: string
}

/** Entries of work that continues after its request, or that no request began. */
const WORK: readonly EntryFacts[] = [
  ...ADMINISTRATION_ENTRIES,
  ...CLAIM_SOURCE_ENTRIES,
  ...CREDENTIAL_ENTRIES,
  ...DOMAIN_ENTRIES,
  ...MESSAGING_ENTRIES,
  ...MOBILE_CREDENTIAL_ENTRIES,
  ...OPENID_ENTRIES,
  ...WEBHOOK_ENTRIES,
]

type Tables =
  | typeof ADMINISTRATION_ENTRIES
  | typeof CLAIM_SOURCE_ENTRIES
  | typeof DOMAIN_ENTRIES
  | typeof MESSAGING_ENTRIES
  | typeof MOBILE_CREDENTIAL_ENTRIES
  | typeof OPENID_ENTRIES
  | typeof WEBHOOK_ENTRIES

/** A name that is in none of the tables does not compile. Of entries about credentials, `assertEntryName` looks alone. */
export type EntryName =
  | (typeof OPERATIONS)[OperationId]['name']
  | Tables[number]['name']
  | ReturnType<typeof logOf>['name']

const NAMES: ReadonlySet<string> = new Set([...Object.values(OPERATIONS), ...WORK].map(({ name }) => name))

/** Throws for a name that getLogEventTypes does not have: it is missing in the operations.ts or entries.ts of its area. */
export function assertEntryName(name: string): void {
  if (!NAMES.has(name)) throw new Error(`no operations.ts or entries.ts has the log entry ${name}`)
}

export interface EventType {
  type: string
  category: string
  outcome: 'SUCCESS' | 'FAIL'
  /** Absent for entries of the platform's own work. */
  operationId?: string
}

const typesOf = ({ name, category }: EntryFacts, operationId?: string): EventType[] =>
  (['SUCCESS', 'FAIL'] as const).map((outcome) => ({
    type: `${name}_${outcome}`,
    category,
    outcome,
    ...(operationId !== undefined && { operationId }),
  }))

/** Every type of entry, in the order of their names; operations that share a name each have theirs. */
export const eventTypes = (): EventType[] =>
  [
    ...Object.entries<EntryFacts>(OPERATIONS).flatMap(([operationId, facts]) => typesOf(facts, operationId)),
    ...WORK.flatMap((facts) => typesOf(facts)),
  ].toSorted((one, other) => (one.type < other.type ? -1 : one.type > other.type ? 1 : 0))
