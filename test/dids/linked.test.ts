import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import test from 'ava'
import { createPlatform } from '../../activities/index.ts'
import { inTenant } from '../../entities/orm.ts'
import type { Json } from '../../protocol/data-integrity/index.ts'
import { resolveDidKey } from '../../protocol/dids/key.ts'
import { Unavailable } from '../../protocol/errors.ts'
import { createDid } from '../support/credentials/credentials.ts'
import { peerVerifies, verifyLinkage } from '../support/credentials/linkage.ts'
import { type Names, openNames } from '../support/frame/names.ts'
import { openWorld, type World } from '../support/world.ts'

const DAY_MS = 24 * 3600_000
const RESOURCE = '/.well-known/did-configuration.json'
const LIST = '/.well-known/did-configuration'

let names: Names
let world: World
test.before(async () => {
  names = await openNames(['id.acme.test'])
  world = await openWorld({ env: names.env })
  names.platform.apiPort = world.config.port
})
test.after.always(async () => {
  await world?.close()
  await names?.close()
})

const resolve = async (did: string) => resolveDidKey(did)

async function newTenant() {
  const client = await world.addTenant()
  const { subdomain, tenantId } = client
  const host = `${subdomain}.issuer.test`
  return { tenantId, host, origin: `https://${host}:${names.port}`, token: await world.tokenOf(client) }
}

const linkedAt = async (host: string) => (await names.read(host, RESOURCE)).json<{ linked_dids: Json[] }>().linked_dids
const subjects = (credentials: Json[]) => credentials.map(({ issuer }) => issuer)

test.serial('every signing DID of the tenant is linked, each by its own key', async (t) => {
  const { host, origin, token } = await newTenant()
  const dids: string[] = []
  for (const keyType of ['ed25519', 'p256', 'p384', 'bls12381g2']) dids.push(await createDid(world, keyType, token))
  const reply = await names.read(host, RESOURCE)
  t.is(reply.status, 200)
  t.regex(String(reply.headers['content-type']), /^application\/json/)
  t.is(reply.headers['access-control-allow-origin'], '*')
  const { '@context': context, linked_dids: linked } = reply.json<{ '@context': string; linked_dids: Json[] }>()
  t.is(context, 'https://identity.foundation/.well-known/did-configuration/v1')
  t.deepEqual(subjects(linked), dids.toReversed())
  t.deepEqual(
    linked.map(({ proof }) => (proof as Json).cryptosuite ?? (proof as Json).type),
    ['bbs-2023', 'ecdsa-rdfc-2019', 'ecdsa-rdfc-2019', 'Ed25519Signature2018'],
  )
  for (const credential of linked) {
    const verdict = await verifyLinkage(credential, { origin, now: new Date(), resolve })
    t.deepEqual(verdict, { verified: true, did: String(credential.issuer), reason: [] })
    const peer = await peerVerifies(credential, resolve)
    t.true(peer.verified, JSON.stringify(peer.error))
  }
})

test.serial('the default issuer is linked first: newer DIDs do not keep it out of a full list (D-246)', async (t) => {
  const { host, token } = await newTenant()
  const chosen = await createDid(world, 'ed25519', token, true)
  const newer = [await createDid(world, 'ed25519', token), await createDid(world, 'ed25519', token)]
  t.deepEqual(subjects(await linkedAt(host)), [chosen, ...newer.toReversed()])
})

test.serial(
  'the list has the shape of the specification, under its path and its alias (specification, Endpoints)',
  async (t) => {
    const { host, token } = await newTenant()
    const did = await createDid(world, 'ed25519', token)
    const reply = await names.read(host, LIST)
    t.is(reply.status, 200)
    const body = reply.json<{ context: string; linkedDids: { DomainLinkageCredential: Json }[] }>()
    t.deepEqual(Object.keys(body), ['context', 'linkedDids'])
    t.deepEqual(
      body.linkedDids.map(({ DomainLinkageCredential }) => DomainLinkageCredential),
      await linkedAt(host),
    )
    t.is(body.linkedDids[0]?.DomainLinkageCredential.issuer, did)
    t.is((await names.read(host, '/v1/linked-dids')).text, reply.text)
  },
)

test.serial('a tenant without DIDs, and a host that is nobody’s: 404 (specification, Errors 3)', async (t) => {
  const { host } = await newTenant()
  for (const path of [LIST, RESOURCE])
    for (const asked of [host, 'nobody.issuer.test']) {
      const reply = await names.read(asked, path)
      t.is(reply.status, 404)
      t.is(reply.json().type, '/problems#linked_dids.not_found')
    }
})

test.serial('one tenant’s host names no DID of another', async (t) => {
  const [one, other] = [await newTenant(), await newTenant()]
  const did = await createDid(world, 'ed25519', one.token)
  const foreign = await createDid(world, 'ed25519', other.token)
  t.deepEqual(subjects(await linkedAt(one.host)), [did])
  t.deepEqual(subjects(await linkedAt(other.host)), [foreign])
})

test.serial(
  'readers may keep it for a minute, and learn by ETag that nothing changed (RFC 9110, section 13)',
  async (t) => {
    const { host, token } = await newTenant()
    await createDid(world, 'ed25519', token)
    const { headers } = await names.read(host, RESOURCE)
    t.is(headers['cache-control'], 'public, max-age=60')
    const again = await names.read(host, RESOURCE, { 'if-none-match': String(headers.etag) })
    t.is(again.status, 304)
    t.is(again.text, '')
    await createDid(world, 'p256', token)
    const changed = await names.read(host, RESOURCE, { 'if-none-match': String(headers.etag) })
    t.is(changed.status, 200)
    t.not(changed.headers.etag, headers.etag)
  },
)

test.serial('a verified domain of the tenant speaks for its DIDs under its own origin', async (t) => {
  const { tenantId, token } = await newTenant()
  const did = await createDid(world, 'ed25519', token)
  await world.dependencies.systemSql.query({
    text: `insert into domains (id, tenant_id, name, domain, verification_token, is_verified, verified_at)
      values ($1, $2, 'acme', 'id.acme.test', 'token', true, now())`,
    values: [randomUUID(), tenantId],
  })
  const [credential = {}] = await linkedAt('id.acme.test')
  const rules = { origin: 'https://id.acme.test', now: new Date(), resolve }
  t.deepEqual(await verifyLinkage(credential, rules), { verified: true, did, reason: [] })
})

test.serial('a deleted DID is not linked any more; what was kept goes with it', async (t) => {
  const { host, token } = await newTenant()
  const [did, staying] = [await createDid(world, 'ed25519', token), await createDid(world, 'ed25519', token)]
  t.is((await linkedAt(host)).length, 2)
  await world.ask(`/v1/dids/${encodeURIComponent(did)}`, { method: 'DELETE', token })
  t.deepEqual(subjects(await linkedAt(host)), [staying])
})

/** A platform of its own over the same tables, so that its clock and its key store are the test's. */
const platformWith = (more: Partial<World['dependencies']>) =>
  createPlatform({ ...world.dependencies, ...more }).linkedDids

test.serial('a linkage is signed once and kept, and renewed while it still holds', async (t) => {
  const { host, origin, token } = await newTenant()
  await createDid(world, 'ed25519', token)
  const at = (days: number) => platformWith({ now: () => new Date(Date.now() + days * DAY_MS) }).linkedDidsAt(host)
  const first = await at(0)
  t.deepEqual([(await at(0)).etag, (await at(19)).etag], [first.etag, first.etag])
  const renewed = await at(21)
  t.not(renewed.etag, first.etag)
  t.is((await at(21)).etag, renewed.etag)
  const [credential = {}] = renewed.credentials
  const rules = { origin, now: new Date(Date.now() + 45 * DAY_MS), resolve }
  t.true((await verifyLinkage(credential, rules)).verified)
})

test.serial('while the key store is away the kept ones are served as long as they hold, then 503', async (t) => {
  const { host, token } = await newTenant()
  await createDid(world, 'ed25519', token)
  const away = () => Promise.reject(new Unavailable('keys', 'The key store is away.', 1))
  const keys = { ...world.dependencies.keys, sign: away, bbsSign: away }
  const at = (days: number) =>
    platformWith({ keys, now: () => new Date(Date.now() + days * DAY_MS) }).linkedDidsAt(host)
  await t.throwsAsync(at(0), { instanceOf: Unavailable })
  const [kept] = await linkedAt(host)
  t.deepEqual((await at(25)).credentials, [kept ?? {}])
  await t.throwsAsync(at(31), { instanceOf: Unavailable })
})

test.serial('a hundred readers at once cost one signature', async (t) => {
  const { host, token } = await newTenant()
  await createDid(world, 'ed25519', token)
  let signatures = 0
  const { keys } = world.dependencies
  const sign: typeof keys.sign = (...given) => {
    signatures++
    return keys.sign(...given)
  }
  const platform = platformWith({ keys: { ...keys, sign } })
  const answers = await Promise.all(Array.from({ length: 100 }, () => platform.linkedDidsAt(host)))
  t.is(signatures, 1)
  t.is(new Set(answers.map(({ etag }) => etag)).size, 1)
})

test.serial('DIDs that cannot be linked keep no other one out of the list', async (t) => {
  const { tenantId, host, token } = await newTenant()
  const did = await createDid(world, 'ed25519', token)
  const insert = `insert into dids (id, tenant_id, did, method, registration_status, hosting, host, path, document, created_at)
    select gen_random_uuid(), $1, 'did:web:' || h || ':' || n, 'WEB', 'COMPLETED', g, h, n, '{}', now()
    from generate_series(1, 60) n, (values ('lost.acme.test', 'platform'), ('other.test', 'caller')) v (h, g)`
  await world.dependencies.systemSql.query({ text: insert, values: [tenantId] })
  const keys = `insert into keys (id, tenant_id, key_type, did_id, public_key, custody, did_url)
    select gen_random_uuid(), tenant_id, 'ed25519', id, '\\x00', 'software', did || '#key' from dids
    where tenant_id = $1 and hosting = 'platform'`
  await world.dependencies.systemSql.query({ text: keys, values: [tenantId] })
  t.deepEqual(subjects(await linkedAt(host)), [did])
})

test.serial('a reader costs no look at all DIDs of the tenant, however many it has (D-1216)', async (t) => {
  const { tenantId, host, origin, token } = await newTenant()
  const did = await createDid(world, 'ed25519', token, true)
  const { systemSql, database } = world.dependencies
  const insert = `insert into dids (id, tenant_id, did, method, registration_status, hosting, host, path, document, created_at)
    select gen_random_uuid(), $1, 'did:web:' || h || ':' || n, 'WEB', 'COMPLETED', g, h, n, '{}', now()
    from generate_series(1, 10000) n, (values ($2, 'platform'), ('other.test', 'caller')) v (h, g)`
  await systemSql.query({ text: insert, values: [tenantId, host] })
  const keys = `insert into keys (id, tenant_id, key_type, did_id, public_key, custody, did_url)
    select gen_random_uuid(), tenant_id, 'ed25519', id, '\\x00', 'software', did || '#key' from dids
    where tenant_id = $1 and method = 'WEB'`
  await systemSql.query({ text: keys, values: [tenantId] })
  const linkages = `insert into domain_linkages (id, tenant_id, did_id, origin, credential, valid_until, created_at)
    select gen_random_uuid(), tenant_id, id, ?, json_build_object('issuer', did), now() + interval '30 days', now()
    from dids where method = 'WEB'`
  await inTenant(database.tenants, tenantId, (em) => em.execute(linkages, [origin]))
  const looks = async () => {
    await wait(2_500) // what a connection has read is counted a second later
    const text = `select (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as count
      from pg_stat_user_tables where relname = 'dids'`
    return (await systemSql.query<{ count: number }>({ text, values: [] })).rows[0]?.count ?? 0
  }
  const before = await looks()
  const linked = subjects(await linkedAt(host))
  t.deepEqual([linked.length, linked[0]], [100, did])
  const seen = (await looks()) - before
  t.true(seen < 5_000, `${seen} rows were read`)
})
