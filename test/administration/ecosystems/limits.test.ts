import test from 'ava'
import { kind, newEcosystem, operatorToken, participant } from '../../support/ecosystems.ts'
import { openWorld, type Reply, type World } from '../../support/world.ts'

let world: World
let token: string
test.before(async () => {
  world = await openWorld()
  token = await operatorToken(world)
})
test.after.always(() => world?.close())

const change = (text: string, ...values: unknown[]) => world.dependencies.systemSql.query({ text, values })
const sorted = (replies: Reply[]) => replies.map(({ status }) => status).sort()
const codesOf = (replies: Reply[]) =>
  replies.filter(({ status }) => status === 409).map((reply) => reply.json<{ type: string }>().type)

test('an ecosystem has 1,000 participants at most, also of requests at the same time; a deleted one makes room', async (t) => {
  const ecosystem = await newEcosystem(world, token)
  await change(
    `insert into ecosystem_participants (id, ecosystem_id, name, is_issuer, is_issuer_constrained, is_verifier, is_verifier_constrained)
     select gen_random_uuid(), $1, 'x', true, false, true, false from generate_series(1, 998)`,
    ecosystem.id,
  )
  const add = () => ecosystem.ask('/participants', 'POST', participant())
  const replies = await Promise.all(Array.from({ length: 6 }, add))
  t.deepEqual(sorted(replies), [201, 201, 409, 409, 409, 409])
  t.deepEqual([...new Set(codesOf(replies))], ['/problems#ecosystem_participant.too_many'])
  const made = replies.find(({ status }) => status === 201)?.json<{ id: string }>().id ?? ''
  t.is((await ecosystem.ask(`/participants/${made}`, 'DELETE')).status, 204)
  t.is((await add()).status, 201)
})

test('an ecosystem has 500 credentials at most, also of requests at the same time; a deleted one makes room', async (t) => {
  const ecosystem = await newEcosystem(world, token)
  await change(
    `insert into ecosystem_credentials (id, ecosystem_id, name, profile, type)
     select gen_random_uuid(), $1, 'x', 'compact', 'Type' || n from generate_series(1, 498) n`,
    ecosystem.id,
  )
  const add = () => ecosystem.ask('/credentials', 'POST', kind())
  const replies = await Promise.all(Array.from({ length: 6 }, add))
  t.deepEqual(sorted(replies), [201, 201, 409, 409, 409, 409])
  t.deepEqual([...new Set(codesOf(replies))], ['/problems#ecosystem_credential.too_many'])
  const made = replies.find(({ status }) => status === 201)?.json<{ id: string }>().id ?? ''
  t.is((await ecosystem.ask(`/credentials/${made}`, 'DELETE')).status, 204)
  t.is((await add()).status, 201)
})
