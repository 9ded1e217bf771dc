import { setTimeout as wait } from 'node:timers/promises'
import test from 'ava'
import { Registry } from 'prom-client'
import { statusListCounter } from '../../../activities/credentials/status-lists/metrics.ts'
import { createStatusSweep, type PublishingSlice } from '../../../activities/credentials/status-lists/sweep.ts'
import { createActivities } from '../../../activities/index.ts'
import type { KeyStore } from '../../../activities/keys/index.ts'
import { Refusal, Unavailable } from '../../../protocol/errors.ts'
import { decodeList, getBit } from '../../../protocol/status-list/index.ts'
import { createDid, sign } from '../../support/credentials/credentials.ts'
import { addPublishedLists, listState, markChanged } from '../../support/credentials/status-lists.ts'
import { platformOf } from '../../support/parts/platform.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld({ env: { STATUS_WINDOW_SECONDS: '10' } })
})
test.after.always(() => world?.close())

const sql = () => world.dependencies.systemSql

test.afterEach(() => sql().query({ text: 'update status_lists set changed_since = null', values: [] }))

/** A tenant with an issuer of its own. */
async function issuer() {
  const client = await world.addTenant()
  const token = await world.tokenOf(client)
  return { tenantId: client.tenantId, token, did: await createDid(world, 'ed25519', token) }
}

type Parts = Parameters<typeof createStatusSweep>[0]

/** A sweep that tells which lists it tried, in their order. */
function sweepOf(changes: Partial<Parts> = {}) {
  const order: string[] = []
  const { statusPublisher: own } = platformOf(world)
  const inner = changes.statusPublisher ?? own
  const sweep = createStatusSweep({
    ...world.dependencies,
    ...changes,
    statusPublisher: {
      signList(tenantId, id, after) {
        order.push(id)
        return inner.signList(tenantId, id, after)
      },
    },
  })
  return { order, run: sweep.publishChangedLists }
}

const counts = ({ signed, failed, more }: PublishingSlice) => ({ signed, failed, more })

/** Refuses to sign for one tenant; able to sign all the same. */
const refusing = (tenantId: string, error: () => Error) => ({
  signList: async (tenant: string, id: string, after: string) => {
    if (tenant === tenantId) throw error()
    return platformOf(world).statusPublisher.signList(tenant, id, after)
  },
})

test.serial(
  'one call goes on until no list is due; one list of a tenant waits for none of another’s 450 (D-140)',
  async (t) => {
    const [large, small] = [await issuer(), await issuer()]
    const many = await addPublishedLists(sql(), 450, large)
    await markChanged(sql(), many)
    const [one = ''] = await addPublishedLists(sql(), 1, small)
    await markChanged(sql(), [one])
    const { order, run } = sweepOf()
    let slice = await run()
    let signed = slice.signed
    for (; slice.more; signed += slice.signed) slice = await run({ until: slice.until })
    t.is(slice.failed, 0)
    t.is(signed, 451)
    t.is(new Set(order).size, 451, 'each once')
    t.true(order.indexOf(one) < 2, `it was number ${order.indexOf(one)}`)
    t.like(await listState(sql(), one), { changes: 1, published_changes: 1, changed_since: null })
  },
)

test.serial('a list that changes again in the same window is signed in the next one (D-140)', async (t) => {
  const [id = ''] = await addPublishedLists(sql(), 1, await issuer())
  await markChanged(sql(), [id])
  const { run } = sweepOf()
  const first = await run()
  t.deepEqual(counts(first), { signed: 1, failed: 0, more: false })
  await markChanged(sql(), [id])
  t.deepEqual(counts(await run({ until: first.until })), { signed: 0, failed: 0, more: false })
  const { pause_seconds: pause, changed_since: since } = await listState(sql(), id)
  t.true(pause > 5 && pause < 10, `${pause} s`)
  t.truthy(since)
  await sql().query({ text: `update status_lists set publish_after = now() where id = $1`, values: [id] })
  t.like(await run(), { signed: 1 })
})

test.serial('the first change of a list dates its wait, also one that comes while it is being signed', async (t) => {
  const did = await createDid(world)
  const { credential } = await sign(world, did, { revocable: true })
  const id =
    String((credential.credentialStatus as Record<string, string>).statusListCredential)
      .split('/')
      .at(-1) ?? ''
  await markChanged(sql(), [id])
  t.is((await listState(sql(), id)).changed_since, null, 'nobody reads it: it need not be signed')
  const { statusPublisher } = platformOf(world)
  await statusPublisher.publishedList(world.first.tenantId, id)
  await markChanged(sql(), [id])
  const { changed_since: first } = await listState(sql(), id)
  t.truthy(first)
  await wait(5)
  await markChanged(sql(), [id])
  t.deepEqual((await listState(sql(), id)).changed_since, first)

  const { documents } = world.dependencies
  const changing = platformOf({
    ...world,
    dependencies: {
      ...world.dependencies,
      documents: {
        ...documents,
        async sign(...request) {
          await markChanged(sql(), [id])
          return documents.sign(...request)
        },
      },
    },
  })
  await changing.statusPublisher.signList(world.first.tenantId, id, new Date().toISOString())
  const after = await listState(sql(), id)
  t.is(after.changes - after.published_changes, 1)
  t.true((after.changed_since ?? 0) > (first ?? 0))
  await statusPublisher.signList(world.first.tenantId, id, new Date().toISOString())
  t.is((await listState(sql(), id)).changed_since, null)
})

test.serial(
  'a list that cannot be signed waits for one window, three, seven … and an hour at most (D-140)',
  async (t) => {
    const [bad, good] = [await issuer(), await issuer()]
    const [broken = ''] = await addPublishedLists(sql(), 1, bad)
    const fine = await addPublishedLists(sql(), 3, good)
    for (const error of [
      () => new Refusal('key.not_found', 'It is gone.'),
      () => new Unavailable('keys', 'Vault did not sign.'),
      () => new Error('a fault'),
    ]) {
      await sql().query({
        text: `update status_lists set publish_failures = 0, publish_after = '-infinity' where id = $1`,
        values: [broken],
      })
      const pauses: number[] = []
      for (let failures = 1; failures <= 11; failures += 1) {
        await markChanged(sql(), [broken, ...fine])
        const text = 'update status_lists set publish_after = now() where id = any($1)'
        await sql().query({ text, values: [[broken, ...fine]] })
        const { order, run } = sweepOf({ statusPublisher: refusing(bad.tenantId, error) })
        t.deepEqual(counts(await run()), { signed: 3, failed: 1, more: false })
        t.is(order.filter((id) => id === broken).length, 1)
        const state = await listState(sql(), broken)
        t.is(state.publish_failures, failures)
        pauses.push(Math.round(state.pause_seconds / 10))
      }
      t.deepEqual(pauses, [1, 1, 3, 7, 15, 31, 63, 127, 255, 360, 360])
    }
    await sql().query({ text: 'update status_lists set publish_after = now() where id = $1', values: [broken] })
    t.like(await sweepOf().run(), { failed: 0 })
    t.is((await listState(sql(), broken)).publish_failures, 0, 'a signature forgets them')
  },
)

test.serial('while the key store is away no list is at fault, and all are signed when it is back', async (t) => {
  const owner = await issuer()
  const lists = await addPublishedLists(sql(), 12, owner)
  await markChanged(sql(), lists)
  let tries = 0
  const away = () => new Unavailable('keys', 'Vault is sealed.', 7)
  const keys: Pick<KeyStore, 'ready'> = { ready: () => Promise.reject(away()) }
  const { run } = sweepOf({
    keys,
    statusPublisher: {
      signList() {
        tries += 1
        return Promise.reject(away())
      },
    },
  })
  t.like(await t.throwsAsync(run()), { part: 'keys', retryAfterSeconds: 7 })
  t.true(tries <= 4, `${tries} tries: nobody goes on`)
  for (const id of lists) t.like(await listState(sql(), id), { publish_failures: 0 })
  t.like(await sweepOf().run(), { signed: 12, failed: 0 })
})

test.serial(
  'a slice ends in seconds and says that there is more, so that a stop or a cancellation is heard',
  async (t) => {
    const lists = await addPublishedLists(sql(), 20, await issuer())
    await markChanged(sql(), lists)
    let time = Date.now()
    const now = () => {
      time += 400 // every look at the clock
      return new Date(time)
    }
    const { order, run } = sweepOf({ now })
    const slice = await run()
    t.true(slice.more)
    t.true(slice.signed > 0 && slice.signed < 20, `${slice.signed}`)
    t.is(order.length, slice.signed)
    const rest = await sweepOf().run({ until: slice.until })
    t.is(rest.until, slice.until)
    t.is(slice.signed + rest.signed, 20)
    const over = await sweepOf().run({ until: new Date(Date.now() - 1).toISOString() })
    t.deepEqual(counts(over), { signed: 0, failed: 0, more: false }, 'nothing when the window is over')
  },
)

test.serial('lists of a deleted issuer are never tried again', async (t) => {
  const owner = await issuer()
  const lists = await addPublishedLists(sql(), 2, owner)
  await markChanged(sql(), lists)
  await sql().query({ text: 'update dids set deleted_at = now() where did = $1', values: [owner.did] })
  const { order, run } = sweepOf()
  t.like(await run(), { signed: 0, failed: 0 })
  t.deepEqual(order, [])
})

test.serial(
  'a list is renewed 12 hours before its end, and before changes once it has waited for an hour',
  async (t) => {
    const owner = await issuer()
    const [soon = '', urgent = '', later = '', changed = ''] = await addPublishedLists(sql(), 4, owner)
    const ends = (id: string, hours: number) =>
      sql().query({
        text: `update status_lists set valid_until = now() + make_interval(hours => $2),
          signed_at = now() + make_interval(hours => $2 - 24) where id = $1`,
        values: [id, hours],
      })
    await ends(soon, 12)
    await ends(urgent, 10)
    await ends(later, 13)
    await markChanged(sql(), [changed])
    const { order, run } = sweepOf()
    await run()
    t.deepEqual(order, [urgent, changed, soon])
  },
)

test.serial('what the sweep signs is what the public reads, and the worker counts it', async (t) => {
  const did = await createDid(world)
  const { id, credential } = await sign(world, did, { revocable: true })
  const { statusListCredential = '', statusListIndex } = credential.credentialStatus as Record<string, string>
  const read = async () => {
    const list = (await world.ask(new URL(statusListCredential).pathname)).json<{
      credentialSubject: { encodedList: string }
    }>()
    return getBit(decodeList(list.credentialSubject.encodedList), Number(statusListIndex))
  }
  t.false(await read())
  const path = `/v1/credentials/web-semantic/${id}/revocation-status`
  t.is((await world.ask(path, { token: world.token, body: { is_revoked: true } })).status, 200)
  t.false(await read(), 'it was signed a moment ago')
  const metrics = new Registry()
  const activities = createActivities(world.dependencies, statusListCounter(metrics))
  t.like(await activities.publishChangedLists(), { signed: 1, failed: 0, more: false })
  t.true(await read())
  const told = await metrics.metrics()
  t.regex(told, /countersign_status_list_signings_total\{outcome="signed"\} 1\n/)
  t.regex(told, /countersign_status_list_signings_total\{outcome="failed"\} 0\n/)
})
