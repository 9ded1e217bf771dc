import 'reflect-metadata'
import { randomUUID } from 'node:crypto'
import { X509Crl } from '@peculiar/x509'
import test from 'ava'
import { createActivities, createPlatform } from '../../activities/index.ts'
import { unknownKey } from '../../activities/keys/reference.ts'
import { Refusal, Unavailable } from '../../protocol/errors.ts'
import { makeIaca, makeSigner, SIGNERS } from '../support/credentials/mobile.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const DAY_MS = 86_400_000

const sweepAfter = (days: number) => {
  const now = () => new Date(Date.now() + days * DAY_MS)
  return createActivities({ ...world.dependencies, now }).sweepCertificates()
}

test.serial(
  'a certificate that expires gets one notice at 60, 30 and 7 days, and none once it is revoked',
  async (t) => {
    const token = await world.tokenOf(await world.addTenant())
    await makeIaca(world, {}, token)
    const [signer, revoked] = [
      await makeSigner(world, { renew: false }, token),
      await makeSigner(world, { renew: false }, token),
    ]
    await world.ask(`${SIGNERS}/${revoked.id}/revoke`, { method: 'POST', token })
    const notices = async (): Promise<number[]> => {
      const filter = { categories: [], ids: [], requestIds: [] }
      const times = { dateFrom: '2020-01-01T00:00:00Z', dateTo: '2999-01-01T00:00:00Z' }
      const types = ['MOBILE_CREDENTIAL_DOCUMENT_SIGNER_EXPIRY_NOTICE_SUCCESS']
      const reply = await world.ask('/v1/analytics/events', { token, body: { ...filter, ...times, types } })
      return reply
        .json<{ data: { metadata: string }[] }>()
        .data.map(({ metadata }) => JSON.parse(metadata) as { id: string; days: number })
        .flatMap(({ id, days }) => (id === signer.id ? [days] : [0]))
        .sort((a, b) => b - a)
    }
    await sweepAfter(304)
    t.deepEqual(await notices(), [])
    t.is((await sweepAfter(306)).notices, 1)
    t.is((await sweepAfter(306)).notices, 0)
    t.deepEqual(await notices(), [60])
    await sweepAfter(336)
    t.deepEqual(await notices(), [60, 30])
    await sweepAfter(359)
    t.deepEqual(await notices(), [60, 30, 7])
    t.is((await sweepAfter(366)).notices, 0)
  },
)

test.serial(
  'lists of revoked certificates are signed when they are due: at once, after a revocation, after a day',
  async (t) => {
    const token = await world.tokenOf(await world.addTenant())
    const iaca = await makeIaca(world, {}, token)
    const signer = await makeSigner(world, {}, token)
    const numberOf = async () => {
      const text = 'select crl_number as number, crl_due as due from mobile_iacas where id = $1'
      const { rows } = await world.dependencies.systemSql.query<{ number: number; due: boolean }>({
        text,
        values: [iaca.id],
      })
      return [rows[0]?.number, rows[0]?.due]
    }
    t.deepEqual(await numberOf(), [0, false])
    await sweepAfter(0)
    t.deepEqual(await numberOf(), [1, false])
    await sweepAfter(0.5)
    t.deepEqual(await numberOf(), [1, false])
    await world.ask(`${SIGNERS}/${signer.id}/revoke`, { method: 'POST', token })
    t.deepEqual(await numberOf(), [1, true])
    await sweepAfter(0)
    t.deepEqual(await numberOf(), [2, false])
    await sweepAfter(1.1)
    t.deepEqual(await numberOf(), [3, false])
  },
)

test.serial('an IACA whose key is lost holds up no list of another one (D-1079)', async (t) => {
  const { systemSql } = world.dependencies
  const made = async () => {
    const token = await world.tokenOf(await world.addTenant())
    return (await makeIaca(world, {}, token)).id
  }
  const [lost, kept] = [await made(), await made()]
  const text = 'delete from key_envelopes where key_id = (select key_id from mobile_iacas where id = $1)'
  await systemSql.query({ text, values: [lost] })
  await sweepAfter(0)
  const { rows } = await systemSql.query<{ number: number }>({
    text: 'select crl_number as number from mobile_iacas where id = any($1) order by id = $2',
    values: [[lost, kept], kept],
  })
  t.deepEqual(
    rows.map(({ number }) => number),
    [0, 1],
  )
})

test.serial('a list is signed outside of a transaction, once for all who read it (D-1183)', async (t) => {
  const { tenantId, ...client } = await world.addTenant()
  const token = await world.tokenOf({ tenantId, ...client })
  const iaca = await makeIaca(world, {}, token)
  const signers = [await makeSigner(world, {}, token), await makeSigner(world, {}, token)]
  const revoke = async (at: number) => {
    const reply = await world.ask(`${SIGNERS}/${signers[at]?.id}/revoke`, { method: 'POST', token })
    t.is(reply.status, 200, reply.text)
  }
  const { dependencies } = world
  let signatures = 0
  const keys = {
    ...dependencies.keys,
    async sign(...args: Parameters<typeof dependencies.keys.sign>) {
      signatures += 1
      if (signatures === 1) await revoke(0) // while the list is being signed
      return dependencies.keys.sign(...args)
    },
  }
  const { publishedIacas } = createPlatform({ ...dependencies, keys })
  const list = () => publishedIacas.publishedCrl(tenantId, iaca.id)
  const entries = async () => new X509Crl(new Uint8Array((await list()).der)).entries.length
  const numbers = (await Promise.all([list(), list(), list(), list()])).map(({ number }) => number)
  t.deepEqual([numbers, signatures], [[1, 1, 1, 1], 1])
  t.deepEqual([await entries(), (await list()).number, signatures], [1, 2, 2], 'the revocation of meanwhile')
  await revoke(1)
  const sql = {
    ...dependencies,
    keys: { ...keys, sign: () => Promise.reject(Object.assign(new Error(), { code: '55P03' })) },
  }
  const last = await createPlatform(sql).publishedIacas.publishedCrl(tenantId, iaca.id)
  t.is(last.number, 2, 'the last one, where a lock or the database cannot be had')
  t.is(await entries(), 2)
})

test.serial(
  'a lost key of an IACA is a fault of the key store, and its last list is served until it ends',
  async (t) => {
    const { token, first, dependencies } = world
    const { tenantId, clientId } = first
    const iaca = await makeIaca(world, {}, token)
    const signer = await makeSigner(world, { iacaId: iaca.id }, token)
    const keys = {
      ...dependencies.keys,
      publicKey: () => Promise.reject(unknownKey()),
      sign: () => Promise.reject(unknownKey()),
    }
    const { publishedIacas, documentSigners } = createPlatform({ ...dependencies, keys })
    const list = () => publishedIacas.publishedCrl(tenantId, iaca.id)
    await t.throwsAsync(list(), { instanceOf: Unavailable })
    t.is((await createPlatform(dependencies).publishedIacas.publishedCrl(tenantId, iaca.id)).number, 1)

    t.is((await world.ask(`${SIGNERS}/${signer.id}/revoke`, { method: 'POST', token })).status, 200)
    t.is((await list()).number, 1, 'the list of before, which lacks the revocation')
    const call = { tenantId, clientId, requestId: randomUUID() }
    const error = await t.throwsAsync(documentSigners.createSigner(call, { iacaId: iaca.id }), {
      instanceOf: Unavailable,
    })
    t.is(error?.part, 'keys')

    const text = `update mobile_iacas set crl_signed_at = crl_signed_at - interval '8 days' where id = $1`
    await dependencies.systemSql.query({ text, values: [iaca.id] })
    await t.throwsAsync(list(), { instanceOf: Unavailable })
  },
)

test.serial(
  'a key that the key store lacks while its document signer stands is a fault of the key store',
  async (t) => {
    const { tenantId, ...client } = await world.addTenant()
    const token = await world.tokenOf({ tenantId, ...client })
    await makeIaca(world, {}, token)
    const { id } = await makeSigner(world, { active: true }, token)
    const { dependencies } = world
    const keys = { ...dependencies.keys, sign: () => Promise.reject(unknownKey()) }
    const { mobileSigners } = createPlatform({ ...dependencies, keys })
    const { sign } = await mobileSigners.signerOf(tenantId, id)
    await t.throwsAsync(sign(Buffer.of(1)), { instanceOf: Unavailable })
    t.is((await world.ask(`${SIGNERS}/${id}`, { method: 'DELETE', token })).status, 204)
    await t.throwsAsync(sign(Buffer.of(1)), { instanceOf: Refusal, code: 'document_signer.not_usable' })
  },
)
