import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose'
import { createSessionScopes } from '../../activities/administration/accounts/standing.ts'
import { PLATFORM_TENANT } from '../../activities/keys/rotating.ts'
import { createClients } from '../../activities/tokens-logs/clients.ts'
import { createTokenKeyRotation } from '../../activities/tokens-logs/keys.ts'
import { createTokens } from '../../activities/tokens-logs/tokens.ts'
import { connect } from '../../entities/orm.ts'
import { until } from '../support/credentials/dids.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
test.beforeEach(async () => {
  world = await openWorld()
})
test.afterEach.always(() => world?.close())

/** One of the platform's processes, with a clock that can be set forward. */
function processOf({ keys = world.dependencies.keys } = {}) {
  let ahead = 0
  const now = () => new Date(Date.now() + ahead)
  const tokens = createTokens({
    ...world.dependencies,
    keys,
    now,
    sessionScopes: createSessionScopes(world.dependencies),
  })
  const clients = createClients(world.dependencies)
  const { clientId, clientSecret } = world.first
  return {
    ...tokens,
    pass(seconds: number) {
      ahead += seconds * 1000
    },
    async issue(): Promise<string> {
      const client = await clients.authenticate({ clientId, clientSecret }, () => undefined)
      return (await tokens.issueToken({ client, grantType: 'client_credentials' })).accessToken
    },
    kids: async () => (await tokens.keySet()).keys.map(({ kid }) => kid),
  }
}

const rotationOf = (tokenKeyDays = 90) => createTokenKeyRotation({ ...world.dependencies, config: { tokenKeyDays } })

const kidOf = (token: string) => decodeProtectedHeader(token).kid

/** As if all keys had been made so much earlier; by the owner, for nobody else may change them. */
async function age(interval: string) {
  const owner = await connect(world.config.database.url, 1)
  await owner.em.getConnection().execute('update platform_keys set created_at = created_at - ?::interval', [interval])
  await owner.close()
}

const ids = async () =>
  (
    await world.dependencies.systemSql.query<{ id: string }>({
      text: 'select id from platform_keys order by created_at',
      values: [],
    })
  ).rows.map(({ id }) => id)

test.serial('a new key is published before it signs, and tokens of the old one stay good (D-142)', async (t) => {
  const [issuing, verifying] = [processOf(), processOf()]
  const old = await issuing.issue()
  await verifying.verifyToken(old)
  await rotationOf().addTokenKey(randomUUID())
  for (const each of [issuing, verifying]) each.pass(60)
  t.is((await issuing.kids()).length, 2)
  t.is(kidOf(await issuing.issue()), kidOf(old), 'nobody may know the new one yet')
  await age('11 minutes')
  for (const each of [issuing, verifying]) each.pass(60)
  const fresh = await issuing.issue()
  t.not(kidOf(fresh), kidOf(old))
  t.deepEqual(await issuing.kids(), [kidOf(fresh), kidOf(old)], 'newest first')
  for (const token of [old, fresh]) {
    t.is((await verifying.verifyToken(token)).clientId, world.first.clientId)
    const { keys } = await verifying.keySet()
    await t.notThrowsAsync(jwtVerify(token, createLocalJWKSet({ keys } as JSONWebKeySet)))
    await until(
      'a running API to know its key',
      async () => (await world.ask('/v1/dids', { token })).status === 200,
      5_000,
    )
  }
})

test.serial('a key goes with its last token: 25 hours after its successor came, and not before (D-142)', async (t) => {
  const process = processOf()
  const old = await process.issue()
  const [first = ''] = await ids()
  await rotationOf().addTokenKey(randomUUID())
  const rotate = () => rotationOf().rotateTokenKeys({ keyId: randomUUID() })
  await age('24 hours 50 minutes')
  t.deepEqual(await rotate(), { added: 0, removed: 0 })
  await age('15 minutes')
  t.deepEqual(await rotate(), { added: 0, removed: 1 })
  t.false((await ids()).includes(first))
  const ref = { tenantId: PLATFORM_TENANT, keyId: first, keyType: 'ed25519' } as const
  await t.throwsAsync(processOf().verifyToken(old), { message: /not issued by this platform/ })
  await t.throwsAsync(
    world.dependencies.keys.publicKey(ref).then(() => world.dependencies.keys.sign(ref, Buffer.alloc(1))),
  )
  process.pass(60)
  await t.throwsAsync(process.verifyToken(old), { message: /not issued by this platform/ }, 'remembered tokens too')
  t.deepEqual(await rotate(), { added: 0, removed: 0 }, 'the last key stays')
})

test.serial('a key that is too old gets a successor by itself, one however often it is asked (D-142)', async (t) => {
  const keyId = randomUUID()
  t.deepEqual(await rotationOf(1).rotateTokenKeys({ keyId }), { added: 0, removed: 0 })
  await age('25 hours')
  t.deepEqual(await rotationOf(0).rotateTokenKeys({ keyId }), { added: 0, removed: 0 }, '0: never')
  t.deepEqual(await rotationOf(1).rotateTokenKeys({ keyId }), { added: 1, removed: 0 })
  await rotationOf(1).rotateTokenKeys({ keyId })
  await rotationOf(1).addTokenKey(keyId)
  t.is((await ids()).length, 2)
  const { keys } = world.dependencies
  const crashed = createTokenKeyRotation({
    ...world.dependencies,
    config: { tokenKeyDays: 90 },
    keys: {
      ...keys,
      async create(ref) {
        await keys.create(ref)
        throw new Error('a crash')
      },
    },
  })
  const next = randomUUID()
  await t.throwsAsync(crashed.addTokenKey(next), { message: 'a crash' })
  t.is((await ids()).length, 2)
  await rotationOf().addTokenKey(next)
  t.is((await ids()).at(-1), next)
})

test.serial('a removal that was cut off is finished by the next one', async (t) => {
  const { keys } = world.dependencies
  await rotationOf().addTokenKey(randomUUID())
  await age('26 hours')
  const cut = createTokenKeyRotation({
    ...world.dependencies,
    config: { tokenKeyDays: 0 },
    keys: {
      ...keys,
      async delete(ref) {
        await keys.delete(ref)
        throw new Error('a crash')
      },
    },
  })
  await t.throwsAsync(cut.rotateTokenKeys({ keyId: randomUUID() }), { message: 'a crash' })
  t.is((await ids()).length, 1)
  await t.notThrowsAsync(processOf().issue(), 'the other one signs')
  t.deepEqual(await rotationOf(0).rotateTokenKeys({ keyId: randomUUID() }), { added: 0, removed: 1 })
})

test.serial(
  'a process that knows a replaced key signs with the new one at once, and one that does not know it looks',
  async (t) => {
    const [issuing, verifying] = [processOf(), processOf()]
    const old = await issuing.issue()
    await verifying.verifyToken(old)
    await rotationOf().replaceTokenKeys(randomUUID())
    await new Promise((resolve) => setTimeout(resolve, 5_100)) // unwrapped keys stay in memory for so long (D-022)
    verifying.pass(1)
    const fresh = await issuing.issue()
    t.not(kidOf(fresh), kidOf(old))
    t.is((await verifying.verifyToken(fresh)).clientId, world.first.clientId)
    await t.throwsAsync(verifying.verifyToken(old), { message: /not issued by this platform/ })
  },
)

test.serial('strangers’ tokens with keys of their own do not ask the database each', async (t) => {
  let asked = 0
  const { systemSql } = world.dependencies
  const tokens = createTokens({
    ...world.dependencies,
    sessionScopes: createSessionScopes(world.dependencies),
    systemSql: {
      query(query) {
        asked += 1
        return systemSql.query(query)
      },
    },
  })
  const header = (kid: string) =>
    Buffer.from(JSON.stringify({ alg: 'EdDSA', typ: 'at+jwt', kid })).toString('base64url')
  for (let nth = 0; nth < 50; nth += 1)
    await t.throwsAsync(tokens.verifyToken(`${header(`k${nth}`)}.e30.${'A'.repeat(86)}`), {
      message: /not issued by this platform/,
    })
  t.is(asked, 1)
})

test.serial('an operator adds a key or ends every token with a command (npm run keys)', async (t) => {
  const local = mkdtempSync(join(tmpdir(), 'keys-'))
  t.teardown(() => rmSync(local, { recursive: true }))
  const run = async (...args: string[]) => {
    const { config } = world
    const child = spawn(process.execPath, [...process.execArgv, 'stack/keys.ts', '--local', local, ...args], {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      env: {
        PATH: process.env.PATH,
        PUBLIC_URL: config.publicUrl.origin,
        DATABASE_URL: config.database.url,
        TEMPORAL_ADDRESS: config.temporal.address,
        KEY_STORE_MASTER_KEY: config.masterKey.toString('base64'),
      },
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString()
      })
    const [code] = await once(child, 'exit')
    return { code, output }
  }
  const before = await ids()
  t.like(await run('rotate'), { code: 0 })
  t.is((await ids()).length, 2)
  t.like(await run('replace'), { code: 0 })
  const after = await ids()
  t.is(after.length, 1)
  t.notDeepEqual(after, before)
  await t.throwsAsync(processOf().verifyToken(world.token), { message: /not issued by this platform/ })
  const { code, output } = await run()
  t.is(code, 1)
  t.regex(output, /Name the action: rotate or replace/)
})
