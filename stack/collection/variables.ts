import { ISSUER, ISSUER_KEY } from '../../api/frame/openapi/examples.ts'
import type { Variable } from './postman.ts'

/** What a request leaves for those after it: variable, and where its answer has the value. */
const CAPTURED: Readonly<Record<string, readonly (readonly [variable: string, value: string])[]>> = {
  getOAuthAccessToken: [['token', 'answer.access_token']],
  createDID: [
    ['did', 'answer.did'],
    ['key', 'answer.metadata.keys[0].didDocumentKeyId'],
  ],
  signWebSemanticCredential: [['credential', 'JSON.stringify(answer.credential)']],
}

/** The members of a body that are a variable and no text: the whole JSON value. */
export const JSON_MEMBERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  verifyWebSemanticCredentials: { payload: 'credential' },
}

/** The members of a body that name a variable in place of what the document's example has; undefined leaves it out. */
const NAMED: Readonly<Record<string, Readonly<Record<string, string | undefined>>>> = {
  getOAuthAccessToken: { clientId: '{{clientId}}', clientSecret: '{{clientSecret}}', scope: undefined },
  signCredential: { didUrl: '{{key}}' },
}

/** A body of the document's example that names the variables: the tenant's client, DID and key. */
export const withVariables = (operationId: string, example: unknown): unknown => ({
  ...(replaced(example) as object),
  ...NAMED[operationId],
})

/** The same of a text of rows. */
export const rowsWithVariables = (text: string): string =>
  text.replaceAll(ISSUER_KEY, '{{key}}').replaceAll(ISSUER, '{{did}}')

function replaced(value: unknown): unknown {
  if (value === ISSUER) return '{{did}}'
  if (value === ISSUER_KEY) return '{{key}}'
  if (Array.isArray(value)) return value.map(replaced)
  if (value === null || typeof value !== 'object') return value
  if ('proof' in value) return value // what is signed says who signed it
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, replaced(each)]))
}

/** The script that keeps what an answer has, when the request succeeded. */
export const scriptOf = (operationId: string): string[] => {
  const captured = CAPTURED[operationId] ?? []
  if (captured.length === 0) return []
  return [
    'if (pm.response.code < 300) {',
    '  const answer = pm.response.json()',
    ...captured.map(([variable, value]) => `  pm.collectionVariables.set('${variable}', ${value})`),
    '}',
  ]
}

/** `credential` is one from the document until a request has signed another. */
export const variables = (credential: unknown): Variable[] => [
  {
    key: 'address',
    value: 'http://localhost:3000',
    description: 'Where the platform is, or the tenant’s own address.',
  },
  { key: 'clientId', value: '', description: 'Of a client of the tenant.' },
  { key: 'clientSecret', value: '' },
  { key: 'token', value: '', description: 'Set by “Get an access token”.' },
  { key: 'did', value: ISSUER, description: 'The issuer: set by the request that creates a DID.' },
  { key: 'key', value: ISSUER_KEY, description: 'The key of the DID, set with it.' },
  { key: 'credential', value: JSON.stringify(credential), description: 'Set by the request that signs one.' },
]
