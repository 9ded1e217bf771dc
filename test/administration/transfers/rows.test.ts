import { randomUUID } from 'node:crypto'
import test from 'ava'
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
