import test from 'ava'
import { MOBILE_SIGN_EXAMPLE } from '../../../api/mobile-credentials/answers.ts'
import {
  BATCHES,
  type Batch,
  COURSE,
  create,
  lines,
  read,
  results,
  steer,
  until,
} from '../../support/credentials/batches.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { makeIaca, makeSigner } from '../../support/credentials/mobile.ts'
import { refusal } from '../../support/credentials/templates.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
/** Batches that have ended, by the area of their format's scopes. */
let batches: Record<string, Batch>
test.before(async () => {
  world = await openWorld({ workflows: true })
  await makeIaca(world)
  await makeSigner(world, { active: true })
  const issuer = await createDid(world, 'P-256')
  const row = (member: object) => JSON.stringify(member)
  batches = {
    'semantic-credentials': await create(world, lines(1), { issuer, proofType: 'ecdsa-rdfc-2019', context: COURSE }),
    'compact-credentials': await create(world, row({ payload: { name: 'Ada' } }), { format: 'compact', issuer }),
    'mobile-credentials': await create(world, row({ payload: MOBILE_SIGN_EXAMPLE.payload }), { format: 'mobile' }),
  }
  for (const { id } of Object.values(batches)) await until(world, id, ({ status }) => status === 'COMPLETED')
})
test.after.always(() => world?.close())

const tokenFor = (access: string, ...areas: string[]) =>
  world.tokenOf(world.first, ['semantic-credentials', ...areas].map((area) => `${area}:${access}`).join(' '))

const FOREIGN = ['compact-credentials', 'mobile-credentials'] as const
const batchOf = (area: string) => batches[area]?.id ?? ''

test('a batch, its credentials and its errors are read with the scope of its format (D-336)', async (t) => {
  const semantic = await tokenFor('read')
  for (const area of FOREIGN) {
    const path = `${BATCHES}/${batchOf(area)}`
    const both = await tokenFor('read', area)
    for (const each of ['', '/results', '/errors']) {
      t.is(refusal(await world.ask(path + each, { token: semantic }), 403), 'token.insufficient_scope', area + each)
      t.is((await world.ask(path + each, { token: both })).status, 200, area + each)
    }
    t.is((await results(world, batchOf(area), 0, both)).length, 1)
  }
  t.is((await results(world, batchOf('semantic-credentials'), 0, semantic)).length, 1)
})

test('the list has the batches of the formats whose scope the token has (D-336)', async (t) => {
  for (const areas of [[], ['compact-credentials'], ['compact-credentials', 'mobile-credentials']]) {
    const token = await tokenFor('read', ...areas)
    const listed = (await world.ask(BATCHES, { token })).json<{ data: Batch[]; total_count: number }>()
    const expected = ['semantic-credentials', ...areas].map(batchOf)
    t.deepEqual(listed.data.map(({ id }) => id).sort(), expected.sort())
    t.is(listed.total_count, expected.length)
  }
  const completed = await world.ask(`${BATCHES}?status=COMPLETED`, { token: await tokenFor('read') })
  t.is(completed.json<{ total_count: number }>().total_count, 1)
})

test('a batch is paused, resumed and cancelled with the scope of its format (D-336)', async (t) => {
  const semantic = await tokenFor('write')
  for (const area of FOREIGN) {
    const both = await tokenFor('write', area)
    for (const verb of ['pause', 'resume', 'cancel']) {
      t.is(refusal(await steer(world, batchOf(area), verb, semantic), 403), 'token.insufficient_scope', verb)
      t.is(refusal(await steer(world, batchOf(area), verb, both), 409), 'batch.ended', verb)
    }
    t.is((await read(world, batchOf(area))).status, 'COMPLETED')
  }
  t.is(refusal(await steer(world, batchOf('semantic-credentials'), 'cancel', semantic), 409), 'batch.ended')
})
