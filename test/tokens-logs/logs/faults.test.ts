import { createHash, randomUUID } from 'node:crypto'
import test from 'ava'
import { createPlatform } from '../../../activities/index.ts'
import { createChainRows } from '../../../activities/tokens-logs/logs/rows.ts'
import { GENESIS, hashOf } from '../../../protocol/tokens-logs/chain.ts'
import { type Logs, logsOf } from '../../support/log-chain.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let logs: Logs
test.before(async () => {
  world = await openWorld({ env: { LOG_LEVEL: 'error' } })
  logs = logsOf(world)
})
test.after.always(() => world?.close())

/** A tenant with eleven entries that are chained; ten of them are signed. */
async function tenant() {
  const made = await logs.tenantWith(10)
  await logs.settle()
  await logs.sign()
  await logs.write(made.tenantId, 1)
  await logs.settle()
  const before = await logs.verify(made.token)
  if (!before.intact || before.signedTo !== before.checked.to - 1) throw new Error(JSON.stringify(before))
  return { ...made, signedTo: before.signedTo, last: before.checked.to }
}

const entryAt = async (tenantId: string, position: number): Promise<string> => {
  const [row] = await logs.ask<{ id: string }>(
    'select entry_id as id from log_chain where tenant_id = $1 and position = $2',
    [tenantId, position],
  )
  return row?.id ?? ''
}

const COLUMNS: [column: string, value: string][] = [
  ['category', `'other'`],
  ['type', `'DID_CREATE_FAIL'`],
  ['timestamp', `timestamp + interval '1 microsecond'`],
  ['request_id', 'gen_random_uuid()'],
  ['data', `'{ }'`],
  ['metadata', `'{"clientId":null}'`],
  ['object_ids', 'array[]::uuid[]'],
  ['object_ids', 'null'],
]

for (const [column, value] of COLUMNS)
  test.serial(
    `an entry whose ${column} became ${value} is found with its position (issue 12, must show 6)`,
    async (t) => {
      const { tenantId, token } = await tenant()
      const id = await entryAt(tenantId, 5)
      await logs.attack(`update logs set ${column} = ${value} where id = $1`, [id])
      const verdict = await logs.verify(token)
      t.false(verdict.intact)
      t.deepEqual(verdict.fault, { kind: 'altered', position: 5, id })
      t.deepEqual(verdict.checked, { from: 1, to: 4 })
    },
  )

test.serial('an entry that went to another tenant is missing', async (t) => {
  const { tenantId, token } = await tenant()
  const id = await entryAt(tenantId, 3)
  await logs.attack('update logs set tenant_id = gen_random_uuid() where id = $1', [id])
  t.deepEqual((await logs.verify(token)).fault, { kind: 'missing', position: 3, id })
})

test.serial('places that are gone by the thousand are missing where they began', async (t) => {
  const made = await logs.tenantWith(2_600)
  await logs.settle()
  const gone = 'delete from log_chain where tenant_id = $1 and position between $2 and $3'
  await logs.attack(gone, [made.tenantId, 1_001, 2_400])
  const { fault, checked } = await logs.verify(made.token)
  t.deepEqual(fault, { kind: 'missing', position: 1_001, id: null })
  t.deepEqual(checked, { from: 1, to: 1_000 })
  await logs.attack(gone, [made.tenantId, 400, 1_000])
  t.deepEqual((await logs.verify(made.token)).fault, { kind: 'missing', position: 400, id: null })
})

test.serial('an entry that was deleted is missing, with its place or without it, also the first one', async (t) => {
  const [one, two, three] = [await tenant(), await tenant(), await tenant()]
  const id = await entryAt(one.tenantId, 7)
  await logs.attack('delete from logs where id = $1', [id])
  t.deepEqual((await logs.verify(one.token)).fault, { kind: 'missing', position: 7, id })
  const gone = `with place as (delete from log_chain where tenant_id = $1 and position = $2 returning entry_id)
    delete from logs where id in (select entry_id from place)`
  await logs.attack(gone, [two.tenantId, 4])
  t.deepEqual((await logs.verify(two.token)).fault, { kind: 'missing', position: 4, id: null })
  await logs.attack(gone, [three.tenantId, 1])
  t.deepEqual((await logs.verify(three.token)).fault, { kind: 'missing', position: 1, id: null })
})

test.serial('of an entry that was deleted while the later ones moved up, the place is found', async (t) => {
  const { tenantId, token } = await tenant()
  await logs.attack('delete from log_chain where tenant_id = $1 and position = 4', [tenantId])
  const up = 'update log_chain set position = $2 - 1 where tenant_id = $1 and position = $2'
  for (let position = 5; position <= 11; position += 1) await logs.attack(up, [tenantId, position])
  const { fault } = await logs.verify(token)
  t.is(fault?.position, 4)
  t.is(fault?.kind, 'altered')
})

test.serial('an entry that was put in between is found, and its successor is not blamed', async (t) => {
  const { tenantId, token, last } = await tenant()
  for (let position = last; position >= 6; position -= 1)
    await logs.attack('update log_chain set position = $2 + 1 where tenant_id = $1 and position = $2', [
      tenantId,
      position,
    ])
  const id = randomUUID()
  await logs.attack(
    `insert into logs (id, tenant_id, category, type, timestamp, request_id, data, metadata)
     values ($1, $2, 'did', 'DID_DELETE_SUCCESS', now(), gen_random_uuid(), '{}', '{}')`,
    [id, tenantId],
  )
  await logs.attack(
    `insert into log_chain (tenant_id, position, entry_id, hash, chained_at) values ($1, 6, $2, sha256('x'), now())`,
    [tenantId, id],
  )
  t.deepEqual((await logs.verify(token)).fault, { kind: 'inserted', position: 6, id })
})

test.serial('two entries that changed places are reordered, with their hashes or without them', async (t) => {
  const [one, two] = [await tenant(), await tenant()]
  const [third, eighth] = [await entryAt(one.tenantId, 3), await entryAt(one.tenantId, 8)]
  for (const [position, id] of [
    [3, randomUUID()],
    [8, third],
    [3, eighth],
  ])
    await logs.attack('update log_chain set entry_id = $3 where tenant_id = $1 and position = $2', [
      one.tenantId,
      position,
      id,
    ])
  t.deepEqual((await logs.verify(one.token)).fault, { kind: 'reordered', position: 3, id: eighth })
  const sixth = await entryAt(two.tenantId, 6)
  for (const [from, to] of [
    [5, 500],
    [6, 5],
    [500, 6],
  ])
    await logs.attack('update log_chain set position = $3 where tenant_id = $1 and position = $2', [
      two.tenantId,
      from,
      to,
    ])
  t.deepEqual((await logs.verify(two.token)).fault, { kind: 'reordered', position: 5, id: sixth })
})

/** Removes the end of a log, as if it had never been. */
const shorten = async (tenantId: string, from: number) => {
  await logs.attack(
    `delete from logs where id in (select entry_id from log_chain where tenant_id = $1 and position >= $2)`,
    [tenantId, from],
  )
  await logs.attack('delete from log_chain where tenant_id = $1 and position >= $2', [tenantId, from])
}

test.serial('a log that was shortened below its signed head lacks its end, also when it has grown since', async (t) => {
  const { tenantId, token } = await logs.tenantWith(10)
  await logs.settle()
  await logs.sign()
  await shorten(tenantId, 8)
  const { verifyLog } = createPlatform(world.dependencies).tokensLogs
  const { fault } = await verifyLog(tenantId, { most: 100 })
  t.deepEqual(fault, { kind: 'truncated', position: 8, id: null })
  await logs.write(tenantId, 20)
  t.deepEqual((await logs.verify(token)).fault, { kind: 'missing', position: 8, id: null })
  t.like(await logs.sign(), { signed: 0 }, 'nothing of it is signed')
})

test.serial('a log that was shortened with its heads is truncated for whoever kept one', async (t) => {
  const { tenantId, token, signedTo } = await tenant()
  const { head } = (await world.ask('/v1/analytics/head', { token })).json<{
    head: { position: number; jws: string }
  }>()
  t.is(head.position, signedTo)
  t.like(await logs.verify(token, { head: head.jws }), { intact: true, keptHead: 'matches' })
  t.like(await logs.verify(token, { head: head.jws, from: 4 }), {
    intact: true,
    checked: { from: 4, to: signedTo + 4 },
  })
  await shorten(tenantId, 8)
  await logs.attack('delete from log_seals where tenant_id = $1', [tenantId])
  t.true((await logs.verify(token)).intact, 'nothing in the database tells')
  const { keptHead, fault } = await logs.verify(token, { head: head.jws })
  t.is(keptHead, 'differs')
  t.true(fault?.kind === 'truncated' || fault?.kind === 'rewritten')
  await logs.write(tenantId, 20)
  await logs.sign()
  t.deepEqual((await logs.verify(token, { head: head.jws })).fault, { kind: 'rewritten', position: signedTo, id: null })
})

/** Computes the chain anew, as somebody with the database and the specification can. */
async function rechain(tenantId: string) {
  const rows = createChainRows(world.dependencies)
  let last = GENESIS
  for (const { position, entry } of await rows.slice(tenantId, 0, 100)) {
    if (!entry) throw new Error('an entry is missing')
    last = { position, hash: hashOf(entry, last) }
    await logs.attack(`update log_chain set hash = decode($3, 'hex') where tenant_id = $1 and position = $2`, [
      tenantId,
      position,
      last.hash,
    ])
  }
}

test.serial('a log that was altered and chained anew is not the one that was signed', async (t) => {
  const { tenantId, token, signedTo } = await tenant()
  await logs.attack(`update logs set type = 'x' where id = $1`, [await entryAt(tenantId, 2)])
  await rechain(tenantId)
  t.deepEqual((await logs.verify(token)).fault, { kind: 'rewritten', position: signedTo, id: null })
  const before = await logs.ask('select * from log_seals where tenant_id = $1', [tenantId])
  await logs.sign()
  t.deepEqual(await logs.ask('select * from log_seals where tenant_id = $1', [tenantId]), before, 'and is not signed')
})

test.serial('a head that another key signed, or none, is found', async (t) => {
  const [one, two, three] = [await tenant(), await tenant(), await tenant()]
  await logs.attack(
    `update log_seals set jws = overlay(jws placing 'AAAA' from length(jws) - 10) where tenant_id = $1`,
    [one.tenantId],
  )
  t.deepEqual((await logs.verify(one.token)).fault, { kind: 'signature', position: one.signedTo, id: null })
  await logs.attack(`update log_seals set jws = 'e30.e30.e30' where tenant_id = $1`, [two.tenantId])
  t.deepEqual((await logs.verify(two.token)).fault, { kind: 'signature', position: two.signedTo, id: null })
  t.like(await logs.verify(two.token), { signedTo: null })
  // a head of another tenant, whose signature is good
  await logs.attack(
    `update log_seals set jws = (select jws from log_seals where tenant_id = $2 limit 1) where tenant_id = $1`,
    [two.tenantId, three.tenantId],
  )
  t.deepEqual((await logs.verify(two.token)).fault, { kind: 'signature', position: two.signedTo, id: null })
})

test.serial('a forged checkpoint takes nothing away', async (t) => {
  const { tenantId, token } = await tenant()
  const hash = createHash('sha256').update('x').digest()
  await logs.attack(
    `insert into log_seals (tenant_id, kind, position, hash, key_id, signed_at, jws)
     select tenant_id, 'checkpoint', 4, $2, key_id, now(), jws from log_seals where tenant_id = $1`,
    [tenantId, hash],
  )
  await logs.attack('delete from log_chain where tenant_id = $1 and position <= 4', [tenantId])
  t.deepEqual((await logs.verify(token)).fault, { kind: 'signature', position: 4, id: null })
})

test.serial('a metadata of ten thousand arrays is a verdict, and no fault of the process', async (t) => {
  const { tenantId, token } = await tenant()
  const id = await entryAt(tenantId, 2)
  await logs.attack(`update logs set metadata = (repeat('[', 5000) || repeat(']', 5000))::json where id = $1`, [id])
  t.deepEqual((await logs.verify(token)).fault, { kind: 'altered', position: 2, id })
  await logs.attack(`update logs set timestamp = 'infinity' where id = $1`, [id])
  t.deepEqual((await logs.verify(token)).fault, { kind: 'altered', position: 2, id })
})

const refusal = async (body: unknown) => {
  const reply = await world.ask('/v1/analytics/verify', { token: world.token, body })
  return [reply.status, reply.json<{ type: string }>().type.replace('/problems#', '')]
}

test.serial('bad input of a verification is refused', async (t) => {
  const { token } = await tenant()
  const { head } = (await world.ask('/v1/analytics/head', { token })).json<{ head: { jws: string } }>()
  t.deepEqual(await refusal({ head: head.jws }), [400, 'log.head_invalid'], 'of another tenant')
  const [header, payload, signature] = head.jws.split('.')
  const other = Buffer.from(
    JSON.stringify({
      ...JSON.parse(Buffer.from(payload ?? '', 'base64url').toString()),
      tenantId: world.first.tenantId,
    }),
  ).toString('base64url')
  t.deepEqual(await refusal({ head: `${header}.${other}.${signature}` }), [400, 'log.head_invalid'])
  const unknownKey = Buffer.from(
    JSON.stringify({ alg: 'EdDSA', typ: 'countersign-log-seal', kid: randomUUID() }),
  ).toString('base64url')
  for (const bad of ['', 'x', 'a.b.c', `${unknownKey}.${payload}.${signature}`, world.token])
    t.deepEqual(await refusal({ head: bad }), [400, 'log.head_invalid'], bad.slice(0, 20))
  t.deepEqual(await refusal({ head: 'x'.repeat(4097) }), [400, 'request.invalid'])
  for (const from of [0, -1, 1.5, '1', null, 2 ** 60])
    t.deepEqual(await refusal({ from }), [400, 'request.invalid'], `${from}`)
  t.deepEqual(await refusal({ from: 1_000_000 }), [400, 'log.position_unknown'])
  t.deepEqual(await refusal({ unknown: 1 }), [400, 'request.invalid'])
})
