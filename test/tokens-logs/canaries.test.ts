import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { connect } from '../../entities/orm.ts'
import { freePort } from '../../stack/parts/ports.ts'
import { payload } from '../support/credentials/credentials.ts'
import { type RawClient, type RawReply, rawClient } from '../support/parts/raw.ts'
import { openWorld, type World } from '../support/world.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const CANARY = `canary-${randomUUID()}`

/** The API as it is run, on the world's database, telling all that it ever tells. */
async function startChild(world: World) {
  const port = await freePort()
  const { config } = world
  const env = {
    PATH: process.env.PATH,
    PUBLIC_URL: `http://localhost:${port}`,
    HOST: 'localhost',
    PORT: String(port),
    OPERATOR_PORT: String(await freePort()),
    API_PROCESSES: '1',
    DATABASE_URL: config.database.url,
    TEMPORAL_ADDRESS: config.temporal.address,
    KEY_STORE_MASTER_KEY: config.masterKey.toString('base64'),
    LOG_LEVEL: 'trace',
  }
  const child = spawn(process.execPath, [...process.execArgv, 'api/server.ts'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  const client = rawClient(`http://localhost:${port}`)
  const live = () =>
    client.ask({ path: '/health/live' }).then(
      ({ status }) => status === 200,
      () => false,
    )
  for (let tries = 0; tries < 300 && !(await live()); tries++) await pause(100)
  return {
    client,
    output: () => output,
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
      client.close()
    },
  }
}

let world: World
let api: Awaited<ReturnType<typeof startChild>>
test.before(async () => {
  world = await openWorld()
  api = await startChild(world)
})
test.after.always(async () => {
  await api?.stop()
  await world?.close()
})

const replies: RawReply[] = []

async function send(client: RawClient, method: string, path: string, token: string, body?: unknown, headers = {}) {
  const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
  const reply = await client.ask({
    method,
    path,
    token,
    body: text,
    headers: { 'user-agent': CANARY, cookie: CANARY, ...headers },
  })
  replies.push(reply)
  return reply
}

const credentialOf = (did: string, more: object = {}) => ({
  payload: payload(did, { credentialSubject: { id: `did:example:${CANARY}`, course: CANARY }, ...more }),
  proofType: 'eddsa-rdfc-2022',
  revocable: true,
  tag: CANARY,
})

const SIGN = '/v1/credentials/web-semantic/sign'
const VERIFY = '/v1/credentials/web-semantic/verify'

test.serial('what callers send is in no log line, no log entry and no error', async (t) => {
  const { client } = api
  const { clientId, clientSecret } = world.first
  const grant = { clientId, clientSecret, grantType: 'client_credentials' }
  const { access_token: token } = JSON.parse((await send(client, 'POST', '/v1/auth/token', '', grant)).text) as {
    access_token: string
  }
  const { did } = JSON.parse((await send(client, 'POST', '/v1/dids', token, { method: 'KEY', options: {} })).text) as {
    did: string
  }
  const key = { 'idempotency-key': CANARY }
  t.is((await send(client, 'POST', SIGN, token, credentialOf(did), key)).status, 200)
  t.is((await send(client, 'POST', SIGN, token, credentialOf(did), key)).status, 200)
  await send(client, 'POST', SIGN, token, { ...credentialOf(did), tag: `${CANARY}\r\n\u001b[2Jx` })
  for (const body of [
    { ...credentialOf(did), proofType: CANARY },
    { ...credentialOf(did), revocable: CANARY },
    { ...credentialOf(did), tag: { holder: CANARY } },
    { ...credentialOf(did), tag: CANARY.repeat(20) },
    credentialOf(`did:key:${CANARY}`),
    credentialOf(did, { expirationDate: CANARY }),
    credentialOf(did, { credentialSubject: { id: 'did:example:x', undefinedTerm: CANARY } }),
    credentialOf(did, { validFrom: CANARY }),
    `{"payload": "${CANARY}`,
    `{"payload": "${CANARY}\\u0000"}`,
    `{"payload": {"a":"${CANARY}","a":1}}`,
  ])
    t.is(
      (await send(client, 'POST', SIGN, token, body, { 'idempotency-key': randomUUID() })).status,
      400,
      JSON.stringify(body),
    )
  await send(client, 'POST', VERIFY, token, {
    payload: { ...credentialOf(did).payload, proof: { type: CANARY, jws: CANARY } },
  })
  await send(client, 'POST', '/v1/auth/token', '', { ...grant, clientSecret: CANARY })
  await send(client, 'POST', '/v1/auth/token', '', { ...grant, clientId: CANARY })
  await send(client, 'POST', '/v1/auth/token', '', { ...grant, scope: CANARY })
  await send(client, 'GET', '/v1/dids', `${CANARY}.${CANARY}.${CANARY}`)
  await send(client, 'GET', `/v1/dids/did:example:${CANARY}`, token)
  await send(client, 'GET', `/v1/credentials/web-semantic?tag=${CANARY}&type=${CANARY}`, token)
  await send(client, 'GET', `/v1/credentials/web-semantic?tag=${CANARY}&limit=${CANARY}`, token)
  await send(client, 'GET', `/${CANARY}`, token)
  await send(client, 'POST', '/v1/dids', token, {
    method: 'WEB',
    options: { url: `https://${CANARY}.example/${CANARY}?x` },
  })

  const owner = await connect(world.config.database.url, 1)
  try {
    // a fault of ours that meets what callers send: the table is not there
    await owner.em.getConnection().execute('alter table credentials rename to elsewhere')
    t.is((await send(client, 'POST', SIGN, token, credentialOf(did))).status, 500)
    t.is((await send(client, 'GET', `/v1/credentials/web-semantic?tag=${CANARY}`, token)).status, 500)
  } finally {
    await owner.em.getConnection().execute('alter table elsewhere rename to credentials')
    await owner.close()
  }

  const failures = replies.filter(({ status }) => status >= 400)
  t.true(failures.length > 20)
  for (const { text, status } of failures) t.false(text.includes(CANARY), `${status} ${text}`)
  for (const { status, text } of failures.filter((each) => each.status === 500))
    t.notRegex(text, /relation|credentials|select|at .*\.ts/, `${status} tells nothing of us`)

  await pause(500)
  const lines = api.output().split('\n').filter(Boolean)
  t.true(lines.length > failures.length, 'the child logs')
  for (const line of lines) {
    t.false(line.includes(CANARY), line.slice(0, 2_000))
    t.false(line.includes(clientSecret) || line.includes(token))
    t.notThrows(() => JSON.parse(line) as unknown, `one line, one object: ${line.slice(0, 300)}`)
  }
  t.true(
    lines.some((line) => line.includes('unforeseen')),
    'the fault was told',
  )

  const { rows } = await world.dependencies.systemSql.query<{ entry: string }>({
    text: 'select row_to_json(l)::text as entry from logs l',
    values: [],
  })
  t.true(rows.length > 20)
  for (const { entry } of rows) t.false(entry.includes(CANARY), entry)
})
