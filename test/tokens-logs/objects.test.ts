import { randomUUID } from 'node:crypto'
import test from 'ava'
import { inTenant } from '../../entities/orm.ts'
import { create, lines } from '../support/credentials/batches.ts'
import { createDid, payload, sign, verdictOf } from '../support/credentials/credentials.ts'
import { createTemplate, TEMPLATES } from '../support/credentials/templates.ts'
import { vcApi, vcApiSettings } from '../support/credentials/vc-api.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const CREDENTIALS = '/v1/credentials/web-semantic'

interface Entry {
  type: string
  metadata: string
  objectIds: string[]
}

const everything = { categories: [], types: [], ids: [], requestIds: [] }
const always = { dateFrom: '2020-01-01T00:00:00Z', dateTo: '2999-01-01T00:00:00Z' }

async function about(objectIds: string[], token = world.token, more: object = {}): Promise<Entry[]> {
  const body = { ...everything, ...always, objectIds, ...more }
  const reply = await world.ask('/v1/analytics/events?limit=1000', { token, body })
  if (reply.status !== 200) throw new Error(reply.text)
  return reply.json<{ data: Entry[] }>().data
}

const typesOf = (entries: Entry[]) => entries.map(({ type }) => type).toSorted()
const metadataOf = (entry: Entry | undefined) => JSON.parse(entry?.metadata ?? '{}') as Record<string, unknown>
const didIdOf = async (did: string, token = world.token) =>
  (await world.ask(`/v1/dids/${encodeURIComponent(did)}`, { token })).json<{ id: string }>().id

test.serial(
  'what happened to a credential is found by its id, and what happened to its DID by that of the DID',
  async (t) => {
    const did = await createDid(world)
    const { id, credential } = await sign(world, did, { revocable: true })
    await sign(world, did)
    const path = `${CREDENTIALS}/${id}`
    const { token } = world
    t.is((await world.ask(path, { token })).status, 200)
    await verdictOf(world, credential)
    const revoked = await world.ask(`${path}/revocation-status`, { token, body: { is_revoked: true } })
    t.true(revoked.status < 300, revoked.text)
    const entries = await about([id])
    t.deepEqual(typesOf(entries), [
      'CREDENTIAL_WEB_SEMANTIC_RETRIEVE_SUCCESS',
      'CREDENTIAL_WEB_SEMANTIC_REVOCATION_SET_STATUS_SUCCESS',
      'CREDENTIAL_WEB_SEMANTIC_SIGN_SUCCESS',
      'CREDENTIAL_WEB_SEMANTIC_VERIFY_SUCCESS',
    ])
    const didId = await didIdOf(did)
    const signed = entries.find(({ type }) => type.includes('SIGN'))
    t.deepEqual(signed?.objectIds, [id, didId])
    const status = entries.find(({ type }) => type.includes('SET_STATUS'))
    const [row] = (
      await world.dependencies.systemSql.query<{ list: string }>({
        text: 'select status_list_id as list from credentials where id = $1',
        values: [id],
      })
    ).rows
    t.deepEqual(status?.objectIds, [id, row?.list])
    t.is((await about([row?.list ?? ''])).length, 1, 'a list is found too')
    t.deepEqual(typesOf(await about([didId])), [
      'CREDENTIAL_WEB_SEMANTIC_SIGN_SUCCESS',
      'CREDENTIAL_WEB_SEMANTIC_SIGN_SUCCESS',
      'DID_CREATE_SUCCESS',
      'DID_RETRIEVE_SUCCESS',
    ])
    t.is((await about([didId.toUpperCase(), randomUUID()])).length, 4, 'one of the ids is enough')
    const categories = ['did']
    t.is((await about([didId], token, { categories })).length, 2, 'together with the other filters')
    t.is((await about([didId], token, { categories, requestIds: [randomUUID()] })).length, 0)
    const deleted = await world.ask(`/v1/dids/${encodeURIComponent(did)}`, { token, method: 'DELETE' })
    t.is(deleted.status, 204)
    t.is((await about([didId], token, { types: ['DID_DELETE_SUCCESS'] })).length, 1)
  },
)

test.serial('templates, batches and revocations are found by their ids', async (t) => {
  const { token } = world
  const issuer = await createDid(world)
  const template = await createTemplate(world)
  const body = { claims: { id: 'did:example:a', course: 'C' }, issuer_did: issuer }
  const from = await world.ask(`${TEMPLATES}/${template.id}/sign`, { token, body })
  t.true(
    typesOf(await about([template.id])).includes('CREDENTIAL_WEB_SEMANTIC_CREDENTIAL_CONFIGURATION_CREATE_SUCCESS'),
  )
  t.is((await about([template.id])).length, 2, from.text)
  const batch = await create(world, lines(2), { issuer, proofType: 'eddsa-rdfc-2022' })
  t.deepEqual(typesOf(await about([batch.id])), ['CREDENTIAL_WEB_SEMANTIC_BATCH_CREATE_SUCCESS'])
  const revocation = await world.ask(`${CREDENTIALS}/revocations`, {
    token,
    body: { by: 'issuer', id: issuer, is_revoked: true },
  })
  const { id } = revocation.json<{ id: string }>()
  const [entry] = await about([id])
  t.deepEqual(entry?.objectIds.toSorted(), [id, await didIdOf(issuer)].toSorted())
})

test.serial('what is refused is found by the id that its path names', async (t) => {
  const id = randomUUID()
  await world.ask(`${CREDENTIALS}/${id.toUpperCase()}`, { token: world.token })
  t.deepEqual(typesOf(await about([id])), ['CREDENTIAL_WEB_SEMANTIC_RETRIEVE_FAIL'])
})

test.serial('the entry of a verification has the verdict, and names the check that failed', async (t) => {
  const { token } = world
  const { id, credential } = await sign(world, await createDid(world), { revocable: true })
  await verdictOf(world, credential)
  await world.ask(`${CREDENTIALS}/${id}/revocation-status`, { token, body: { is_revoked: true } })
  await verdictOf(world, credential)
  await verdictOf(world, { ...credential, validUntil: '2999-01-01T00:00:00Z' })
  t.is((await vcApiSettings(world, true)).status, 200)
  const refused = await vcApi(world, 'credentials/verify', { verifiableCredential: credential })
  t.is(refused.status, 400, refused.text)
  const entries = (await about([id])).filter(({ type }) => type.includes('_VERIFY_')).toReversed()
  t.deepEqual(
    entries.map(({ type }) => type),
    [...Array(3).fill('CREDENTIAL_WEB_SEMANTIC_VERIFY_SUCCESS'), 'CREDENTIAL_WEB_SEMANTIC_VERIFY_FAIL'],
  )
  const { clientId } = world.first
  t.deepEqual(entries.map(metadataOf), [
    { clientId, verified: true, reason: null },
    { clientId, verified: false, reason: 'Revoked' },
    { clientId, verified: false, reason: 'Proof' },
    { clientId, verified: false, reason: 'Revoked' },
  ])
  const valid = await sign(world, await createDid(world))
  t.is((await vcApi(world, 'credentials/verify', { verifiableCredential: valid.credential })).status, 200)
  const accepted = (await about([valid.id])).find(({ type }) => type.includes('_VERIFY_'))
  t.deepEqual(metadataOf(accepted), { clientId, verified: true, reason: null })
})

test.serial('the id of a credential that somebody else issued is not in the log of its verifier', async (t) => {
  const { id, credential } = await sign(world, await createDid(world))
  const stranger = await world.tokenOf(await world.addTenant())
  t.true((await verdictOf(world, credential, { token: stranger })).verified)
  t.deepEqual(await about([id], stranger), [])
  const [entry] = await about([], stranger, { types: ['CREDENTIAL_WEB_SEMANTIC_VERIFY_SUCCESS'] })
  t.deepEqual(entry?.objectIds, [])
  t.is(metadataOf(entry).verified, true)
  t.false(JSON.stringify(entry).includes(id))
  t.false(JSON.stringify(entry).includes(String(payload('').credentialSubject.id)))
})

test.serial('of many entries those about an object are found by an index, below row-level security', async (t) => {
  const { dependencies, first } = world
  const objectId = randomUUID()
  await dependencies.systemSql.query({
    text: `insert into logs (id, tenant_id, category, type, timestamp, request_id, data, metadata, object_ids)
      select gen_random_uuid(), $1, 'did', 'DID_RETRIEVE_SUCCESS', now(), gen_random_uuid(), '{}', '{}',
        case n % 4 when 0 then array[gen_random_uuid()] when 1 then array[gen_random_uuid(), gen_random_uuid()]
          when 2 then array[gen_random_uuid(), gen_random_uuid(), gen_random_uuid()]
          else array[gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), case when n = 19999 then $2::uuid
            else gen_random_uuid() end] end
      from generate_series(1, 20000) as n`,
    values: [first.tenantId, objectId],
  })
  t.is((await about([objectId])).length, 1, 'in the last of the places too')
  const plan = await inTenant(dependencies.database.tenants, first.tenantId, async (em) => {
    const places = [1, 2, 3, 4].map((place) => `object_ids[${place}] in ('${objectId}')`).join(' or ')
    return em.execute(`explain (format json) select * from logs where tenant_id = '${first.tenantId}' and (${places})`)
  })
  const text = JSON.stringify(plan)
  for (const place of [1, 2, 3, 4]) t.true(text.includes(`logs_object_${place}`), text)
  t.false(text.includes('Seq Scan'))
})
