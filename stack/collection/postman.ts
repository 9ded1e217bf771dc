/** What this project writes of the Postman Collection Format v2.1.0 (https://schema.postman.com). */
export interface Collection {
  info: { name: string; description: string; version: string; schema: string }
  auth: Auth
  variable: Variable[]
  item: Folder[]
}

export interface Folder {
  name: string
  item: Item[]
}

export interface Item {
  /** The operationId. */
  id: string
  name: string
  event?: { listen: 'test'; script: { type: 'text/javascript'; exec: string[] } }[]
  request: {
    method: string
    description: string
    auth?: Auth
    header: Header[]
    url: Url
    body?: Body
  }
}

export interface Variable {
  key: string
  value: string
  description?: string
}

interface Header {
  key: string
  value: string
  description?: string
  disabled?: boolean
}

interface Url {
  raw: string
  host: string[]
  path: string[]
  query?: Header[]
  variable?: Variable[]
}

export interface Body {
  mode: 'raw'
  raw: string
  options?: { raw: { language: 'json' } }
}

export type Auth = { type: 'noauth' } | { type: 'bearer'; bearer: { key: 'token'; value: string; type: 'string' }[] }

export const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'
