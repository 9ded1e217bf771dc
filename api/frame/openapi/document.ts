import type { Schema } from './schemas.ts'

/** Facts of an area's operations that the generator cannot derive; `Id` is the operationId of one of them. */
export interface AreaDocument<Id extends string = string> {
  /** A valid JSON body for each operation with a body: Swagger UI starts with it. */
  examples: Partial<Record<Id, object>>
  /** The body of a successful response; operations whose controller has an @Example need none. */
  answers?: Partial<Record<Id, unknown>>
  /** Codes of the problems in an operation's error examples, where the status alone does not name the code. */
  refusals?: Partial<Record<Id, Readonly<Record<number, string>>>>
  /**
   * Schemas of types, by name: what the type says in TypeScript is what the API reads, and this is what clients should
   * send, or what they get (D-258).
   */
  schemas?: Readonly<Record<string, Schema>>
  /** Schemas of query parameters, in place of the generated ones. */
  parameters?: Partial<Record<Id, Readonly<Record<string, Schema>>>>
  /** Operations that take their body as a form as well. */
  forms?: readonly Id[]
  /** Operations that answer wallets, each with the standard's code for a request that cannot be read. */
  oauthErrors?: Partial<Record<Id, string>>
  /** Operations that take a form with a file as well, which stands for one member of their JSON body. */
  files?: Partial<Record<Id, FileForm>>
  /** Operations whose answer may be a JWT in place of JSON, and whose body, if they have one; with an example of it. */
  jwts?: Partial<Record<Id, string>>
  /** Operations that take their body as a ZIP archive as well. */
  archives?: readonly Id[]
  /**
   * Operations whose response has a Location, of the new resource or its progress (RFC 9110 sections 15.3.2, 15.3.3).
   */
  located?: readonly Id[]
  /** Operations that answer 304 by the time of the last change as well, not by ETag alone. */
  dated?: readonly Id[]
  /** Operations that read their body as a stream, since it may be larger than memory. */
  uploads?: Partial<Record<Id, Upload>>
  /** Media types of texts that operations write as a stream, or in place of JSON; each with an example. */
  downloads?: Partial<Record<Id, Readonly<Record<string, string>>>>
  /** Problem code of the 404 of each path that ends with `{id}` or a name such as `{ecosystemId}`, and of those below it. */
  notFound?: Readonly<Record<string, string>>
  /** The problem codes of the area's operations; no code stands in two tables. */
  problems: readonly ProblemTable[]
}

export interface Upload {
  description: string
  /** By media type. */
  examples: Readonly<Record<string, string>>
}

export interface FileForm {
  /** The member that the file stands for, a text. */
  replaces: string
  description: string
  /** Media types of the file. */
  types: readonly string[]
}

/** What a problem code means, and what the caller or the operator does next: without a remedy, no code (D-264). */
export interface ProblemText {
  meaning: string
  remedy: string
}

/** By status and code. */
export type ProblemTable = Readonly<Record<number, Readonly<Record<string, ProblemText>>>>
