import { randomUUID } from 'node:crypto'
import test from 'ava'
import { CompactSign, exportJWK, generateKeyPair } from 'jose'
import { PLATFORM_TENANT } from '../../../activities/keys/rotating.ts'
import { createHeads } from '../../../activities/tokens-logs/logs/heads.ts'
import { createLogKeys } from '../../../activities/tokens-logs/logs/keys.ts'
import { createChainRows } from '../../../activities/tokens-logs/logs/rows.ts'
import { createLogVerification } from '../../../activities/tokens-logs/logs/verify.ts'
import { createWalk } from '../../../activities/tokens-logs/logs/walk.ts'
import { firstFault, GENESIS } from '../../../protocol/tokens-logs/chain.ts'
import { type Logs, logsOf } from '../../support/log-chain.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let logs: Logs
test.before(async () => {
  world = await openWorld({ env: { LOG_LEVEL: 'error' } })
  logs = logsOf(world)
})
test.after.always(() => world?.close())

/** A tenant with so many entries that are chained and signed. */
async function tenantWith(entries: number) {
  const made = await logs.tenantWith(entries)
  await logs.settle()
  await logs.sign()
  const [head] = await logs.ask<{ position: string; jws: string }>(
    `select position, jws from log_seals where tenant_id = $1`,
    [made.tenantId],
  )
  return { ...made, head: { position: Number(head?.position), jws: head?.jws ?? '' } }
}

const removeOld = () => logs.activitiesAt(new Date()).removeOldLogEntries({ keyId: randomUUID() })

/** Places up to a position become old enough to go. */
async function lapse(tenantId: string, position: number) {
  await logs.attack('update tenants set log_retention_days = 90 where id = $1', [tenantId])
  const old = `update log_chain set chained_at = chained_at - interval '100 days' where tenant_id = $1 and position <= $2`
  await logs.attack(old, [tenantId, position])
}

/** Verification whose rows a test may read otherwise. */
function verificationBy(of: (rows: ReturnType<typeof createChainRows>) => ReturnType<typeof createChainRows>) {
  const parts = { rows: of(createChainRows(world.dependencies)), keys: createLogKeys(world.dependencies) }
  return createLogVerification({ ...parts, walk: createWalk(parts) })
}

test.serial('a head of the very place that retention came to is compared with its checkpoint', async (t) => {
  const { tenantId, token, head } = await tenantWith(6)
  await lapse(tenantId, head.position)
  t.deepEqual(await removeOld(), { removed: head.position, broken: 0 })
  t.like(await logs.verify(token, { head: head.jws }), { intact: true, keptHead: 'matches' })
})

test.serial('retention beside a verification is no fault', async (t) => {
  const { tenantId, head } = await tenantWith(20)
  await lapse(tenantId, 12)
  let removed: unknown
  const { verifyLog } = verificationBy((rows) => ({
    ...rows,
    async slice(...asked) {
      removed ??= await removeOld()
      return rows.slice(...asked)
    },
  }))
  const verdict = await verifyLog(tenantId, { most: 100 })
  t.like(verdict, { intact: true, complete: true, checked: { from: 13, to: head.position } })
  t.deepEqual(removed, { removed: 12, broken: 0 })
})

test.serial('a head that stands as a checkpoint, or for another tenant, is none that was signed for it', async (t) => {
  const [one, two, three] = [await tenantWith(8), await tenantWith(8), await tenantWith(8)]
  t.is(two.head.position, three.head.position)
  await logs.attack(
    `insert into log_seals (tenant_id, kind, position, hash, key_id, signed_at, jws)
     select tenant_id, 'checkpoint', position, hash, key_id, now(), jws from log_seals where tenant_id = $1`,
    [one.tenantId],
  )
  const fault = { kind: 'signature', position: one.head.position, id: null }
  t.deepEqual((await logs.verify(one.token)).fault, fault, 'who removes entries needs a checkpoint')
  await logs.attack(
    `update log_seals s set (jws, hash) = (select o.jws, o.hash from log_seals o where o.tenant_id = $2)
     where s.tenant_id = $1`,
    [two.tenantId, three.tenantId],
  )
  t.deepEqual((await logs.verify(two.token)).fault, { ...fault, position: two.head.position })
})

test.serial('a head that a key signed which only the database has is none of the platform', async (t) => {
  const { tenantId, token, head } = await tenantWith(4)
  const { privateKey, publicKey } = await generateKeyPair('EdDSA', { extractable: true })
  const kid = randomUUID()
  await logs.attack('insert into log_keys (id, public_key) values ($1, $2)', [
    kid,
    Buffer.from((await exportJWK(publicKey)).x ?? '', 'base64url'),
  ])
  const jws = await new CompactSign(Buffer.from(head.jws.split('.')[1] ?? '', 'base64url'))
    .setProtectedHeader({ alg: 'EdDSA', typ: 'countersign-log-seal', kid })
    .sign(privateKey)
  await logs.attack('update log_seals set jws = $2, key_id = $3 where tenant_id = $1', [tenantId, jws, kid])
  t.deepEqual((await logs.verify(token)).fault, { kind: 'key_lost', position: head.position, id: null })
  const refused = await world.ask('/v1/analytics/verify', { token, body: { head: jws } })
  t.is(refused.json<{ type: string }>().type, '/problems#log.head_invalid')
  // keys that nobody else has would sign the heads of the next tests
  await logs.attack('delete from log_keys where id = $1', [kid])
})

test.serial('of the heads of former days the last of each day stays', async (t) => {
  const { tenantId, token } = await logs.tenantWith(1)
  const dayMs = 86_400_000
  const now = Date.now()
  const at = (days: number, hour: number) => new Date(now - (now % dayMs) + days * dayMs + hour * 3_600_000)
  const times = [at(-5, 0), at(-5, 23.9), at(-4, 0.1), at(-4, 12), at(-1, 23.8), at(-1, 23.9), new Date(now)]
  for (const time of times) {
    await logs.write(tenantId, 1)
    await logs.settle()
    await logs.activitiesAt(time).signLogHeads({ keyId: randomUUID() })
  }
  const heads = await logs.ask<{ signed_at: Date }>(
    `select signed_at from log_seals where tenant_id = $1 and kind = 'head' order by position`,
    [tenantId],
  )
  t.deepEqual(
    heads.map(({ signed_at }) => new Date(signed_at).toISOString()),
    [1, 3, 4, 5, 6].map((nth) => times[nth]?.toISOString()),
  )
  t.like(await logs.verify(token), { intact: true })
})

test.serial('an entry beside the chain is found behind more entries than one look takes', async (t) => {
  const { tenantId } = await tenantWith(3)
  const add = `insert into logs (id, tenant_id, category, type, timestamp, request_id, data, metadata)
    select gen_random_uuid(), $1, 'did', 'DID_CREATE_SUCCESS', $2, gen_random_uuid(), '{}', '{}'
    from generate_series(1, $3) returning id`
  const [found] = await logs.attack(add, [tenantId, '2020-01-01', 1])
  // they wait for their places
  const waiting = `with young as (${add}) insert into log_pending (tenant_id, entry_id) select $1, id from young`
  await logs.attack(waiting, [tenantId, new Date(), 20_000])
  const verdict = await verificationBy((rows) => rows).verifyLog(tenantId, { most: 100 })
  t.like(verdict, { fault: { kind: 'unchained', position: null, id: found?.id }, waiting: 20_000 })
})

/** What somebody with the database may do to a log before its end is signed; `$1` is the tenant, place 5 is attacked. */
const FIFTH = '(select entry_id from log_chain where tenant_id = $1 and position = 5)'
const ATTACKS: [name: string, statement: string][] = [
  ...['category', 'type', 'data', 'metadata', 'object_ids', 'request_id', 'timestamp'].map(
    (column): [string, string] => {
      const value = {
        data: `'{ }'`,
        metadata: `'{"clientId": null}'`,
        object_ids: 'null',
        request_id: 'gen_random_uuid()',
        timestamp: `timestamp + interval '1 microsecond'`,
      }[column]
      return [`another ${column}`, `update logs set ${column} = ${value ?? `'other'`} where id = ${FIFTH}`]
    },
  ),
  ['an entry that is gone', `delete from logs where id = ${FIFTH}`],
  ['a place that is gone', 'delete from log_chain where tenant_id = $1 and position = 5'],
  ['another hash', `update log_chain set hash = sha256('x') where tenant_id = $1 and position = 5`],
  ['places behind a gap', 'delete from log_chain where tenant_id = $1 and position between 3 and 8'],
]

for (const [name, statement] of ATTACKS)
  test.serial(`${name}: the chain is signed up to there, and no further (D-912)`, async (t) => {
    const { tenantId } = await logs.tenantWith(10)
    await logs.settle()
    const rows = createChainRows(world.dependencies)
    t.is((await rows.whole(tenantId, GENESIS, 100))?.position, 10)
    await logs.attack(statement, [tenantId])
    t.is(await rows.whole(tenantId, GENESIS, 100), undefined)
    const signed = await logs.sign()
    t.true(signed.broken >= 1)
    const heads = await logs.ask<{ position: string }>('select position from log_seals where tenant_id = $1', [
      tenantId,
    ])
    const last = name === 'places behind a gap' ? '2' : '4'
    t.deepEqual(
      heads.map(({ position }) => position),
      [last],
    )
  })

test.serial('the database hashes any text as the worker does (D-912)', async (t) => {
  const { tenantId } = await logs.tenantWith(1)
  const text = 'a "quoted" \\ back\u2028slash, naïve 汉字 🎉 </script> \u0001\t\n'
  await logs.ask(
    `insert into logs (id, tenant_id, category, type, timestamp, request_id, data, metadata, object_ids)
    values (gen_random_uuid(), $1, $2, $2, '2026-01-01T00:00:00.000001Z', gen_random_uuid(), $3, $3, $4),
      (gen_random_uuid(), $1, $2, '', now(), gen_random_uuid(), '[]', $3, null)`,
    [tenantId, text, JSON.stringify({ text }), []],
  )
  await logs.settle()
  const rows = createChainRows(world.dependencies)
  const places = await rows.slice(tenantId, 0, 10)
  t.is(firstFault(GENESIS, places), undefined)
  t.is(places.length, 3)
  const { position, hash } = places.at(-1) ?? GENESIS
  t.deepEqual(await rows.whole(tenantId, GENESIS, 10), { position, hash })
  t.is(await rows.whole(tenantId, { position, hash }, 10), undefined, 'there is none behind the last')
  const second = places[1] ?? GENESIS
  t.deepEqual(await rows.whole(tenantId, second, 10), { position, hash }, 'from any place on')
  t.is(await rows.whole(tenantId, { ...second, hash: GENESIS.hash }, 10), undefined)
})

test.serial(
  'where the key store has lost the key, another one goes on, for every tenant, and the verdict says so',
  async (t) => {
    const { tenantId, token, head } = await tenantWith(6)
    const faulty = await tenantWith(4)
    const { keys } = world.dependencies
    const keyIds = async () =>
      (await logs.ask<{ id: string }>('select id from log_keys order by created_at')).map(({ id }) => id)
    const { broken } = await logs.sign() // tenants of other tests
    const before = await keyIds()
    for (const keyId of before) await keys.delete({ tenantId: PLATFORM_TENANT, keyId, keyType: 'ed25519' })
    for (const each of [tenantId, faulty.tenantId]) await logs.write(each, 2)
    await logs.settle()
    await logs.attack(`update log_seals set jws = 'no seal' where tenant_id = $1`, [faulty.tenantId])
    t.is((await logs.sign()).broken, broken + 1)
    t.is((await keyIds()).length, before.length + 1)
    const seals = await logs.ask<{ position: string; key_id: string }>(
      'select position, key_id from log_seals where tenant_id = $1 order by position',
      [tenantId],
    )
    t.deepEqual(
      seals.map(({ position, key_id }) => [Number(position), before.includes(key_id)]),
      [
        [head.position, true],
        [head.position + 2, false],
      ],
    )
    t.is((await logs.sign()).signed, 0)
    t.is((await keyIds()).length, before.length + 1)
    t.deepEqual((await logs.verify(token)).fault, { kind: 'key_lost', position: head.position, id: null })
    t.like(await logs.verify(token, { from: head.position + 1 }), { intact: true, complete: true })
    t.is((await logs.verify(faulty.token)).fault?.kind, 'signature')

    await lapse(tenantId, head.position + 1)
    await removeOld()
    t.like(await logs.verify(token), { intact: true, complete: true }, 'the checkpoint is of the other key')
  },
)

test.serial('a tenant whose chain cannot be signed holds up no other one', async (t) => {
  const [one, two] = [await tenantWith(2), await tenantWith(2)]
  const [failing = '', other = ''] = [one.tenantId, two.tenantId].toSorted()
  for (const each of [failing, other]) await logs.write(each, 1)
  await logs.settle()
  const parts = { rows: createChainRows(world.dependencies), keys: createLogKeys(world.dependencies) }
  const rows = {
    ...parts.rows,
    async seals(...asked: Parameters<typeof parts.rows.seals>) {
      if (asked[0] === failing) throw new Error('a fault of this tenant')
      return parts.rows.seals(...asked)
    },
  }
  const { signLogHeads } = createHeads({ ...world.dependencies, ...parts, rows, walk: createWalk({ ...parts, rows }) })
  await t.throwsAsync(signLogHeads({ keyId: randomUUID() }), { message: new RegExp(failing) })
  const [seal] = await logs.ask<{ position: string }>(
    'select max(position) as position from log_seals where tenant_id = $1',
    [other],
  )
  t.is(Number(seal?.position), two.head.position + 1)
})
