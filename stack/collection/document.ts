/** What the collection reads of the API document. */
export interface PublishedDocument {
  info: { title: string; version: string; description: string }
  paths: Readonly<Record<string, Readonly<Record<string, PublishedOperation>>>>
  components: { parameters?: Readonly<Record<string, Parameter>> }
}

export interface PublishedOperation {
  operationId: string
  summary?: string
  description?: string
  tags?: readonly string[]
  security?: readonly Readonly<Record<string, readonly string[]>>[]
  parameters?: readonly (Parameter | { $ref: string })[]
  requestBody?: { content: Readonly<Record<string, { example?: unknown }>> }
}

export interface Parameter {
  in: string
  name: string
  description?: string
  required?: boolean
  schema?: { example?: unknown; default?: unknown }
}
