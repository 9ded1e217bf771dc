import { randomUUID } from 'node:crypto'
import test from 'ava'
import { unpackMessage } from '../../protocol/messaging/didcomm.unpack.ts'
import { until } from '../support/credentials/dids.ts'
import { openerOfOne } from '../support/messaging/didcomm.ts'
import { walletsOf } from '../support/messaging/wallets.ts'
import { openElsewhere } from '../support/parts/elsewhere.ts'
import { openProcesses, type Processes } from '../support/parts/processes.ts'
import { createReceiver } from '../support/receiver.ts'
import { type Ask, type Reply, send } from '../support/world.ts'

const receiver = createReceiver()
let elsewhere: Awaited<ReturnType<typeof openElsewhere>>
let platform: Processes
let ask: (path: string, question?: Ask) => Promise<Reply>
test.before(async () => {
  elsewhere = await openElsewhere('wallet.acme.test', receiver.listener)
  platform = await openProcesses({ ...elsewhere.env, MESSAGE_RETRY_SECONDS: '3,3' })
  const { clientId, clientSecret } = platform.first
  const body = { clientId, clientSecret, grantType: 'client_credentials' }
  const reply = await send(`${platform.url}/v1/auth/token`, { body })
  const { access_token: token } = reply.json<{ access_token: string }>()
  ask = (path, question = {}) => send(`${platform.url}${path}`, { token, ...question })
})
test.after.always(async () => {
  await platform?.close()
  await elsewhere?.close()
})

const rowsOf = async () =>
  (
    await platform.dependencies.systemSql.query<{ attempts: number }>({
      text: 'select attempts from sent_messages',
      values: [],
    })
  ).rows
const waiting = async () => (await rowsOf()).length
const attempts = async () => (await rowsOf())[0]?.attempts

test('a message arrives once though the worker is killed while it waits to try again', async (t) => {
  const { did, jwk, inbox } = walletsOf(() => elsewhere, receiver)('killed')
  let taken = 0
  receiver.script(inbox, (nth, response) => {
    if (nth > 0) taken += 1
    response.writeHead(nth > 0 ? 202 : 503).end()
  })
  const secret = `secret ${randomUUID()}`
  const headers = { 'idempotency-key': randomUUID() }
  const body = { to: did, message: secret }
  t.is((await ask('/v1/messaging/send', { body, headers })).status, 200)
  await until('the first attempt', async () => (await attempts()) === 1)
  await platform.worker.kill()
  t.is((await ask('/v1/messaging/send', { body, headers })).status, 200, 'a repetition of the request')
  t.is(await waiting(), 1)
  await platform.worker.start()
  await until('the end', async () => (await waiting()) === 0)
  t.is(taken, 1)
  const [, second] = receiver.at(inbox)
  const resolve = () => Promise.reject(new Error('an anonymous message has no sender'))
  const { message } = await unpackMessage(String(second?.body), { ...openerOfOne(jwk), resolve, now: new Date() })
  t.deepEqual(message.body, { content: secret })
  const { rows } = await platform.dependencies.systemSql.query<{ type: string; attempts: number }>({
    text: `select type, (metadata->>'attempts')::int as attempts from logs where type like 'MESSAGING_DELIVERY%'`,
    values: [],
  })
  t.deepEqual(rows, [{ type: 'MESSAGING_DELIVERY_SUCCESS', attempts: 2 }])
})
