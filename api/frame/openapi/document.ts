/** Facts of an area's operations that the generator cannot derive; `Id` is the operationId of one of them. */
export interface AreaDocument<Id extends string = string> {
  /** A valid JSON body for each operation with a body: Swagger UI starts with it. */
  examples: Partial<Record<Id, object>>
  /** Operations that take their body as a form as well. */
  forms?: readonly Id[]
  /**
   * Operations whose response has a Location, of the new resource or its progress (RFC 9110 sections 15.3.2, 15.3.3).
   */
  located?: readonly Id[]
  /** Operations that read their body as a stream, since it may be larger than memory. */
  uploads?: Partial<Record<Id, Upload>>
  /** Media types of operations that write their response as a stream. */
  downloads?: Partial<Record<Id, readonly string[]>>
  /** Text of the 404 of each path that ends with `{id}`, and of the paths below it. */
  notFound?: Readonly<Record<string, string>>
  /** Meaning of each problem code of the area's operations, by status. */
  problems: ProblemTable
}

export interface Upload {
  description: string
  /** By media type. */
  examples: Readonly<Record<string, string>>
}

export type ProblemTable = Readonly<Record<number, Readonly<Record<string, string>>>>
