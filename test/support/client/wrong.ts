/** Two lines that the wrong programs share: the third is the one that does not compile. */
const PRELUDE = `import { connect, type Schemas as All } from '@countersign/client'
export const client = connect({ baseUrl: 'http://localhost', clientId: 'a', clientSecret: 'b' }); export type { All }
`

const SIGN = "'/v1/credentials/web-semantic/sign'"
const CREDENTIAL = "{ issuer: 'did:example:a', credentialSubject: { id: 'did:example:b' } }"
const TEMPLATE = "'/v1/credentials/web-semantic/configurations'"
const PRESENTATION_TEMPLATE = "'/v1/credentials/web-semantic/presentations/templates'"
const ID = "{ path: { id: '2a1fbdfb-4f8f-4a06-a2f3-4bb9c6d7d3a8' } }"

/** What each does wrong, its one line, and the code of the compiler's error. */
const LINES: [what: string, line: string, code: number][] = [
  ['a path that is not there', "await client.get('/v1/did')", 2554],
  ['a method that the path does not have', "await client.put('/v1/dids', { body: {} })", 2345],
  [
    'a token without a secret',
    "await client.post('/v1/auth/token', { body: { clientId: 'a', grantType: 'client_credentials' } })",
    2322,
  ],
  [
    'an unknown grant',
    "await client.post('/v1/auth/token', { body: { clientId: 'a', clientSecret: 'b', grantType: 'password' } })",
    2322,
  ],
  [
    'the lifetime of a token as a text',
    "const lifetime: string = (await client.post('/v1/auth/token', { body: { clientId: 'a', clientSecret: 'b', grantType: 'client_credentials' } })).expires_in; export { lifetime }",
    2322,
  ],
  ['no body', "await client.post('/v1/dids')", 2554],
  ['an unknown DID method', "await client.post('/v1/dids', { body: { method: 'ION', options: {} } })", 2322],
  [
    'an unknown key type',
    "await client.post('/v1/dids', { body: { method: 'KEY', options: { keyType: 'rsa' } } })",
    2322,
  ],
  ['a did:web without its address', "await client.post('/v1/dids', { body: { method: 'WEB', options: {} } })", 2322],
  [
    'an unknown option of a DID',
    "await client.post('/v1/dids', { body: { method: 'KEY', options: { url: 'issuer.example' } } })",
    2322,
  ],
  [
    'a registration status that there is not',
    "export const ready = (await client.get('/v1/dids')).dids[0]?.registrationStatus === 'DONE'",
    2367,
  ],
  ['a limit as a text', "await client.get('/v1/dids', { params: { query: { limit: '20' } } })", 2322],
  ['an unknown query parameter', "await client.get('/v1/dids', { params: { query: { size: 20 } } })", 2353],
  ['no id in the path', "await client.get('/v1/dids/{id}')", 2554],
  [
    'an unknown proof type',
    `await client.post(${SIGN}, { body: { payload: ${CREDENTIAL}, proofType: 'rsa', revocable: true } })`,
    2322,
  ],
  [
    'revocable as a text',
    `await client.post(${SIGN}, { body: { payload: ${CREDENTIAL}, proofType: 'bbs-2023', revocable: 'yes' } })`,
    2322,
  ],
  [
    'a credential without an issuer',
    `await client.post(${SIGN}, { body: { payload: { credentialSubject: { id: 'did:example:b' } }, proofType: 'bbs-2023', revocable: true } })`,
    2322,
  ],
  [
    'an issuer without an id',
    `await client.post(${SIGN}, { body: { payload: { issuer: { name: 'A' }, credentialSubject: {} }, proofType: 'bbs-2023', revocable: true } })`,
    2322,
  ],
  [
    'a subject that is a text',
    `await client.post(${SIGN}, { body: { payload: { issuer: 'did:example:a', credentialSubject: 'b' }, proofType: 'bbs-2023', revocable: true } })`,
    2322,
  ],
  [
    'types that are numbers',
    `await client.post(${SIGN}, { body: { payload: { type: [1], issuer: 'did:example:a', credentialSubject: {} }, proofType: 'bbs-2023', revocable: true } })`,
    2322,
  ],
  [
    'an unknown member of the request',
    `await client.post(${SIGN}, { body: { payload: ${CREDENTIAL}, proofType: 'bbs-2023', revocable: true, persist: true } })`,
    2353,
  ],
  [
    'a credential that is a text',
    "await client.post('/v1/credentials/web-semantic/verify', { body: { payload: 'eyJ' } })",
    2322,
  ],
  [
    'a reason that there is not',
    "export const odd = (await client.post('/v1/credentials/web-semantic/verify', { body: { payload: { '@context': [], type: [] } } })).reason[0]?.type === 'Bad'",
    2367,
  ],
  [
    'a revocation without its value',
    `await client.post('/v1/credentials/web-semantic/{id}/revocation-status', { params: ${ID}, body: {} })`,
    2322,
  ],
  [
    'a bulk revocation by something else',
    "await client.post('/v1/credentials/web-semantic/revocations', { body: { by: 'tag', id: 'a', is_revoked: true } })",
    2322,
  ],
  [
    'a bulk revocation undone',
    "await client.post('/v1/credentials/web-semantic/revocations', { body: { by: 'issuer', id: 'did:example:a', is_revoked: false } })",
    2322,
  ],
  ['a batch as an object', "await client.post('/v1/credentials/batches', { body: { rows: [] } })", 2322],
  [
    'an unknown state of batches',
    "await client.get('/v1/credentials/batches', { params: { query: { status: 'DONE' } } })",
    2322,
  ],
  [
    'a delimiter that is no choice',
    "await client.post('/v1/credentials/batches', { params: { query: { delimiter: '-' } }, body: 'id' })",
    2322,
  ],
  [
    'a template without a name',
    `await client.post(${TEMPLATE}, { body: { type: 'A', additional_types: [], issuer: { name: 'A' }, revocable: true } })`,
    2322,
  ],
  ['a lifetime in an unknown unit', "export const year: All['TemplateIn']['expires_in'] = { decades: 1 }", 2353],
  [
    'an unknown type of query',
    `await client.post(${PRESENTATION_TEMPLATE}, { body: { domain: 'a.example', name: 'A', query: [{ type: 'QueryByName' }] } })`,
    2322,
  ],
  [
    'the end of a request as a text',
    "await client.post('/v1/credentials/web-semantic/presentations/requests', { body: { expiresTime: '2027-01-01T00:00:00Z' } })",
    2322,
  ],
  ['an outcome that there is not', "export const passed = (check: All['CheckOut']) => check.outcome === 'ok'", 2367],
  [
    'a setting that is not there',
    "export const settings: All['SettingsIn'] = { fetchUnknownContexts: true, vcApi: true, audit: true }",
    2353,
  ],
]

export const WRONG_LINE = 3

export const WRONG = LINES.map(([what, line, code]) => ({ what, code, text: `${PRELUDE}${line}\n` }))
