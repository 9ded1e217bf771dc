import { randomUUID } from 'node:crypto'
import test from 'ava'
import { loggedAbout } from '../support/credentials/dids.ts'
import { createMailbox, deliveryOf, INBOXES, type Inbox, inboxesOf, type Message } from '../support/messaging.ts'
import { openWorld, type Reply, type World } from '../support/world.ts'

// no Temporal and no worker: each operation ends with its request
let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const own = () => inboxesOf(world, world.token)
const typeOf = (reply: Reply) => reply.json<{ type: string }>().type

async function otherTenant() {
  const client = await world.addTenant()
  const token = await world.tokenOf(client)
  return { ...client, token, inboxes: inboxesOf(world, token) }
}

/** As the superuser sees it, who passes every fence. */
const rowsOf = async (text: string, values: unknown[]) =>
  (await world.dependencies.systemSql.query<{ found: number }>({ text, values })).rows[0]?.found

test('an inbox is created, read, renamed and deleted (specification, Inbox and message)', async (t) => {
  const reply = await own().create('Admissions')
  t.is(reply.status, 201)
  const { id, ...rest } = reply.json<Inbox>()
  t.deepEqual(rest, { name: 'Admissions' })
  t.is(reply.headers.get('location'), `${INBOXES}/${id}`)
  t.deepEqual((await own().read(id)).json(), { id, name: 'Admissions' })
  const renamed = await own().rename(id, 'Registrar')
  t.deepEqual([renamed.status, renamed.json()], [200, { id, name: 'Registrar' }])
  t.deepEqual((await own().read(id)).json(), { id, name: 'Registrar' })
  const removed = await own().remove(id)
  t.deepEqual([removed.status, removed.text], [204, ''])
  for (const gone of [await own().read(id), await own().rename(id, 'x'), await own().remove(id)]) {
    t.is(gone.status, 404)
    t.is(typeOf(gone), '/problems#inbox.not_found')
  }
  for (const name of ['CREATE', 'UPDATE', 'DELETE'])
    t.is((await loggedAbout(world, world.token, `MESSAGING_INBOX_${name}_SUCCESS`, id)).length, 1, name)
})

test('a list has pages, newest first, with the totals, and another tenant’s inboxes are in none', async (t) => {
  const { inboxes } = await otherTenant()
  const made: string[] = []
  for (let nth = 0; nth < 3; nth += 1) made.unshift(await inboxes.created())
  const page = await inboxes.list('?limit=2&page=1')
  t.like(page, { limit: 2, totalCount: 3, totalPages: 2 })
  t.deepEqual(
    [...page.inboxes, ...(await inboxes.list('?limit=2&page=2')).inboxes].map(({ id }) => id),
    made,
  )
})

test('a name is one line of 1 to 255 characters, and nothing else is accepted beside it', async (t) => {
  const id = await own().created()
  const hidden = [' ', '\u3000\u00a0', '\u200b', '\u3164', 'a\u202eb', 'a\u2066b', '\u200fa', 'a\u2028b']
  for (const name of ['', 'a\nb', 'x'.repeat(256), 1, null, { a: 'b' }, ...hidden]) {
    for (const reply of [await own().create(name), await own().rename(id, name)]) {
      t.is(reply.status, 400, JSON.stringify(name))
      t.like(reply.json(), { type: '/problems#request.invalid', errors: [{ path: 'name' }] })
    }
  }
  for (const body of [{}, { name: 'x', id: randomUUID() }])
    t.is((await world.ask(INBOXES, { token: world.token, body })).status, 400)
  for (const name of ['日本語 👋', '👨‍👩‍👧', 'שלום', ' a '])
    t.is((await own().create(name)).json<{ name: string }>().name, name)
})

test('a repeated Idempotency-Key creates one inbox', async (t) => {
  const { inboxes, token } = await otherTenant()
  const ask = () => world.ask(INBOXES, { token, body: { name: 'once' }, headers: { 'idempotency-key': 'create-once' } })
  const [first, second] = [await ask(), await ask()]
  t.deepEqual(second.json(), first.json())
  t.is((await inboxes.list()).totalCount, 1)
})

test('a tenant can have 100 inboxes, also by concurrent requests', async (t) => {
  const { tenantId, inboxes } = await otherTenant()
  const id = await inboxes.created()
  const text = `insert into inboxes (id, tenant_id, name) select gen_random_uuid(), $1, n::text from generate_series(1, 96) n`
  await asTenant(tenantId, text, [tenantId])
  const replies = await Promise.all(Array.from({ length: 8 }, () => inboxes.create()))
  t.deepEqual(replies.map(({ status }) => status).toSorted(), [201, 201, 201, 409, 409, 409, 409, 409])
  t.is(typeOf(replies.find(({ status }) => status === 409) ?? t.fail()), '/problems#inbox.too_many')
  t.is((await inboxes.remove(id)).status, 204)
  t.is((await inboxes.create()).status, 201)
})

/** One statement through the fences, as the application would send it. */
async function asTenant(tenantId: string, text: string, values: unknown[]): Promise<unknown[]> {
  const em = world.dependencies.database.tenants.em.fork()
  em.setFilterParams('tenant', { tenantId })
  em.setSessionContext({ variables: { 'app.tenant': tenantId } })
  const statement = text.replace(/\$\d+/g, '?')
  return em.transactional((tx) => tx.execute(statement, values) as Promise<unknown[]>)
}

const delivery = (recipient: string, payload: string, messageId: string = randomUUID()) => ({
  recipient,
  payload,
  messageId,
  requestId: randomUUID(),
})

test('a message to a registered DID is in its inbox, whole and newest first (specification, Inbox and message)', async (t) => {
  const { inboxId, inboxDid, messageId } = await createMailbox(world)
  const payload = `{"grüße":"👋","long":"${'x'.repeat(100_000)}"}`
  const [delivered] = await deliveryOf(world).deliverToInboxes(delivery(`${inboxDid}#key`, payload))
  t.is(delivered?.outcome, 'stored')
  const { messages, ...totals } = await own().messages(inboxId)
  t.deepEqual(totals, { limit: 20, totalCount: 2, totalPages: 1 })
  const [newest, oldest] = messages
  t.deepEqual(Object.keys(newest ?? {}).toSorted(), ['createdAt', 'id', 'inboxId', 'payload'])
  t.like(newest, { inboxId, payload })
  t.is(oldest?.id, messageId)
  t.true(Math.abs(Date.parse(newest?.createdAt ?? '') - Date.now()) < 60_000)
  t.deepEqual((await own().message(inboxId, newest?.id ?? '')).json<Message>(), newest)
  t.is((await loggedAbout(world, world.token, 'MESSAGING_INBOX_MESSAGE_RECEIVE_SUCCESS', newest?.id ?? '')).length, 1)
})

test('a message is encrypted at rest, and opens in no other row', async (t) => {
  const { tenantId } = world.first
  const { inboxId, inboxDid, messageId } = await createMailbox(world)
  const secret = `secret-${randomUUID()}`
  const delivered = await deliveryOf(world).deliverToInboxes(delivery(inboxDid, secret))
  const [row] = delivered
  if (row?.outcome !== 'stored') return t.fail()
  const [stored] = (await asTenant(
    tenantId,
    `select encode(payload, 'escape') as text from inbox_messages where id = $1`,
    [row.id],
  )) as { text: string }[]
  t.true((stored?.text.length ?? 0) > secret.length)
  t.false(stored?.text.includes(secret))
  const swap = `update inbox_messages set payload = (select payload from inbox_messages where id = $1) where id = $2`
  await asTenant(tenantId, swap, [row.id, messageId])
  t.is((await own().message(inboxId, messageId)).status, 500)
  t.is((await own().message(inboxId, row.id)).status, 200)
})

test('the same message is stored once, also by concurrent senders, and comes again under its id once it was deleted', async (t) => {
  const { inboxId, inboxDid } = await createMailbox(world)
  const [messageId, { deliverToInboxes }] = [randomUUID(), deliveryOf(world)]
  const sent = await Promise.all(
    Array.from({ length: 6 }, () => deliverToInboxes(delivery(inboxDid, 'hello', messageId))),
  )
  t.deepEqual(
    sent
      .flat()
      .map(({ outcome }) => outcome)
      .toSorted(),
    [...Array(5).fill('repeated'), 'stored'],
  )
  const ids = new Set(sent.flat().map((each) => ('id' in each ? each.id : undefined)))
  t.is(ids.size, 1)
  const [id = ''] = ids
  t.is((await own().messages(inboxId)).totalCount, 2)
  t.is((await own().removeMessage(inboxId, id ?? '')).status, 204)
  t.like(await deliverToInboxes(delivery(inboxDid, 'hello', messageId)), [{ outcome: 'stored', id }])
})

test('a message is deleted once, and found in its inbox alone', async (t) => {
  const [first, second] = [await createMailbox(world), await createMailbox(world)]
  for (const reply of [
    await own().message(second.inboxId, first.messageId),
    await own().removeMessage(second.inboxId, first.messageId),
  ]) {
    t.is(reply.status, 404)
    t.is(typeOf(reply), '/problems#message.not_found')
  }
  const replies = await Promise.all([1, 2].map(() => own().removeMessage(first.inboxId, first.messageId)))
  t.deepEqual(replies.map(({ status }) => status).toSorted(), [204, 404])
  t.is((await own().messages(first.inboxId)).totalCount, 0)
  t.is((await loggedAbout(world, world.token, 'MESSAGING_INBOX_MESSAGE_DELETE_SUCCESS', first.messageId)).length, 1)
})

test('a message of more than 256 KiB is refused, in bytes of UTF-8', async (t) => {
  const { inboxId, inboxDid } = await createMailbox(world)
  const { deliverToInboxes } = deliveryOf(world)
  const most = 'é'.repeat(128 * 1024)
  t.like(await deliverToInboxes(delivery(inboxDid, most)), [{ outcome: 'stored' }])
  await t.throwsAsync(deliverToInboxes(delivery(inboxDid, `${most}x`)), { code: 'message.too_large' })
  t.is((await own().messages(inboxId)).messages[0]?.payload, most)
})

test('an inbox of 16 MiB or 10,000 messages takes no more until some are deleted', async (t) => {
  const { tenantId } = world.first
  const { deliverToInboxes } = deliveryOf(world)
  for (const [count, size] of [
    [9_999, 1],
    [64, 262_144],
  ] as const) {
    const { inboxId, inboxDid, messageId } = await createMailbox(world)
    await asTenant(tenantId, `delete from inbox_messages where id = $1 and $2::int = 64`, [messageId, count])
    const filling = `insert into inbox_messages (id, tenant_id, inbox_id, payload, size)
      select gen_random_uuid(), $1, $2, '', $3 from generate_series(1, $4)`
    await asTenant(tenantId, filling, [tenantId, inboxId, size, count])
    const [refused] = await deliverToInboxes(delivery(inboxDid, 'x'))
    t.like(refused, { outcome: 'refused', refusal: { code: 'inbox.full' } })
    await asTenant(
      tenantId,
      `delete from inbox_messages where id = (select id from inbox_messages where inbox_id = $1 limit 1)`,
      [inboxId],
    )
    t.like(await deliverToInboxes(delivery(inboxDid, 'x')), [{ outcome: 'stored' }])
    t.is((await own().remove(inboxId)).status, 204)
  }
})

test('a message for a DID of nobody’s inbox comes nowhere; one for two tenants comes to both, or to the one that is named', async (t) => {
  const { deliverToInboxes, inboxesOf: placesOf } = deliveryOf(world)
  t.deepEqual(await deliverToInboxes(delivery('did:example:nobody', 'x')), [])
  await t.throwsAsync(deliverToInboxes(delivery('nobody', 'x')), { code: 'did.invalid' })
  const { inboxId, inboxDid } = await createMailbox(world)
  const other = await otherTenant()
  const otherInbox = await other.inboxes.created()
  await asTenant(
    other.tenantId,
    `insert into inbox_dids (id, tenant_id, inbox_id, did) values (gen_random_uuid(), $1, $2, $3)`,
    [other.tenantId, otherInbox, inboxDid],
  )
  t.is((await placesOf(inboxDid)).length, 2)
  const both = await deliverToInboxes(delivery(inboxDid, 'for both'))
  t.deepEqual(both.map((each) => each.inboxId).toSorted(), [inboxId, otherInbox].toSorted())
  t.is(new Set(both.map((each) => 'id' in each && each.id)).size, 2)
  const one = await deliverToInboxes({ ...delivery(inboxDid, 'for one'), tenantId: other.tenantId })
  t.deepEqual(
    one.map((each) => each.inboxId),
    [otherInbox],
  )
  t.deepEqual(
    (await other.inboxes.messages(otherInbox)).messages.map(({ payload }) => payload),
    ['for one', 'for both'],
  )
  const { tenantId } = world.first
  const filling = `insert into inbox_messages (id, tenant_id, inbox_id, payload, size)
    select gen_random_uuid(), $1, $2, '', 262144 from generate_series(1, 64)`
  await asTenant(tenantId, filling, [tenantId, inboxId])
  const outcomes = (await deliverToInboxes(delivery(inboxDid, 'for who has room'))).map(({ outcome }) => outcome)
  t.deepEqual(outcomes, ['refused', 'stored'], 'a full inbox does not keep a message from another one')
})

test('an inbox is deleted with its messages and registrations, while messages come (D-386)', async (t) => {
  const { inboxId, inboxDid, messageId } = await createMailbox(world)
  const { deliverToInboxes } = deliveryOf(world)
  const [removed, ...sent] = await Promise.all([
    own().remove(inboxId),
    ...Array.from({ length: 5 }, (_, nth) => deliverToInboxes(delivery(inboxDid, `message ${nth}`))),
  ])
  t.is(removed.status, 204)
  for (const each of sent.flat())
    t.true(each.outcome === 'stored' || (each.outcome === 'refused' && each.refusal.code === 'inbox.not_found'))
  t.is(await rowsOf('select count(*)::int as found from inbox_dids where inbox_id = $1', [inboxId]), 0)
  const left = await asTenant(world.first.tenantId, 'select id from inbox_messages where inbox_id = $1', [inboxId])
  t.deepEqual(left, [])
  t.is((await own().message(inboxId, messageId)).status, 404)
  const again = await own().created()
  t.is((await own().register(again, inboxDid)).status, 201)
})

test('another tenant’s inbox, its DIDs and its messages are not found, whatever is asked of them', async (t) => {
  const { inboxId, inboxDid, messageId } = await createMailbox(world)
  const { inboxes: other, token } = await otherTenant()
  const mine = await other.created()
  const path = `${INBOXES}/${inboxId}`
  for (const [code, reply] of [
    ['inbox.not_found', await other.read(inboxId)],
    ['inbox.not_found', await other.rename(inboxId, 'mine')],
    ['inbox.not_found', await other.remove(inboxId)],
    ['inbox.not_found', await world.ask(`${path}/dids`, { token })],
    ['inbox.not_found', await other.register(inboxId, inboxDid)],
    ['inbox.not_found', await other.unregister(inboxId, inboxDid)],
    ['inbox.not_found', await world.ask(`${path}/messages`, { token })],
    ['inbox.not_found', await other.message(inboxId, messageId)],
    ['inbox.not_found', await other.removeMessage(inboxId, messageId)],
    ['inbox.did_not_registered', await other.unregister(mine, inboxDid)],
    ['message.not_found', await other.message(mine, messageId)],
    ['message.not_found', await other.removeMessage(mine, messageId)],
    ['did.not_found', await world.ask(`/v1/dids/${inboxDid}`, { token, method: 'DELETE' })],
  ] as const) {
    t.is(reply.status, 404, reply.text)
    t.is(typeOf(reply), `/problems#${code}`)
  }
  const notOwn = await other.register(mine, inboxDid)
  t.deepEqual([notOwn.status, typeOf(notOwn)], [400, '/problems#inbox.jwt_required'])
  t.is((await own().message(inboxId, messageId)).status, 200)
  t.is((await own().dids(inboxId)).totalCount, 1)
})
