import { createHash, randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import test from 'ava'
import { chained, endLine, rowLine } from '../../../protocol/administration/transfers/file.ts'
import type { Json } from '../../../protocol/json.ts'
import { newSubdomain, tenantsOf } from '../../support/administration.ts'
import { type FileWorld, openFileWorld, refusalOf } from '../../support/transfers/files.ts'
import { fileOf, transfersOf } from '../../support/transfers/transfers.ts'

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

test.serial('after a failed import the same file may be sent again, and its subdomain is free', async (t) => {
  const subdomain = newSubdomain()
  const broken = fileOf(here.changed('credentials', () => ({ statusListId: randomUUID() })))
  const first = await here.transfers.imported(broken, { subdomain })
  t.is(first.state, 'FAILED')
  await here.nothingIsLeft(t, subdomain)
  const second = await here.transfers.imported(here.file, { subdomain })
  t.is(second.state, 'DONE', JSON.stringify(second.failure))
  t.not(second.id, first.id)
})

test.serial('ids of rows of another tenant: all ids are new, and the rows of the other tenant stay', async (t) => {
  const [theirs] = await here.rows<{ id: string; did: string }>(
    'select id, did from dids where tenant_id <> $1 limit 1',
    here.world.first.tenantId,
  )
  const done = await here.transfers.imported(fileOf(here.changed('dids', () => ({ id: theirs?.id }))))
  t.is(done.state, 'DONE', JSON.stringify(done.failure))
  t.false(done.keepsIds)
  t.deepEqual(await here.rows('select did from dids where id = $1', theirs?.id), [{ did: theirs?.did }])
})

test.serial(
  'a body of another type, a subdomain that is taken, an unknown environment: refused before the file is read',
  async (t) => {
    const { subdomain } = await tenantsOf(here.world, here.operator).created()
    t.is((await here.transfers.import(here.file, { type: 'application/zip' })).status, 415)
    t.is((await here.transfers.import(here.file, { environmentId: randomUUID() })).status, 404)
    const taken = await here.transfers.import(here.file, { subdomain: subdomain.split('.')[0] })
    t.deepEqual(refusalOf(taken), [409, 'tenant.subdomain_taken', 'subdomain', 'unique'])
    t.deepEqual(refusalOf(await here.transfers.import(here.file, { subdomain: 'www' })), [
      400,
      'tenant.invalid_subdomain',
      'subdomain',
      'reserved',
    ])
  },
)

test.serial('an Idempotency-Key gives the same answer for the same here.file, and refuses another one', async (t) => {
  const key = randomUUID()
  const subdomain = newSubdomain()
  const environmentId = await tenantsOf(here.world, here.operator).environmentId()
  const send = (body: Buffer<ArrayBuffer>) =>
    here.transfers.import(body, { subdomain, environmentId, headers: { 'idempotency-key': key } })
  const [first, again] = [await send(here.file), await send(here.file)]
  t.is(first.status, 202)
  t.is(again.text, first.text)
  t.is((await send(fileOf(here.lines))).status, 422)
})

test.serial('a tenant’s own client reads no export and starts none', async (t) => {
  const token = here.world.token
  const theirs = transfersOf(here.world, token)
  t.is((await theirs.create(here.world.first.tenantId)).status, 403)
  t.is((await theirs.readImport(randomUUID())).status, 403)
  t.is((await here.transfers.create(randomUUID())).status, 404)
  t.is((await here.transfers.read(here.world.first.tenantId, randomUUID())).status, 404)
})

test.serial('a count under a name that every object has is compared as any other one', async (t) => {
  const body = here.lines.slice(0, -1)
  const { counts } = JSON.parse(here.lines.at(-1) ?? '') as { counts: object }
  const digest = body.reduce<Buffer | null>(chained, null)?.toString('hex') ?? ''
  const lines = [...body, endLine({ counts: { ...counts, constructor: 3 }, lines: body.length, digest })]
  const { failure } = await here.transfers.imported(
    gzipSync(lines.map((line) => `${line}\n`).join('')) as Buffer<ArrayBuffer>,
  )
  const errors = [{ path: 'counts.constructor', code: 'count', message: 'expected 0' }]
  t.like(failure, { code: 'tenant_import.file_invalid', errors })
})
