import test from 'ava'
import { COURSE, create, errors, lines, results, until } from './support/batches.ts'
import { createDid, verify } from './support/credentials.ts'
import { openWorld, type World } from './support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld({ workflows: true, env: { LOG_LEVEL: 'warn' } })
})
test.after.always(() => world?.close())

test('300 JSON lines become 300 credentials, each of its row, that verify (issue 4, Batches)', async (t) => {
  const issuer = await createDid(world)
  const options = {
    issuer,
    proofType: 'eddsa-rdfc-2022',
    revocable: 'true',
    tag: 'spring',
    context: COURSE,
    type: 'Course',
  }
  const made = await create(world, lines(300), {
    ...options,
    context: [COURSE, '{"Course":"https://schema.org/Course"}'],
  })
  t.like(made, { status: 'PROCESSING', total: 300, signed: 0, failed: 0, pending: 300 })
  const done = await until(world, made.id, ({ status }) => status === 'COMPLETED')
  t.like(done, { total: 300, signed: 300, failed: 0, pending: 0 })
  t.deepEqual(await errors(world, made.id), [])
  const signed = await results(world, made.id)
  t.deepEqual(
    signed.map(({ row }) => row),
    Array.from({ length: 300 }, (_, index) => index + 1),
  )
  for (const { row, credential } of signed)
    t.deepEqual(credential.credentialSubject, { id: `did:example:holder-${row}`, course: `C-${row}` })
  t.is(new Set(signed.map(({ id }) => id)).size, 300)
  t.is(new Set(signed.map(({ credential }) => JSON.stringify(credential.credentialStatus))).size, 300)
  t.deepEqual(await verify(world, signed[298]?.credential), { verified: true, reason: [] })
})
