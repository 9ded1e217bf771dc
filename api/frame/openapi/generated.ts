import type { Schema, Schemas } from './schemas.ts'

export interface Content {
  [mediaType: string]: { schema?: Schema; encoding?: object; example?: unknown; examples?: unknown }
}

export interface Answer {
  description: string
  content?: Content
  headers?: Record<string, unknown>
}

export interface Described {
  operationId: string
  security?: Record<string, string[]>[]
  parameters?: { in?: string; name?: string; schema?: Schema; $ref?: string }[]
  requestBody?: { required?: boolean; description?: string; content: Content }
  responses: Record<string, Answer>
}

/** The parts of an OpenAPI 3.0 document that are read here. */
export interface GeneratedOpenApi {
  paths: Record<string, Record<string, Described>>
  info?: object
  components?: { schemas?: Schemas }
}
