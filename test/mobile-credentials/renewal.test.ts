import { X509Certificate } from 'node:crypto'
import test from 'ava'
import { createActivities, createPlatform, type Dependencies } from '../../activities/index.ts'
import { Unavailable } from '../../protocol/errors.ts'
import { makeForeignIssuer } from '../support/credentials/mobile.issuers.ts'
import { IACAS, makeIaca, makeSigner, SIGNERS, signMobile } from '../support/credentials/mobile.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const DAY_MS = 86_400_000

const sweepAfter = (days: number, parts: Partial<Dependencies> = {}) => {
  const now = () => new Date(Date.now() + days * DAY_MS)
  return createActivities({ ...world.dependencies, now, ...parts }).sweepCertificates()
}

interface Signer {
  id: string
  renew: boolean
  renewedById?: string
  active: boolean
  usability: string
  publicKey: object
  certificatePem: string
  certificateData: { notBefore: string; notAfter: string; commonName: string }
}

async function newTenant(renew?: boolean) {
  const token = await world.tokenOf(await world.addTenant())
  await makeIaca(world, {}, token)
  const { id } = await makeSigner(world, { commonName: 'Own Signer', ...(renew !== undefined && { renew }) }, token)
  const list = async () => (await world.ask(SIGNERS, { token })).json<{ data: Signer[] }>().data
  const find = async (wanted = id) => (await world.ask(`${SIGNERS}/${wanted}`, { token })).json<Signer>()
  const entries = async (outcome: string) => {
    const types = [`MOBILE_CREDENTIAL_DOCUMENT_SIGNER_RENEW_${outcome}`]
    const times = { dateFrom: '2020-01-01T00:00:00Z', dateTo: '2999-01-01T00:00:00Z' }
    const body = { categories: [], ids: [], requestIds: [], types, ...times }
    const reply = await world.ask('/v1/analytics/events', { token, body })
    return reply
      .json<{ data: { metadata: string }[] }>()
      .data.map(({ metadata }) => JSON.parse(metadata) as { id: string; renewedById?: string; code?: string })
  }
  return { token, id, list, find, entries }
}

test.serial('a signer is renewed once, 30 days before it expires, and the new one signs (D-302)', async (t) => {
  const { token, id, list, find, entries } = await newTenant()
  t.true((await find()).renew)
  await sweepAfter(334)
  t.is((await list()).length, 1)
  await sweepAfter(336)
  await sweepAfter(336)
  const old = await find()
  t.is((await list()).length, 2)
  const renewed = await find(old.renewedById)
  t.like(renewed, { active: true, renew: true, certificateData: { commonName: 'Own Signer' } as never })
  t.notDeepEqual(renewed.publicKey, old.publicKey)
  const lifeOf = ({ certificateData: { notBefore, notAfter } }: Signer) => Date.parse(notAfter) - Date.parse(notBefore)
  t.is(lifeOf(renewed), lifeOf(old))
  t.true(new X509Certificate(renewed.certificatePem).issuer === new X509Certificate(old.certificatePem).issuer)
  t.like(old, { active: true, usability: 'usable' }, 'it verifies, and signs where it is named, until it expires')
  t.deepEqual(await entries('SUCCESS'), [{ ...(await entries('SUCCESS'))[0], id, renewedById: renewed.id }] as never)
  await world.dependencies.systemSql.query({
    text: 'update mobile_document_signers set not_before = now() where id = $1',
    values: [renewed.id],
  })
  const { mobileId } = await signMobile(world, token)
  const credential = await world.ask(`/v1/credentials/mobile/${mobileId}`, { token })
  t.is(credential.json().documentSignerId, renewed.id)
  // whichever was changed last
  const { rows } = await world.dependencies.systemSql.query<{ tenantId: string; iacaId: string }>({
    text: `update mobile_document_signers set updated_at = now() + interval '1 day' where id = $1
      returning tenant_id as "tenantId", iaca_id as "iacaId"`,
    values: [id],
  })
  const { tenantId = '', iacaId = '' } = rows[0] ?? {}
  const { mobileSigners } = createPlatform(world.dependencies)
  t.is(
    (await mobileSigners.listSigner(tenantId, iacaId)).id,
    renewed.id,
    'lists are signed by the one that lasts (D-1181)',
  )
})

test.serial(
  'a signer whose row cannot be read holds up no renewal of another tenant, and no notice (D-1217)',
  async (t) => {
    const [broken, other] = [await newTenant(), await newTenant()]
    const { systemSql } = world.dependencies
    const { rows } = await systemSql.query<{ certificate: Buffer }>({
      text: 'select certificate from mobile_document_signers where id = $1',
      values: [broken.id],
    })
    const store = (certificate: Buffer | undefined) =>
      systemSql.query({
        text: 'update mobile_document_signers set certificate = $2 where id = $1',
        values: [broken.id, certificate],
      })
    await store(Buffer.from('no certificate'))
    await t.throwsAsync(sweepAfter(336), { message: /part of the sweep/ })
    t.is((await other.list()).length, 2)
    await store(rows[0]?.certificate)
    await sweepAfter(336)
    t.is((await broken.list()).length, 2)
  },
)

test.serial('the successor of an old signer does not sign before one that was made since (D-376)', async (t) => {
  const { token, find } = await newTenant()
  const newer = await makeSigner(world, { renew: false }, token)
  await sweepAfter(336)
  t.truthy((await find()).renewedById)
  await world.dependencies.systemSql.query({
    text: 'update mobile_document_signers set not_before = now() where tenant_id = (select tenant_id from mobile_document_signers where id = $1)',
    values: [newer.id],
  })
  const { mobileId } = await signMobile(world, token)
  t.is((await world.ask(`/v1/credentials/mobile/${mobileId}`, { token })).json().documentSignerId, newer.id)
})

test.serial(
  'what is not to be renewed stays as it is: by its policy, inactive, revoked, or with its IACA',
  async (t) => {
    const without = await newTenant(false)
    const [inactive, revoked] = [await newTenant(), await newTenant()]
    const put = (path: string, token: string, body: object) => world.ask(path, { method: 'PUT', token, body })
    await put(`${SIGNERS}/${inactive.id}`, inactive.token, { active: false })
    await world.ask(`${SIGNERS}/${revoked.id}/revoke`, { method: 'POST', token: revoked.token })
    const ending = await newTenant()
    const [iaca] = (await world.ask(IACAS, { token: ending.token })).json<{ data: { id: string }[] }>().data
    await put(`${IACAS}/${iaca?.id}`, ending.token, { active: false })
    await sweepAfter(350)
    for (const { list } of [without, inactive, revoked, ending]) t.is((await list()).length, 1)
    t.is((await put(`${SIGNERS}/${without.id}`, without.token, { renew: true })).json<Signer>().renew, true)
    await sweepAfter(350)
    t.is((await without.list()).length, 2)
  },
)

test.serial('a signer with a short life is renewed in its last third, and not in a circle', async (t) => {
  const { token, list } = await newTenant(false)
  await makeSigner(world, { notAfter: new Date(Date.now() + 9 * DAY_MS).toISOString() }, token)
  await sweepAfter(5)
  t.is((await list()).length, 2)
  await sweepAfter(7)
  await sweepAfter(7)
  t.is((await list()).length, 3)
})

test.serial('an imported IACA certifies no successor', async (t) => {
  const { token } = await newTenant(false)
  const { certificatePem } = await makeForeignIssuer()
  const reply = await world.ask(IACAS, { token, body: { certificatePem } })
  const iacaId = reply.json<{ id: string }>().id
  const refused = await world.ask(SIGNERS, { token, body: { iacaId, renew: true } })
  t.is(refused.status, 400)
  t.like(refused.json<{ errors: object[] }>().errors, [{ path: 'renew', code: 'imported' }])
  const signer = await makeSigner(world, { iacaId }, token)
  t.is((await world.ask(`${SIGNERS}/${signer.id}`, { token })).json<Signer>().renew, false)
  const changed = await world.ask(`${SIGNERS}/${signer.id}`, { method: 'PUT', token, body: { renew: true } })
  t.is(changed.status, 400)
})

test.serial('with five live signers the tenant gets one notice, and the renewal once there is room', async (t) => {
  const { token, id, list, entries } = await newTenant()
  const others: string[] = []
  while (others.length < 4) others.push((await makeSigner(world, { renew: false }, token)).id)
  await sweepAfter(340)
  await sweepAfter(341)
  t.is((await list()).length, 5)
  t.deepEqual(
    (await entries('FAIL')).map(({ id: signer, code }) => [signer, code]),
    [[id, 'document_signer.too_many']],
  )
  await world.ask(`${SIGNERS}/${others[0]}`, { method: 'DELETE', token })
  await sweepAfter(342)
  t.is((await entries('SUCCESS')).length, 1)
  t.is((await list()).length, 5)
})

test.serial('a crash at any step renews once: no signer is made twice, and none is lost', async (t) => {
  const { list, find, entries } = await newTenant()
  const { uuid, keys } = world.dependencies
  class Crash extends Error {}
  let crashes = 0
  for (let allowed = 0; ; allowed++) {
    let left = allowed
    const step =
      <Args extends unknown[], Result>(work: (...args: Args) => Result) =>
      (...args: Args): Result => {
        if (left-- <= 0) throw new Crash()
        return work(...args)
      }
    const steps = {
      uuid: step(uuid),
      keys: { ...keys, create: step(keys.create), publicKey: step(keys.publicKey), sign: step(keys.sign) },
    }
    try {
      await sweepAfter(340, steps)
      break
    } catch (error) {
      if (!(error instanceof Crash)) throw error
      crashes += 1
      t.true((await list()).length <= 2)
    }
  }
  t.true(crashes > 3, `${crashes} crashes`)
  t.is((await list()).length, 2)
  t.is((await entries('SUCCESS')).length, 1)
  t.truthy((await find()).renewedById)
  const sign = async () => {
    throw new Unavailable('keys', 'away')
  }
  const waiting = await newTenant()
  await sweepAfter(340, { keys: { ...keys, sign } })
  t.is((await waiting.list()).length, 1)
  await sweepAfter(340)
  t.is((await waiting.list()).length, 2)
})

test.serial('of two renewals at once one makes the successor', async (t) => {
  const { list, entries } = await newTenant()
  await Promise.all([sweepAfter(340), sweepAfter(340), sweepAfter(340)])
  t.is((await list()).length, 2)
  t.is((await entries('SUCCESS')).length, 1)
})
