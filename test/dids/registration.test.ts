import { randomUUID } from 'node:crypto'
import test from 'ava'
import { lookFault } from '../../activities/dids/looks.ts'
import { createActivities } from '../../activities/index.ts'
import { Exhausted, Refusal, Unavailable } from '../../protocol/errors.ts'
import { type DidAnswer, didsOf, type Resolved } from '../support/credentials/dids.ts'
import { type Names, openNames } from '../support/frame/names.ts'
import { openWorld, type World } from '../support/world.ts'

let names: Names
let world: World
let dids: ReturnType<typeof didsOf>
test.before(async () => {
  names = await openNames()
  world = await openWorld({ env: names.env })
  names.platform.apiPort = world.config.port
  dids = didsOf(world, world.token)
})
test.after.always(async () => {
  await world?.close()
  await names?.close()
})

/** The steps of the workflows as the worker has them, with parts of the test's own. */
const stepsWith = (more: Partial<World['dependencies']> = {}) => createActivities({ ...world.dependencies, ...more })
const subjectOf = (didId: string) => ({ tenantId: world.first.tenantId, didId })

/** A did:web of another host whose workflow has not begun: there is no Temporal here. */
const begun = (path: string): Promise<DidAnswer> => dids.createWeb(`https://elsewhere.test:${names.port}/${path}`)

/** One with keys and document, and what the platform says of it. */
async function written(path: string) {
  const { id, did } = await begun(path)
  const subject = subjectOf(id)
  await stepsWith().createDidKeys(subject)
  await stepsWith().writeDidDocument(subject)
  const { didDocument } = (await dids.resolve(did)).json<Resolved>()
  return { did, subject, didDocument, publish: (text: string) => names.elsewhere.set(`/${path}/did.json`, text) }
}

test.serial('what a stranger writes into a document is stored as the reason, whatever its characters', async (t) => {
  const { did, subject, publish } = await written('nul')
  publish('{"id":"x","\\u0000a":1,"\\u0000a":2}')
  t.like(await stepsWith().lookUpDid(subject), { resolved: false, code: 'did.invalid_document' })
  const { waiting } = (await dids.resolve(did)).json<Resolved>()
  t.is(waiting?.code, 'did.invalid_document')
  t.regex(waiting?.reason ?? '', /repeats the member \ufffda\./)
  const fault = lookFault(new Refusal('did.unresolvable', 'a \0 and \ud800'))
  t.is(fault.reason, 'a \ufffd and \ufffd')
})

test.serial(
  'at most 200 DIDs of a tenant on other hosts are under way; those of the platform do not count',
  async (t) => {
    const insert = `insert into dids (id, tenant_id, did, method, registration_status, hosting, document, created_at)
    select gen_random_uuid(), $1, 'did:web:many.test:' || n, 'WEB', 'PROCESSING', 'caller', '{}', now()
    from generate_series(1, 200 - (select count(*)::int from dids
      where tenant_id = $1 and hosting = 'caller' and registration_status = 'PROCESSING' and deleted_at is null)) n`
    await world.dependencies.systemSql.query({ text: insert, values: [world.first.tenantId] })
    const create = (url: string) =>
      world.ask('/v1/dids', { token: world.token, body: { method: 'WEB', options: { url } } })
    const refused = await create(`https://elsewhere.test:${names.port}/one-more`)
    t.is(refused.status, 409)
    t.is(refused.json().type, '/problems#did.too_many')
    t.is((await create(`${names.origin}/own`)).status, 201)
    t.is((await dids.remove('did:web:many.test:1')).status, 204)
    t.is((await create(`https://elsewhere.test:${names.port}/one-more`)).status, 201)
    const gone = `delete from dids where did like 'did:web:many.test:%'`
    await world.dependencies.systemSql.query({ text: gone, values: [] })
  },
)

test.serial('a look without budget is made later, and says nothing of the host', async (t) => {
  const { did, subject } = await written('budget')
  const readers: (string | undefined)[] = []
  const { lookUpDid } = stepsWith({
    outbound: {
      fetch: ({ readFor }) => {
        readers.push(readFor)
        return Promise.reject(new Exhausted('outbound', 'elsewhere.test is not read now.', 7))
      },
    },
  })
  t.like(await lookUpDid({ ...subject, nextInMs: 5_000 }), { resolved: false, code: 'did.look_postponed' })
  t.is((await dids.resolve(did)).json<Resolved>().waiting?.code, 'did.look_postponed')
  await t.throwsAsync(lookUpDid(subject), { instanceOf: Exhausted }, 'the last look is not left out')
  t.deepEqual(readers, Array(2).fill(`${world.first.tenantId} registrations`))
})

test.serial('a DID of before that is too long to be read stops neither the list nor its registration', async (t) => {
  const { tenantId } = world.first
  const did = `did:web:issuer.test:${'%E5%AD%97'.repeat(500)}`
  const insert = `insert into dids (id, tenant_id, did, method, registration_status, hosting, document, created_at)
    values ($1, $2, $3, 'WEB', 'PROCESSING', 'platform', '{"verificationMethod": []}', now())`
  const id = randomUUID()
  await world.dependencies.systemSql.query({ text: insert, values: [id, tenantId, did] })
  t.true((await dids.list('?limit=1000')).dids.some((each) => each.id === id))
  t.like(await stepsWith().lookUpDid(subjectOf(id)), { resolved: false, code: 'did.invalid' })
  await world.dependencies.systemSql.query({ text: 'delete from dids where id = $1', values: [id] })
})

test.serial('a fault of the key store ends no registration, and its words stay in the log (D-1214)', async (t) => {
  const { id, did } = await begun('store')
  const subject = subjectOf(id)
  const { keys } = world.dependencies
  for (const code of ['key.store_refused', 'key.envelope_refused']) {
    const create = () => Promise.reject(new Refusal(code, 'Vault refused: KEY_STORE_MASTER_KEY.'))
    const steps = stepsWith({ keys: { ...keys, create } })
    await t.throwsAsync(steps.createDidKeys(subject), { instanceOf: Unavailable })
    const { registrationStatus, waiting } = (await dids.resolve(did)).json<Resolved>()
    t.is(registrationStatus, 'PROCESSING')
    t.is(waiting?.code, code)
    t.notRegex(waiting?.reason ?? '', /Vault|KEY_STORE/)
  }
  await t.notThrowsAsync(stepsWith().createDidKeys(subject))
})
