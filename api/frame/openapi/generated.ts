export interface Content {
  [mediaType: string]: { schema?: unknown; example?: unknown; examples?: unknown }
}

export interface Answer {
  description: string
  content?: Content
  headers?: Record<string, unknown>
}

export interface Described {
  operationId: string
  security?: Record<string, string[]>[]
  parameters?: { in?: string; name?: string; schema?: { format?: string }; $ref?: string }[]
  requestBody?: { required?: boolean; description?: string; content: Content }
  responses: Record<string, Answer>
}

/** The parts of an OpenAPI 3.0 document that are read here. */
export interface GeneratedOpenApi {
  paths: Record<string, Record<string, Described>>
  components?: { schemas?: unknown }
}
