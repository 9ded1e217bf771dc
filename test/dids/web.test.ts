import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createPlatform } from '../../activities/index.ts'
import type { Json } from '../../protocol/data-integrity/index.ts'
import type { DidDocument } from '../../protocol/dids/index.ts'
import { sign, verify } from '../support/credentials/credentials.ts'
import { type DidAnswer, didsOf, type Resolved } from '../support/credentials/dids.ts'
import { peerVerifies, verifyLinkage } from '../support/credentials/linkage.ts'
import { type DomainAnswer, domainsOf } from '../support/domains.ts'
import { type Names, openNames } from '../support/frame/names.ts'
import { inboxesOf } from '../support/messaging.ts'
import { openWorld, type World } from '../support/world.ts'

let names: Names
let world: World
test.before(async () => {
  names = await openNames(['id.acme.test', 'wing.acme.test', 'hall.acme.test'])
  world = await openWorld({ workflows: true, env: names.env })
  names.platform.apiPort = world.config.port
})
test.after.always(async () => {
  await world?.close()
  await names?.close()
})

const didAt = (host: string, ...path: string[]) => [`did:web:${host}%3A${names.port}`, ...path].join(':')

/** As a stranger resolves: what the host serves. */
const readDocument = async (host: string, path = '/.well-known/did.json') =>
  (await names.read(host, path)).json() as unknown as DidDocument

async function newTenant() {
  const client = await world.addTenant()
  const host = `${client.subdomain}.issuer.test`
  const token = await world.tokenOf(client)
  return { ...client, host, url: `https://${host}:${names.port}`, token, dids: didsOf(world, token) }
}

test.serial(
  'a DID on the own host: PROCESSING at once, hosted by us, COMPLETED when it resolves (specification, DID record)',
  async (t) => {
    const dids = didsOf(world, world.token)
    const reply = await dids.create('web', { url: names.origin })
    t.is(reply.status, 201)
    const created = reply.json<DidAnswer>()
    const did = didAt('issuer.test')
    t.like(created, { did, registrationStatus: 'PROCESSING', metadata: { keys: [] } })
    const resolved = await dids.reaches(did, 'COMPLETED')
    t.is(resolved.hosting, 'platform')
    const page = await names.read('issuer.test', '/.well-known/did.json')
    t.is(page.status, 200)
    t.regex(String(page.headers['content-type']), /^application\/did\+json/)
    t.is(page.headers['access-control-allow-origin'], '*')
    t.deepEqual(page.json(), resolved.didDocument)
    const methods = resolved.didDocument.verificationMethod ?? []
    const keys = resolved.localMetadata.keys
    t.is(keys.length, 5)
    t.is(new Set(keys.map(({ kmsKeyId }) => kmsKeyId)).size, 5)
    for (const { didDocumentKeyId } of keys) {
      const method = methods.find(({ id }) => id === didDocumentKeyId)
      t.true(method?.publicKeyMultibase?.startsWith(didDocumentKeyId.split('#')[1] ?? '?'), didDocumentKeyId)
    }
    const listed = (await dids.list()).dids.find((each) => each.did === did)
    t.like(listed, { id: created.id, registrationStatus: 'COMPLETED', metadata: { keys } })
    t.false('failureReason' in (listed ?? {}))
    t.deepEqual((await dids.resolve(did)).json<Resolved>().localMetadata, resolved.localMetadata)

    for (const proofType of ['Ed25519Signature2018', 'eddsa-rdfc-2022', 'ecdsa-rdfc-2019', 'bbs-2023']) {
      const { credential } = await sign(world, did, { proofType })
      t.deepEqual(await verify(world, credential), { verified: true, reason: [] }, proofType)
      if (proofType === 'bbs-2023') continue // a base proof is not for verifiers; the list below is derived
      const peer = await peerVerifies(credential, async () => resolved.didDocument as unknown as DidDocument)
      t.true(peer.verified, `${proofType}: ${JSON.stringify(peer.error)}`)
    }

    const { linked_dids: linked } = (await names.read('issuer.test', '/.well-known/did-configuration.json')).json<{
      linked_dids: Json[]
    }>()
    const rules = { origin: names.origin, now: new Date(), resolve: () => readDocument('issuer.test') }
    t.deepEqual(await verifyLinkage(linked[0] ?? {}, rules), { verified: true, did, reason: [] })
    t.true((await peerVerifies(linked[0] ?? {}, rules.resolve)).verified)
  },
)

test.serial('another tenant’s DID lives on its subdomain, and is nobody else’s to see', async (t) => {
  const tenant = await newTenant()
  const did = didAt(tenant.host)
  t.is((await tenant.dids.createWeb(tenant.url)).did, did)
  const { didDocument } = await tenant.dids.reaches(did, 'COMPLETED')
  t.deepEqual(await readDocument(tenant.host), didDocument as unknown as DidDocument)
  const others = didsOf(world, world.token)
  t.is((await others.resolve(did)).status, 404)
  t.is((await others.remove(did)).status, 404)
  t.false((await others.list('?limit=1000')).dids.some((each) => each.did === did))
})

test.serial('a path of the own host holds a DID of its own, whatever the path (did:web draft, Read)', async (t) => {
  const { dids, url, host } = await newTenant()
  const paths = [
    ['departments/physics', 'departments:physics'],
    ['core/v1/issuers', 'core:v1:issuers'], // a path that the API knows as an alias of another
    ['caf\u00e9/%7Eann', 'caf%C3%A9:%7Eann'],
  ] as const
  for (const [path, tail] of paths) {
    const did = didAt(host, tail)
    t.is((await dids.createWeb(`${url}/${path}`)).did, did)
    const { didDocument } = await dids.reaches(did, 'COMPLETED')
    const served = await readDocument(host, `/${tail.replaceAll(':', '/')}/did.json`)
    t.deepEqual(served, didDocument as unknown as DidDocument)
  }
  t.is((await names.read(host, '/.well-known/did.json')).status, 404)
  t.is((await names.read('issuer.test', '/departments/physics/did.json')).status, 404)
})

test.serial('a verified domain hosts too, beside the subdomain; an unverified one does not', async (t) => {
  const { tenantId, dids, url, host } = await newTenant()
  const addDomain = (domain: string, verified: boolean) =>
    world.dependencies.systemSql.query({
      text: `insert into domains (id, tenant_id, name, domain, verification_token, is_verified)
        values ($1, $2, 'acme', $3, 'token', $4)`,
      values: [randomUUID(), tenantId, domain, verified],
    })
  await addDomain('id.acme.test', true)
  await addDomain('elsewhere.test', false)
  const [own, custom] = [didAt(host), didAt('id.acme.test')]
  await dids.createWeb(url)
  await dids.createWeb(`https://id.acme.test:${names.port}`)
  await dids.createWeb(`https://elsewhere.test:${names.port}`)
  t.is((await dids.reaches(own, 'COMPLETED')).hosting, 'platform')
  t.is((await dids.reaches(custom, 'COMPLETED')).hosting, 'platform')
  t.is((await readDocument(host)).id, own)
  t.is((await readDocument('id.acme.test')).id, custom)
  t.like((await dids.resolve(didAt('elsewhere.test'))).json(), {
    hosting: 'caller',
    registrationStatus: 'PROCESSING',
  })
})

test.serial('a domain that changed hands speaks for its new tenant alone', async (t) => {
  const [before, after] = [await newTenant(), await newTenant()]
  const domain = 'wing.acme.test'
  const did = `did:web:${domain}`
  const row = (tenantId: string, hosting: string) =>
    world.dependencies.systemSql.query({
      text: `insert into dids (id, tenant_id, did, method, registration_status, document, hosting, host, path)
        values ($1, $2, $3, 'WEB', 'COMPLETED', $4, $5, $6, '')`,
      values: [
        randomUUID(),
        tenantId,
        did,
        JSON.stringify({ id: did, verificationMethod: [], owner: tenantId }),
        hosting,
        domain,
      ],
    })
  await row(before.tenantId, 'platform')
  await world.dependencies.systemSql.query({
    text: `insert into domains (id, tenant_id, name, domain, verification_token, is_verified) values ($1, $2, 'a', $3, 't', true)`,
    values: [randomUUID(), after.tenantId, domain],
  })
  const asked = () => names.read(domain, '/.well-known/did.json')
  t.is((await asked()).status, 404)
  await row(after.tenantId, 'platform')
  t.is((await asked()).json().owner, after.tenantId)
})

test.serial(
  'a did:web whose domain is lost signs, sends and receives nothing, until it is verified again (D-492)',
  async (t) => {
    const domain = 'hall.acme.test'
    const [before, after, third] = [await newTenant(), await newTenant(), await newTenant()]
    const did = didAt(domain)
    const prove = async ({ token }: { token: string }, { id, verificationToken }: DomainAnswer) => {
      names.dns.set(domain, { A: ['127.0.0.1'], TXT: [verificationToken] })
      t.is((await domainsOf(world, token).verify(id)).status, 204)
    }
    const openAt = async (tenant: typeof before) => {
      const own = await domainsOf(world, tenant.token).created(domain)
      await prove(tenant, own)
      await tenant.dids.createWeb(`https://${domain}:${names.port}`)
      const { didDocument } = await tenant.dids.reaches(did, 'COMPLETED')
      const inbox = await inboxesOf(world, tenant.token).created()
      t.is((await inboxesOf(world, tenant.token).register(inbox, did)).status, 201)
      return {
        domainId: own.id,
        inbox,
        kid: didDocument.verificationMethod?.find(({ id }) => id.includes('#z6Mk'))?.id,
      }
    }
    const texts = async ({ token }: { token: string }, inbox: string) =>
      (await inboxesOf(world, token).messages(inbox)).messages.map(({ payload }) => JSON.parse(payload).body.content)
    const post = (path: string, { token }: { token: string }, body: object) => world.ask(path, { token, body })
    const send = (text: string) => post('/v1/messaging/send', third, { to: did, message: text })

    const first = await openAt(before)
    const letter = { payload: 'sealed', recipientDidUrls: [did] }
    const sealed = (await post('/v1/messaging/encrypt', third, letter)).json()
    t.is((await send('one')).status, 200)
    let ahead = 0
    const elsewhere = createPlatform({ ...world.dependencies, now: () => new Date(Date.now() + ahead) })
    const signElsewhere = () =>
      elsewhere.messageSignatures.signMessage(before.tenantId, { didUrl: first.kid ?? '', payload: 'x' })
    await signElsewhere()
    const anew = (await domainsOf(world, before.token).invalidate(first.domainId)).json<DomainAnswer>()
    ahead = 10_001
    await t.throwsAsync(signElsewhere(), { code: 'did.host_lost' }, 'another process remembers a host for 10 s')

    const isLost = async () => {
      const message = { id: randomUUID(), type: 'https://didcomm.org/trust-ping/2.0/ping', from: did, body: {} }
      const other = await inboxesOf(world, before.token).created()
      const [mailbox] = (await before.dids.create('KEY', { keyType: 'x25519' })).json<{ did: string }>().did.split(' ')
      const replies = {
        didUrl: await post('/v1/messaging/sign', before, { didUrl: first.kid, payload: 'x' }),
        senderDidUrl: await post('/v1/messaging/encrypt', before, {
          ...letter,
          recipientDidUrls: [mailbox],
          senderDidUrl: did,
        }),
        'message.from': await post('/v1/messaging/send', before, { to: mailbox, message }),
        did: await inboxesOf(world, before.token).register(other, did),
      }
      for (const [path, reply] of Object.entries(replies)) {
        t.is(reply.status, 409, path)
        t.like(reply.json(), { type: '/problems#did.host_lost', errors: [{ path, code: 'host_lost' }] }, path)
      }
      await t.throwsAsync(sign(world, did, { token: before.token }), { message: /did\.host_lost/ })
      const resolved = (await before.dids.resolve(did)).json<Resolved>()
      t.like(resolved, { registrationStatus: 'COMPLETED', warning: { code: 'did.host_lost' } })
      t.true(resolved.warning?.reason.includes(domain))
      t.truthy((await before.dids.list()).dids.find((each) => each.did === did)?.warning)
      t.is(
        (await post('/v1/messaging/decrypt', before, sealed)).json().payload,
        'sealed',
        'what was for its keys opens',
      )
    }
    await isLost()
    t.like((await send('two')).json(), { type: '/problems#message.cannot_send', errors: [{ code: 'unresolvable' }] })
    await prove(before, anew)
    await t.notThrowsAsync(sign(world, did, { token: before.token }))
    t.is((await send('three')).status, 200)
    t.false('warning' in (await before.dids.resolve(did)).json<Resolved>())

    await domainsOf(world, before.token).invalidate(first.domainId)
    const second = await openAt(after)
    t.is((await send('four')).status, 200)
    await isLost()
    t.deepEqual(await texts(after, second.inbox), ['four'])
    t.deepEqual(await texts(before, first.inbox), ['three', 'one'])
  },
)

test.serial('the host of another tenant is not ours to host on: it stays PROCESSING', async (t) => {
  const [victim, other] = [await newTenant(), await newTenant()]
  await victim.dids.createWeb(victim.url)
  await victim.dids.reaches(didAt(victim.host), 'COMPLETED')
  const { did } = await other.dids.createWeb(victim.url)
  const { hosting, registrationStatus, didDocument } = (await other.dids.resolve(did)).json<Resolved>()
  t.deepEqual([did, hosting, registrationStatus], [didAt(victim.host), 'caller', 'PROCESSING'])
  t.notDeepEqual(await readDocument(victim.host), didDocument as unknown as DidDocument)
  t.is((await verify(world, (await sign(world, did, { token: victim.token })).credential)).verified, true)
  await t.throwsAsync(sign(world, did, { token: other.token }), { message: /issuer_not_ready/ })
})

test.serial('twenty at once for one DID: one is accepted, the others are told that it is taken', async (t) => {
  const { dids, url } = await newTenant()
  const replies = await Promise.all(Array.from({ length: 20 }, () => dids.create('WEB', { url: `${url}/race` })))
  t.deepEqual(replies.map(({ status }) => status).toSorted(), [201, ...Array.from({ length: 19 }, () => 409)])
  t.is(replies.find(({ status }) => status === 409)?.json().type, '/problems#did.taken')
})

for (const [url, code] of [
  ['http://issuer.test', 'did.invalid_url'],
  ['https://127.0.0.1', 'did.invalid_url'],
  ['https://2130706433', 'did.invalid_url'],
  ['https://[::1]', 'did.invalid_url'],
  ['https://user:pass@issuer.test', 'did.invalid_url'],
  ['https://issuer.test/../etc', 'did.invalid_url'],
  ['https://issuer.test/a%2Fb', 'did.invalid_url'],
  ['https://issuer.test/?a=b', 'did.invalid_url'],
  ['did:web:issuer.test', 'did.invalid_url'],
  ['', 'request.invalid'],
] as const)
  test.serial(`no did:web is made of ${url || 'nothing'}`, async (t) => {
    const reply = await didsOf(world, world.token).create('WEB', { url })
    t.is(reply.status, 400)
    t.is(reply.json().type, `/problems#${code}`)
  })
