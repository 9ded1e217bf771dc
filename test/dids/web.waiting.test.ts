import test from 'ava'
import { type DidAnswer, didsOf, type Resolved, until, type Waiting } from '../support/credentials/dids.ts'
import { type Names, openNames } from '../support/frame/names.ts'
import { openWorld, type World } from '../support/world.ts'

let names: Names
let world: World
test.before(async () => {
  names = await openNames()
  world = await openWorld({ workflows: true, env: { ...names.env, DID_WEB_CHECK_SECONDS: '2' } })
  names.platform.apiPort = world.config.port
})
test.after.always(async () => {
  await world?.close()
  await names?.close()
})

const dids = () => didsOf(world, world.token)
const didAt = (path: string, host = 'elsewhere.test') => `did:web:${host}%3A${names.port}:${path}`

const waitsFor = (did: string, code: string): Promise<Resolved & { waiting: Waiting }> =>
  until(`${did} waits for ${code}`, async () => {
    const resolved = (await dids().resolve(did)).json<Resolved>()
    return resolved.waiting?.code === code && { ...resolved, waiting: resolved.waiting }
  })

const begin = (path: string, host = 'elsewhere.test'): Promise<DidAnswer> =>
  dids().createWeb(`https://${host}:${names.port}/${path}`)

const handleOf = (id: string) =>
  world.dependencies.temporal.client.workflow.getHandle(`${world.first.tenantId}/dids/${id}/register`)

test.serial('a did:web that waits says why, since when, and when the platform looks again', async (t) => {
  const created = await begin('waits')
  const did = didAt('waits')
  t.is(created.waiting?.code, 'did.registration_pending')
  t.false('lastLookAt' in (created.waiting ?? {}))
  const before = Date.now()
  const { waiting, id, didDocument } = await waitsFor(did, 'did.document_missing')
  t.is(id, created.id, 'the id of the row, as in the list')
  t.regex(waiting.reason, /404/)
  const [last, next] = [Date.parse(waiting.lastLookAt ?? ''), Date.parse(waiting.nextLookAt ?? '')]
  t.true(last >= before - 60_000 && last <= Date.now() + 1_000)
  t.true(next - last >= 2_000 && next - last <= 3_600_000, String(next - last))
  const listed = (await dids().list('?limit=1000')).dids.find((each) => each.id === id)
  t.is(listed?.waiting?.code, 'did.document_missing')

  names.elsewhere.set('/waits/did.json', 'no JSON')
  await handleOf(id).signal('lookNow')
  t.true(Date.parse((await waitsFor(did, 'did.invalid_document')).waiting.lastLookAt ?? '') > last)
  names.elsewhere.set('/waits/did.json', JSON.stringify({ ...didDocument, assertionMethod: [] }))
  await handleOf(id).signal('lookNow')
  await waitsFor(did, 'did.keys_missing')
  names.elsewhere.set('/waits/did.json', JSON.stringify(didDocument))
  await handleOf(id).signal('lookNow')
  t.false('waiting' in (await dids().reaches(did, 'COMPLETED')))
})

test.serial('a name inside and a name that nobody has wait for the same reason (D-164)', async (t) => {
  names.dns.set('inside.test', { A: ['10.20.30.40'] })
  await begin('x', 'inside.test')
  await begin('x', 'nobody.test')
  const inside = await waitsFor(didAt('x', 'inside.test'), 'did.host_unreachable')
  const nobody = await waitsFor(didAt('x', 'nobody.test'), 'did.host_unreachable')
  t.is(inside.waiting.reason.replaceAll('inside', 'nobody'), nobody.waiting.reason)
  t.false(inside.waiting.reason.includes('10.20'))
})

test.serial('Temporal shows why: the code in plain text, the reason to the codec alone', async (t) => {
  const { id } = await begin('secret-department')
  await waitsFor(didAt('secret-department'), 'did.document_missing')
  const { client, namespace } = world.dependencies.temporal
  const summary = async () => {
    const { searchAttributes } = await handleOf(id).describe()
    return String(searchAttributes.Summary)
  }
  const line = await until('the line', async () => {
    const text = await summary()
    return text.includes('waits') && text
  })
  t.regex(line, new RegExp(`^register did:web ${id}: waits, did.document_missing, next check at 20\\d\\d-`))
  const metadata = await handleOf(id).query<{ currentDetails?: string }>('__temporal_workflow_metadata')
  t.regex(JSON.stringify(metadata), /secret-department.*404.*Next check at/)
  const raw = await client.workflowService.queryWorkflow({
    namespace,
    execution: { workflowId: handleOf(id).workflowId },
    query: { queryType: '__temporal_workflow_metadata' },
  })
  const bytes = Buffer.from(raw.queryResult?.payloads?.[0]?.data ?? new Uint8Array())
  t.true(bytes.length > 0)
  t.false(bytes.includes('secret-department'))
  await dids().remove(didAt('secret-department'))
})

test.serial('a registration that FAILED no longer waits, and says why in the DID too', async (t) => {
  const { id } = await begin('given-up')
  await waitsFor(didAt('given-up'), 'did.document_missing')
  await handleOf(id).terminate('test')
  await world.dependencies.systemSql.query({
    text: `update dids set registration_status = 'FAILED', failure_reason = 'It did not come.' where id = $1`,
    values: [id],
  })
  const failed = (await dids().resolve(didAt('given-up'))).json<Resolved>()
  t.like(failed, { registrationStatus: 'FAILED', failureReason: 'It did not come.' })
  t.false('waiting' in failed)
})
