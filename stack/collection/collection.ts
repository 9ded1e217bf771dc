import { type Auth, type Body, type Collection, type Folder, type Item, SCHEMA } from './postman.ts'
import { JSON_MEMBERS, rowsWithVariables, scriptOf, variables, withVariables } from './variables.ts'

/** What the collection reads of the API document. */
export interface PublishedDocument {
  info: { title: string; version: string; description: string }
  paths: Readonly<Record<string, Readonly<Record<string, PublishedOperation>>>>
  components: { parameters?: Readonly<Record<string, Parameter>> }
}

interface PublishedOperation {
  operationId: string
  summary?: string
  description?: string
  tags?: readonly string[]
  security?: readonly Readonly<Record<string, readonly string[]>>[]
  parameters?: readonly (Parameter | { $ref: string })[]
  requestBody?: { content: Readonly<Record<string, { example?: unknown }>> }
}

interface Parameter {
  in: string
  name: string
  description?: string
  required?: boolean
  schema?: { example?: unknown; default?: unknown }
}

const BEARER: Auth = { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] }
const NO_AUTH: Auth = { type: 'noauth' }

/** The JSON of a body, in which a member may be a variable that stands for a whole value. */
function jsonOf(operationId: string, example: unknown): string {
  const members = JSON_MEMBERS[operationId] ?? {}
  const named = Object.fromEntries(Object.entries(members).map(([name, variable]) => [name, `{{${variable}}}`]))
  const body = withVariables(operationId, example)
  const text = JSON.stringify({ ...(body as object), ...named }, null, 2)
  return Object.values(named).reduce((all, variable) => all.replace(`"${variable}"`, variable), text)
}

/** The body and its media type: JSON before texts of rows, forms and archives. */
function bodyOf({ operationId, requestBody }: PublishedOperation): { type: string; body: Body } | undefined {
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? []
  if (!type || !media) return undefined
  if (type === 'application/json')
    return {
      type,
      body: { mode: 'raw', raw: jsonOf(operationId, media.example), options: { raw: { language: 'json' } } },
    }
  if (typeof media.example !== 'string') throw new Error(`${operationId} has no example for its ${type}`)
  return { type, body: { mode: 'raw', raw: rowsWithVariables(media.example) } }
}

const shown = (value: unknown): string => (value === undefined ? '' : String(value))

function itemOf(path: string, method: string, operation: PublishedOperation, parameters: readonly Parameter[]): Item {
  const { operationId, summary, description, security = [] } = operation
  const content = bodyOf(operation)
  const script = scriptOf(operationId)
  const within = (place: string) => parameters.filter((each) => each.in === place)
  const [queries, names] = [within('query'), within('path')]
  const place = path.replace(/\{(\w+)\}/g, ':$1')
  const query = queries.map(({ name, description = '', required = false, schema }) => ({
    key: name,
    value: shown(schema?.example ?? schema?.default),
    description,
    ...(!required && { disabled: true }),
  }))
  const asked = query.filter(({ disabled }) => !disabled).map(({ key, value }) => `${key}=${value}`)
  return {
    id: operationId,
    name: summary ?? operationId,
    ...(script.length > 0 && { event: [{ listen: 'test', script: { type: 'text/javascript', exec: script } }] }),
    request: {
      method: method.toUpperCase(),
      description: `\`${operationId}\`\n\n${description ?? ''}`.trim(),
      ...(security.length === 0 && { auth: NO_AUTH }),
      header: [
        ...(content ? [{ key: 'Content-Type', value: content.type }] : []),
        ...within('header').map(({ name, description = '', required = false }) => ({
          key: name,
          value: name === 'Idempotency-Key' ? '{{$guid}}' : '',
          description,
          ...(!required && { disabled: true }),
        })),
      ],
      url: {
        raw: `{{address}}${place}${asked.length > 0 ? `?${asked.join('&')}` : ''}`,
        host: ['{{address}}'],
        path: place.split('/').slice(1),
        ...(query.length > 0 && { query }),
        ...(names.length > 0 && {
          variable: names.map(({ name, description = '', schema }) => ({
            key: name,
            value: name === 'did' ? '{{did}}' : shown(schema?.example),
            description,
          })),
        }),
      },
      ...(content && { body: content.body }),
    },
  }
}

/** Every operation of the document as a request, in folders by area: a collection that Postman, Bruno and others import. */
export function collectionOf({ info, paths, components }: PublishedDocument): Collection {
  const folders = new Map<string, Folder>()
  let credential: unknown
  for (const [path, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods)) {
      const [name = 'Other'] = operation.tags ?? []
      const folder = folders.get(name) ?? { name, item: [] }
      folders.set(name, folder)
      const parameters = (operation.parameters ?? []).map(
        (each) => ('$ref' in each && components.parameters?.[each.$ref.split('/').at(-1) ?? '']) || (each as Parameter),
      )
      folder.item.push(itemOf(path, method, operation, parameters))
      if (operation.operationId === 'verifyWebSemanticCredentials')
        credential = Reflect.get(Object(operation.requestBody?.content['application/json']?.example), 'payload')
    }
  return {
    info: { name: info.title, description: info.description, version: info.version, schema: SCHEMA },
    auth: BEARER,
    variable: variables(credential),
    item: [...folders.values()].sort((one, other) => one.name.localeCompare(other.name, 'en')),
  }
}
