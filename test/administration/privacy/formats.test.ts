import { randomUUID } from 'node:crypto'
import test from 'ava'
import { COMPACT } from '../../support/credentials/compact.ts'
import { type Database, erase, erased, openDatabase } from '../../support/privacy/erasures.ts'
import { type Issuing, newHolder, openIssuing } from '../../support/privacy/issuing.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let database: Database
let issuing: Issuing
test.before(async () => {
  world = await openWorld({ workflows: true })
  database = await openDatabase(world)
  issuing = await openIssuing(world)
})
test.after.always(async () => {
  await database?.close()
  await world?.close()
})

for (const name of ['web-semantic', 'compact', 'compact-semantic', 'mobile', 'sd-jwt-vc'])
  test(`a ${name} credential is erased by its id, wherever its claims were, and revoked afterwards all the same`, async (t) => {
    const [, area = '', make] = issuing.FORMATS.find(([format]) => format === name) ?? []
    if (!make) return t.fail(name)
    const marker = `marker${randomUUID().replaceAll('-', '')}`
    const id = await make(marker)
    t.deepEqual(
      (await database.placesOf(marker)).filter((place) => !place.startsWith('credentials.')),
      [],
    )
    t.true((await database.placesOf(marker)).length > 0)
    const done = await erased(world, { credentialId: id })
    t.like(done, { by: 'credential', erased: { credentials: 1, revoked: 0 } })
    t.deepEqual(await database.placesOf(marker), [])
    t.is((await issuing.read(id, area)).status, 404)
    const path = `${area}/${id}/revocation-status`
    const body = name === 'mobile' ? { isRevoked: true } : { is_revoked: true }
    const revoked = await world.ask(path, { token: world.token, body })
    t.true(revoked.status < 300, revoked.text)
    t.like((await world.ask(path, { token: world.token })).json(), { isRevoked: true })
    const again = await erase(world, { credentialId: id })
    t.deepEqual([again.status, again.json<{ id: string }>().id], [202, done.id])
  })

test('the compact credentials of a subject are found by its DID too', async (t) => {
  const holder = newHolder()
  const { id } = await issuing.sign(`${COMPACT}/sign`, {
    payload: { iss: issuing.issuer, sub: holder, type: 'Course', course: 'C' },
    revocable: false,
  })
  t.true((await database.placesOf(holder)).length > 0)
  t.like((await erased(world, { subjectDid: holder })).erased, { credentials: 1 })
  t.deepEqual(await database.placesOf(holder), [])
  t.is((await issuing.read(id, COMPACT)).status, 404)
})

test('a credential that cannot be read stays, and is named; a second round counts what stayed once', async (t) => {
  const holder = newHolder()
  const id = (await issuing.FORMATS.find(([name]) => name === 'mobile')?.[2]('unreadable')) ?? ''
  await database.rows('update credentials set document_bytes = $2 where id = $1', id, Buffer.from(`no mdoc ${holder}`))
  for (const round of [1, 2]) {
    const done = await erased(world, { subjectDid: holder })
    t.like(done, { round, mentioned: 1, erased: { credentials: 0 } })
    t.deepEqual(done.mentionedIds, [id])
  }
  await erased(world, { credentialId: id })
  t.deepEqual(await database.placesOf(holder), [])
})
