import { disjoint } from '../../../protocol/disjoint.ts'
import { factsOf, OPERATIONS } from '../../../protocol/operations.ts'
import { ADMINISTRATION_DOCUMENTS } from '../../administration/document.ts'
import { CLAIM_SOURCE_DOCUMENT } from '../../claim-sources/document.ts'
import { COMPACT_CREDENTIAL_DOCUMENT } from '../../compact-credentials/document.ts'
import { CREDENTIAL_DOCUMENT } from '../../credentials/document.ts'
import { DID_DOCUMENT } from '../../dids/document.ts'
import { DOMAIN_DOCUMENT } from '../../domains/document.ts'
import { MESSAGING_DOCUMENT } from '../../messaging/document.ts'
import { MOBILE_CREDENTIAL_DOCUMENT } from '../../mobile-credentials/document.ts'
import { OPENID_DOCUMENT } from '../../openid/document.ts'
import { SD_JWT_CREDENTIAL_DOCUMENT } from '../../sd-jwt-credentials/document.ts'
import { SEMANTIC_CREDENTIAL_DOCUMENT } from '../../semantic-credentials/document.ts'
import { TOKEN_AND_LOG_DOCUMENT } from '../../tokens-logs/document.ts'
import { TRUST_LIST_DOCUMENT } from '../../trust-lists/document.ts'
import { WEBHOOK_DOCUMENT } from '../../webhooks/document.ts'
import type { AreaDocument, FileForm, Upload } from './document.ts'
import type { GeneratedOpenApi } from './generated.ts'
import { FRAME_SCHEMAS } from './json.ts'
import type { Schema, Schemas } from './schemas.ts'

export const DOCUMENTS: readonly AreaDocument[] = [
  ...ADMINISTRATION_DOCUMENTS,
  CLAIM_SOURCE_DOCUMENT,
  COMPACT_CREDENTIAL_DOCUMENT,
  CREDENTIAL_DOCUMENT,
  DID_DOCUMENT,
  DOMAIN_DOCUMENT,
  MESSAGING_DOCUMENT,
  MOBILE_CREDENTIAL_DOCUMENT,
  OPENID_DOCUMENT,
  SD_JWT_CREDENTIAL_DOCUMENT,
  SEMANTIC_CREDENTIAL_DOCUMENT,
  TOKEN_AND_LOG_DOCUMENT,
  TRUST_LIST_DOCUMENT,
  WEBHOOK_DOCUMENT,
]

type Table<Value> = Readonly<Record<string, Value | undefined>>

const joined = <Value>(part: (document: AreaDocument) => Table<Value> | undefined): Table<Value> =>
  disjoint(...DOCUMENTS.map((document) => part(document) ?? {}))

export const REQUEST_EXAMPLES: Table<object> = joined(({ examples }) => examples)
export const UPLOADS: Table<Upload> = joined(({ uploads }) => uploads)
export const DOWNLOADS: Table<Readonly<Record<string, string>>> = joined(({ downloads }) => downloads)
export const FILES: Table<FileForm> = joined(({ files }) => files)
export const ANSWERS: Table<unknown> = joined(({ answers }) => answers)
export const REFUSALS: Table<Readonly<Record<number, string>>> = joined(({ refusals }) => refusals)
export const PARAMETERS: Table<Readonly<Record<string, Schema>>> = joined(({ parameters }) => parameters)
export const SCHEMAS = { ...FRAME_SCHEMAS, ...joined(({ schemas }) => schemas) } as Schemas
export const NOT_FOUND: Table<string> = joined(({ notFound }) => notFound)
export const OAUTH_ERRORS: Table<string> = joined(({ oauthErrors }) => oauthErrors)
export const LOCATED: ReadonlySet<string> = new Set(DOCUMENTS.flatMap(({ located = [] }) => located))
export const DATES: ReadonlySet<string> = new Set(DOCUMENTS.flatMap(({ dated = [] }) => dated))
export const FORMS: ReadonlySet<string> = new Set(DOCUMENTS.flatMap(({ forms = [] }) => forms))
export const JWTS: Table<string> = joined(({ jwts }) => jwts)
export const ARCHIVES: ReadonlySet<string> = new Set(DOCUMENTS.flatMap(({ archives = [] }) => archives))

/** The parts of a path that name things, the innermost first: up to `{id}`, or to a name such as `{ecosystemId}`. */
const thingsIn = (path: string): string[] =>
  [...path.matchAll(/\/\{(?:id|\w+Id)\}/g)].map((found) => path.slice(0, found.index + found[0].length)).reverse()

/** The part of a path that names one thing: the innermost with a problem code of its own, else the outermost. */
export function thingIn(path: string): string | undefined {
  const things = thingsIn(path)
  return things.find((thing) => Object.hasOwn(NOT_FOUND, thing)) ?? things.at(-1)
}

/** Returns a sentence for each fact that an operation of the document lacks, and for each fact without an operation. */
export function gaps({ paths }: GeneratedOpenApi): string[] {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods).map((operation) => ({ path, ...operation })),
  )
  const missing = operations.flatMap(({ path, operationId, security = [], requestBody }) => {
    const thing = thingIn(path)
    const facts = factsOf(operationId)
    const scopes = security.flatMap((scheme) => Object.values(scheme).flat())
    const hasExample = [REQUEST_EXAMPLES, UPLOADS].some((table) => Object.hasOwn(table, operationId))
    return [
      ...(security.length > 0 && !facts ? [`${operationId} has no name in the log`] : []),
      ...(facts && scopes.join() !== (facts.scope ?? '')
        ? [`${operationId} requires the scope ${scopes} in its controller and ${facts.scope ?? 'none'} in its facts`]
        : []),
      ...(requestBody && !hasExample ? [`${operationId} has no example`] : []),
      ...(thing && !Object.hasOwn(NOT_FOUND, thing) ? [`${thing} has no problem code for its 404`] : []),
    ]
  })
  const ids = new Set(operations.map(({ operationId }) => operationId))
  const tables = [
    OPERATIONS,
    REQUEST_EXAMPLES,
    UPLOADS,
    DOWNLOADS,
    FILES,
    JWTS,
    ANSWERS,
    REFUSALS,
    PARAMETERS,
    OAUTH_ERRORS,
  ]
  const entries = tables.flatMap((table) => Object.keys(table))
  const things = new Set(operations.map(({ path }) => thingIn(path)))
  const unknown = [...entries, ...LOCATED, ...FORMS, ...ARCHIVES].filter((id) => !ids.has(id))
  const unused = Object.keys(NOT_FOUND).filter((thing) => !things.has(thing))
  return [...missing, ...new Set([...unknown, ...unused].map((name) => `${name} is not in the document`))]
}
