import { randomBytes, randomUUID } from 'node:crypto'
import test from 'ava'
import { createSubjectIndex, indexMissingSubjects } from '../../activities/credentials/subjects.ts'
import { createDid } from '../support/credentials/credentials.ts'
import { signSdJwt } from '../support/sd-jwt/credentials.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

test('digests of a subject are of one tenant and one master key alone (D-787)', (t) => {
  const [tenant, other, subject] = [randomUUID(), randomUUID(), 'did:example:holder']
  const index = createSubjectIndex(world.config)
  const digest = index.of(tenant, subject)
  t.deepEqual(index.of(tenant, subject), digest)
  const changed = [
    index.of(other, subject),
    index.of(tenant, `${subject}2`),
    createSubjectIndex({ masterKey: randomBytes(32) }).of(tenant, subject),
  ]
  for (const each of changed) t.notDeepEqual(each, digest)
})

test('an SD-JWT VC is found by its sub, at once and by the maintenance (RFC 7519, section 4.1.2)', async (t) => {
  const { systemSql, config } = world.dependencies
  const sub = 'did:example:of-an-sd-jwt-vc'
  const body = { payload: { vct: 'https://types.example/one', sub }, issuer_did: await createDid(world, 'P-256') }
  const { id } = await signSdJwt(world, body)
  const found = async () =>
    (await world.ask('/v1/credentials/search', { token: world.token, body: { subject: sub } }))
      .json<{ data: { id: string }[] }>()
      .data.map((each) => each.id)
  t.deepEqual(await found(), [id])
  await systemSql.query({ text: 'update credentials set subjects = null where id = $1', values: [id] })
  t.deepEqual(await found(), [])
  t.is(await indexMissingSubjects(systemSql, createSubjectIndex(config)), 1)
  t.deepEqual(await found(), [id])
})
