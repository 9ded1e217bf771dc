/** What the generator cannot say of an area's operations; `Id` is the operationId of one of them. */
export interface AreaDocument<Id extends string = string> {
  /** A JSON body that a caller may send: the document's own tester begins with it. Each operation with a body has one. */
  examples: Partial<Record<Id, object>>
  /** Operations that take their body as a form as well. */
  forms?: readonly Id[]
  /** Creations whose answer says where the new thing is, or where its progress is (RFC 9110 sections 15.3.2, 15.3.3). */
  located?: readonly Id[]
  /** Operations that read their body themselves, as it arrives: it is larger than memory. */
  uploads?: Partial<Record<Id, Upload>>
  /** Media types of operations that write their answer themselves, line by line. */
  downloads?: Partial<Record<Id, readonly string[]>>
  /** What a 404 says below a path, which ends with its `{id}`. */
  notFound?: Readonly<Record<string, string>>
  /** Meaning of each problem code that the area's operations answer, by status. */
  problems: ProblemTable
}

export interface Upload {
  description: string
  /** By media type. */
  examples: Readonly<Record<string, string>>
}

export type ProblemTable = Readonly<Record<number, Readonly<Record<string, string>>>>
