import { createHash, randomUUID } from 'node:crypto'
import test from 'ava'
import { rowLine } from '../../../protocol/administration/transfers/file.ts'
import type { Json } from '../../../protocol/json.ts'
import { jwsSigningInput } from '../../../protocol/jws.ts'
import { newSubdomain } from '../../support/administration.ts'
import { type FileWorld, openFileWorld } from '../../support/transfers/files.ts'
import { fileOf } from '../../support/transfers/transfers.ts'

let here: FileWorld
test.before(async () => {
  here = await openFileWorld()
})
test.after.always(() => here?.close())

const NUL = '\\u0000'

/** The lines with a pinned context behind the settings. */
const withContext = (document: string, url = 'https://example.edu/context') => {
  const sha256 = createHash('sha256').update(document).digest('hex')
  const createdAt = '2026-01-01T00:00:00Z'
  const line = rowLine('contexts', { id: randomUUID(), createdAt, url, sha256, document, source: 'registered' })
  return [...here.lines.slice(0, 2), line, ...here.lines.slice(2)]
}

const CONTEXT = '{"@context":{"course":"https://schema.org/courseCode"}}'
const web = (did: string, more: object) => () =>
  here.changed('dids', () => ({ ...{ did, method: 'WEB', document: { id: did }, path: '' }, ...more }))

const BY_ROW: [what: string, lines: () => string[], code: string, path: () => string, rule: string][] = [
  [
    'an unknown kind',
    () => [...here.lines.slice(0, 1), '{"kind":"keys","row":{}}', ...here.lines.slice(1)],
    'tenant_import.file_invalid',
    () => 'line 2: kind',
    'kind',
  ],
  [
    'kinds out of their order',
    () => [here.lines[0] ?? '', ...here.lines.slice(2, -1), here.lines[1] ?? ''],
    'tenant_import.file_invalid',
    () => `line ${here.lines.length - 1}: kind`,
    'order',
  ],
  [
    '__proto__ in a row',
    () => here.lines.map((line) => line.replace('"fetchUnknownContexts"', '"__proto__":{},"fetchUnknownContexts"')),
    'tenant_import.file_invalid',
    () => 'line 2: row.__proto__',
    'duplicate_member',
  ],
  [
    'U+0000 in a text',
    () =>
      here
        .changed('webhooks', () => ({ url: `https://x.example/` }))
        .map((line) => line.replace('https://x.example/', `https://x.example/${NUL}`)),
    'tenant_import.file_invalid',
    () => `line ${here.place('webhooks')}: row.url`,
    'unusable_text',
  ],
  [
    'a member that no row has',
    () => here.changed('dids', () => ({ tenantId: here.world.first.tenantId })),
    'tenant_import.row_invalid',
    () => `line ${here.place('dids')}: row.tenantId`,
    'unknown',
  ],
  [
    'a secret of a webhook',
    () => here.changed('webhooks', () => ({ secret: 'x' })),
    'tenant_import.row_invalid',
    () => `line ${here.place('webhooks')}: row.secret`,
    'unknown',
  ],
  [
    'a webhook at an address inside',
    () => here.changed('webhooks', () => ({ url: 'https://127.0.0.1/' })),
    'tenant_import.row_invalid',
    () => `line ${here.place('webhooks')}: row.url`,
    'address',
  ],
  [
    'a webhook for an event that there is not',
    () => here.changed('webhooks', () => ({ events: ['Everything'] })),
    'tenant_import.row_invalid',
    () => `line ${here.place('webhooks')}: row.events.0`,
    'unknown',
  ],
  [
    'a DID whose document is of another one',
    () => here.changed('dids', () => ({ did: 'did:key:z6MkpTHR8VNsBxYAAWHut2Geadd9jSwuBV8xRoAnwWsdvktH' })),
    'tenant_import.row_invalid',
    () => `line ${here.place('dids')}: row`,
    'did.invalid_document',
  ],
  [
    'a did:key with a document elsewhere',
    () => here.changed('dids', () => ({ hosting: 'platform', host: 'localhost', path: '' })),
    'tenant_import.row_invalid',
    () => `line ${here.place('dids')}: row.hosting`,
    'hosting',
  ],
  [
    'a did:web that nobody hosts',
    web('did:web:bank.example', { hosting: 'none', host: 'bank.example' }),
    'tenant_import.row_invalid',
    () => `line ${here.place('dids')}: row.hosting`,
    'hosting',
  ],
  [
    'a did:web at another host than its own',
    web('did:web:bank.example', { hosting: 'platform', host: 'localhost' }),
    'tenant_import.row_invalid',
    () => `line ${here.place('dids')}: row.host`,
    'host',
  ],
  [
    'a did:web at another path than its own',
    web('did:web:bank.example:branch', { hosting: 'caller', host: 'bank.example' }),
    'tenant_import.row_invalid',
    () => `line ${here.place('dids')}: row.path`,
    'path',
  ],
  [
    'a did:web that is not in its normal form',
    web('did:web:Bank.example', { hosting: 'caller', host: 'bank.example' }),
    'tenant_import.row_invalid',
    () => `line ${here.place('dids')}: row.did`,
    'did',
  ],
  [
    'a context that is too deep to be read',
    () => withContext(`{"@context":${'['.repeat(500)}${']'.repeat(500)}}`),
    'tenant_import.row_invalid',
    () => 'line 3: row',
    'context.invalid',
  ],
  [
    'a context that is none',
    () => withContext('{}'),
    'tenant_import.row_invalid',
    () => 'line 3: row',
    'context.invalid',
  ],
  [
    'a context that is larger than one that is fetched',
    () => withContext(CONTEXT + ' '.repeat(256 * 1024)),
    'tenant_import.row_invalid',
    () => 'line 3: row',
    'context.invalid',
  ],
  [
    'a context of another scheme',
    () => withContext(CONTEXT, 'javascript:alert(1)'),
    'tenant_import.row_invalid',
    () => 'line 3: row',
    'outbound.not_https',
  ],
  [
    'a credential that was erased, with its claims',
    () => here.changed('credentials', () => ({ erasedAt: '2026-01-01T00:00:00Z' })),
    'tenant_import.row_invalid',
    () => `line ${here.place('credentials')}: row.erasedAt`,
    'erased',
  ],
  [
    'a compact credential without its text',
    () => here.changed('credentials', () => ({ format: 'compact', document: { decoded: {} } })),
    'tenant_import.row_invalid',
    () => `line ${here.place('credentials')}: row.document`,
    'form',
  ],
  [
    'a compact-semantic credential that names no issuer',
    () => here.changed('credentials', () => ({ format: 'compact-semantic', document: { encoded: 'x', decoded: {} } })),
    'tenant_import.row_invalid',
    () => `line ${here.place('credentials')}: row.document`,
    'form',
  ],
  [
    'a web semantic credential in bytes',
    () => here.changed('credentials', () => ({ document: null, documentBytes: 'oWE=' })),
    'tenant_import.row_invalid',
    () => `line ${here.place('credentials')}: row.document`,
    'object',
  ],
  [
    'an envelope of a credential with a proof',
    () => here.changed('credentials', () => ({ envelope: 'data:application/vc+jwt,e30.e30.e30' })),
    'tenant_import.row_invalid',
    () => `line ${here.place('credentials')}: row.envelope`,
    'proof_type',
  ],
  [
    'an enveloped credential without its envelope',
    () => here.changed('credentials', () => ({ proofType: 'vc+jwt' })),
    'tenant_import.row_invalid',
    () => `line ${here.place('credentials')}: row.envelope`,
    'required',
  ],
  [
    'an envelope of another document',
    () =>
      here.changed('credentials', () => ({
        proofType: 'vc+jwt',
        envelope: `data:application/vc+jwt,${jwsSigningInput({ alg: 'ES256' }, { issuer: 'did:example:other' })}.AAAA`,
      })),
    'tenant_import.row_invalid',
    () => `line ${here.place('credentials')}: row.envelope`,
    'content',
  ],
  [
    'an envelope that nobody can read',
    () => here.changed('credentials', () => ({ proofType: 'vc+jwt', envelope: 'data:application/vc+jwt,e30.e30.e30' })),
    'tenant_import.row_invalid',
    () => `line ${here.place('credentials')}: row`,
    'envelope.algorithm',
  ],
  [
    'a mobile credential that nobody can read',
    () =>
      here.changed('credentials', () => ({
        ...{ format: 'mobile', document: null, documentBytes: 'oWE=', didId: null, documentSignerId: randomUUID() },
      })),
    'tenant_import.row_invalid',
    () => `line ${here.place('credentials')}: row`,
    'credential.malformed',
  ],
  [
    'a credential of a time to come, which no revocation of many would reach',
    () => here.changed('credentials', () => ({ createdAt: '9999-12-31T23:59:59Z' })),
    'tenant_import.row_invalid',
    () => `line ${here.place('credentials')}: row.createdAt`,
    'late',
  ],
  [
    'a scope of operators for a client',
    () => here.changed('clients', () => ({ scopes: ['platform:write'] })),
    'tenant_import.row_invalid',
    () => `line ${here.place('clients')}: row.scopes.0`,
    'scope',
  ],
  [
    'a template without a name',
    () =>
      here.changed('credentialTemplates', ({ current }) => ({
        current: { ...(current as Json), definition: { ...((current as Json).definition as Json), name: 7 } },
      })),
    'tenant_import.row_invalid',
    () => `line ${here.place('credentialTemplates')}: row.current.definition.name`,
    'text',
  ],
  [
    'a credential of two issuers',
    () => here.changed('credentials', () => ({ documentSignerId: randomUUID() })),
    'tenant_import.row_invalid',
    () => `line ${here.place('credentials')}: row.didId`,
    'one',
  ],
  [
    'a revoked credential that is on no list',
    () => here.changed('credentials', () => ({ revoked: true, statusListId: null, statusIndex: null })),
    'tenant_import.row_invalid',
    () => `line ${here.place('credentials')}: row.statusListId`,
    'required',
  ],
  [
    'a credential on a list that is not in the file',
    () => here.changed('credentials', () => ({ statusListId: randomUUID() })),
    'tenant_import.row_refused',
    () => `line ${here.place('credentials')}: row`,
    'reference',
  ],
  [
    'a row that stands there twice',
    () => [
      ...here.lines.slice(0, here.place('dids')),
      here.lines[here.place('dids') - 1] ?? '',
      ...here.lines.slice(here.place('dids')),
    ],
    'tenant_import.row_invalid',
    () => `line ${here.place('dids') + 1}: row.id`,
    'repeated',
  ],
]

for (const [what, make, code, path, rule] of BY_ROW)
  test.serial(`${what}: the import fails by line, member and rule, and nothing is left`, async (t) => {
    const subdomain = newSubdomain()
    const { state, failure, needs } = await here.transfers.imported(fileOf(make()), { subdomain })
    t.is(state, 'FAILED')
    t.deepEqual(
      [failure?.code, failure?.errors[0]?.path, failure?.errors[0]?.code],
      [code, path(), rule],
      JSON.stringify(failure),
    )
    t.deepEqual(needs, [])
    await here.nothingIsLeft(t, subdomain)
  })
