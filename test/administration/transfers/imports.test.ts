import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import test from 'ava'
import { connect, takeTurn } from '../../../entities/orm.ts'
import { chained, endLine } from '../../../protocol/administration/transfers/file.ts'
import { newSubdomain, tenantsOf } from '../../support/administration.ts'
import { until } from '../../support/credentials/dids.ts'
import { type FileWorld, openFileWorld, refusalOf } from '../../support/transfers/files.ts'
import { fileOf, type ImportAnswer, transfersOf } from '../../support/transfers/transfers.ts'

let here: FileWorld
test.before(async () => {
  here = await openFileWorld()
})
test.after.always(() => here?.close())

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

test.serial(
  'a setting that a file of an earlier release does not have, or has as null, is as in a new tenant',
  async (t) => {
    for (const [given, expected] of [
      [undefined, false],
      [null, false],
      [true, true],
    ] as const) {
      const file = fileOf(here.changed('settings', () => ({ envelopedStatusLists: given })))
      const done = await here.transfers.imported(file)
      t.is(done.state, 'DONE', JSON.stringify(done.failure))
      t.deepEqual(await here.rows('select enveloped_status_lists as is_on from tenants where id = $1', done.tenantId), [
        { is_on: expected },
      ])
    }
  },
)

test.serial('an Idempotency-Key gives the same answer for the same file, and refuses another one', async (t) => {
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

test.serial('the file of a tenant that was deleted is a new import', async (t) => {
  const subdomain = newSubdomain()
  const file = fileOf([...here.lines])
  const done = await here.transfers.imported(file, { subdomain })
  t.is(done.state, 'DONE', JSON.stringify(done.failure))
  const known = await here.transfers.import(file, { subdomain })
  t.is(known.json<{ id: string }>().id, done.id)
  await here.rows('update tenants set deleted_at = now() where id = $1', done.tenantId)
  t.deepEqual(refusalOf(await here.transfers.import(file, { subdomain })).slice(0, 2), [409, 'tenant.subdomain_taken'])
  t.is((await here.transfers.readImport(done.id)).json<{ state: string }>().state, 'DONE', 'its report stays')
})

test.serial('an import whose organization is deleted meanwhile fails, and is not tried for ever', async (t) => {
  const organizationId = randomUUID()
  await here.rows(`insert into organizations (id, name, content) values ($1, 'short-lived', '')`, organizationId)
  const owner = await connect(here.world.config.database.url, 1)
  const reply = await owner.em.transactional(async (em) => {
    await takeTurn(em, 'ids of tenant imports')
    const asked = await here.transfers.import(here.file, { subdomain: newSubdomain(), organizationId })
    await here.rows('delete from organizations where id = $1', organizationId)
    return asked
  })
  await owner.close()
  t.is(reply.status, 202, reply.text)
  const { id } = reply.json<{ id: string }>()
  const read = async () => (await here.transfers.readImport(id)).json<ImportAnswer>()
  await until('the end of the import', async () => (await read()).state === 'FAILED', 90_000)
  t.is((await read()).failure?.code, 'organization.not_found')
})
