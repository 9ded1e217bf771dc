import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import test, { type ExecutionContext } from 'ava'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { createPlatform, type Dependencies } from '../../../activities/index.ts'
import { createVaultKeyStore } from '../../../activities/keys/vault/index.ts'
import { createApp } from '../../../api/app.ts'
import type { OpenApi } from '../../../api/frame/openapi/paths.ts'
import { freePort } from '../../../stack/parts/ports.ts'
import { createDid, payload } from '../../support/credentials/credentials.ts'
import { until } from '../../support/credentials/dids.ts'
import { type Ask, openWorld, send, type World } from '../../support/world.ts'

let world: World
let issuer: string
test.before(async () => {
  world = await openWorld({ env: { DATABASE_TIMEOUT_MS: '2000' } })
  issuer = await createDid(world)
})
test.after.always(() => world?.close())

const openApi = JSON.parse(readFileSync(new URL('../../../build/openapi.json', import.meta.url), 'utf8')) as OpenApi

/** The API over the world's parts, or others in their place, and the log line of each request. */
async function openLoggedApi(t: ExecutionContext, parts: Partial<Dependencies> = {}) {
  const lines: Record<string, unknown>[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()))
      done()
    },
  })
  const dependencies = { ...world.dependencies, ...parts, log: pino({ level: 'info' }, stream) }
  const platform = createPlatform(dependencies)
  const app = createApp({
    ...{ dependencies, platform, openApi },
    pool: world.dependencies.pool,
    registry: new Registry(),
    stopping: () => false,
  })
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return async (path: string, question: Ask = {}) => {
    const requestId = randomUUID()
    const reply = await send(`${url}${path}`, { ...question, headers: { 'x-request-id': requestId } })
    const found = () => lines.filter((line) => line.requestId === requestId)
    await until('the line of the request', async () => found().some(({ route }) => route !== undefined), 5_000)
    const all = found()
    return { reply, line: all.find(({ route }) => route !== undefined) ?? {}, all: JSON.stringify(all) }
  }
}

const signing = () => ({
  token: world.token,
  body: { payload: payload(issuer), proofType: 'eddsa-rdfc-2022', revocable: false, tag: 'log' },
})
const SIGN = '/v1/credentials/web-semantic/sign'

test.serial('what a caller did wrong is in the log by its code alone, and not what was sent', async (t) => {
  const ask = await openLoggedApi(t)
  const canary = `canary-${randomUUID()}`
  const body = { ...signing().body, payload: { ...payload(issuer), [canary]: canary } }
  const undefinedTerm = await ask(SIGN, { token: world.token, body })
  t.is(undefinedTerm.reply.status, 400)
  t.like(undefinedTerm.line, { status: 400, problem: 'credential.term_undefined' })
  t.false('cause' in undefinedTerm.line)
  t.false(undefinedTerm.all.includes(canary))
  t.like((await ask('/v1/dids')).line, { status: 401, problem: 'token.missing' })
  t.like((await ask('/v1/nowhere')).line, { status: 404, problem: 'request.not_found' })
  const fine = await ask('/v1/dids', { token: world.token })
  t.is(fine.line.status, 200)
  t.false('problem' in fine.line)
})

test.serial('a 503 of the key store says in its log line that keys are away, and why', async (t) => {
  const address = `http://127.0.0.1:${await freePort()}`
  const none = { roleId: '', secretId: '', secretIdFile: '', tokenFile: '' }
  const mounts = { transitMount: 'transit', kvMount: 'secret', timeoutMs: 500 }
  const keys = createVaultKeyStore({ address, token: 'hvs.a-token-of-this-test', ...none, ...mounts })
  t.teardown(() => keys.close())
  const ask = await openLoggedApi(t, { keys })
  const { reply, line, all } = await ask(SIGN, signing())
  t.is(reply.status, 503, reply.text)
  t.like(line, { status: 503, problem: 'keys.unavailable', part: 'keys' })
  t.regex(String(line.cause), /ECONNREFUSED/)
  t.false(all.includes('a-token-of-this-test'))
})

test.serial('a fault of ours says in its log line what it was', async (t) => {
  const uuid = () => {
    throw new TypeError('no ids today')
  }
  const ask = await openLoggedApi(t, { uuid })
  const { reply, line } = await ask('/v1/dids', { token: world.token, body: { method: 'KEY', options: {} } })
  t.is(reply.status, 500, reply.text)
  t.false(reply.text.includes('no ids today'))
  t.like(line, { status: 500, problem: 'internal', cause: 'TypeError: no ids today' })
})

test.serial('a 503 of the database says in its log line that it is the database, and why', async (t) => {
  const ask = await openLoggedApi(t)
  await world.stopDatabase()
  try {
    const { reply, line } = await ask('/v1/dids', { token: world.token })
    t.is(reply.status, 503, reply.text)
    t.like(line, { status: 503, problem: 'database.unavailable', part: 'database' })
    t.regex(String(line.cause), /ECONNREFUSED|terminated|timeout/)
  } finally {
    await world.startDatabase()
  }
})
