import test from 'ava'
import { createActivities } from '../../activities/index.ts'
import { makeForeignIaca } from '../support/credentials/mobile.issuers.ts'
import { refusal } from '../support/credentials/templates.ts'
import { type Names, openNames } from '../support/frame/names.ts'
import { type TrustListAnswer, trustListsOf } from '../support/trust-lists/lists.ts'
import { inHours, loteOf, newPath, openListOperator, PID_ISSUANCE } from '../support/trust-lists/lote.ts'
import { openWorld, type World } from '../support/world.ts'

let names: Names
let world: World
let operator: Awaited<ReturnType<typeof openListOperator>>
let [one, other]: string[] = []
test.before(async () => {
  names = await openNames()
  world = await openWorld({ env: names.env })
  names.platform.apiPort = world.config.port
  operator = await openListOperator()
  one = (await makeForeignIaca()).certificatePem
  other = (await makeForeignIaca({ commonName: 'Another' })).certificatePem
})
test.after.always(async () => {
  await world?.close()
  await names?.close()
})

/** A tenant of its own with a list from a URL. */
async function published(...given: Parameters<typeof loteOf>) {
  const path = newPath()
  const publish = async (...list: Parameters<typeof loteOf>) =>
    names.elsewhere.set(path, await operator.sign(loteOf(...list)))
  await publish(...given)
  const lists = trustListsOf(world, await world.tokenOf(await world.addTenant()))
  const url = `https://elsewhere.test:${names.port}${path}`
  const source = { format: 'ts-119-602', url, signers: [operator.signer], serviceTypes: [PID_ISSUANCE] }
  const of = { ...source, refreshHours: 168 }
  const reply = await lists.create({ name: 'PID', formats: ['mobile'], source: of })
  if (reply.status !== 201) throw new Error(`no list: ${reply.text}`)
  const created = reply.json<TrustListAnswer>()
  const read = async () => (await lists.read(created.id)).json<TrustListAnswer>()
  return { lists, created, id: created.id, source: of, publish, read }
}

test('another list of the signer does not take the place of the known one (D-1073)', async (t) => {
  const { lists, id, source, publish, read } = await published([{ certificates: [one ?? ''] }])
  const LoTEType = 'http://uri.etsi.org/19602/LoTEType/EUWalletProvidersList'
  for (const type of [{ LoTEType }, { LoTEType: undefined }]) {
    await publish([{ certificates: [other ?? ''] }], { ...type, LoTESequenceNumber: 90 })
    const refused = await lists.refresh(id)
    t.is(refusal(refused, 400), 'trust_list.source_invalid')
    t.regex(refused.json<{ detail: string }>().detail, /of another type/)
    t.is(refusal(await lists.update(id, { source }), 400), 'trust_list.source_invalid')
  }
  const failing = await read()
  t.like(failing, { state: 'failing', imported: { sequenceNumber: 7 }, failure: { code: 'trust_list.source_invalid' } })
  t.is(failing.entries[0]?.certificate?.trim(), one?.trim())
  await publish([{ certificates: [other ?? ''] }], { LoTESequenceNumber: 8 })
  const refreshed = await lists.refresh(id)
  t.is(refreshed.status, 200, refreshed.text)
  t.like(refreshed.json<TrustListAnswer>(), { state: 'current', imported: { sequenceNumber: 8 }, failure: null })
})

test.serial('a list is read again when a service of it comes into force (D-1074)', async (t) => {
  const since = inHours(2)
  const { created, read } = await published([
    { certificates: [one ?? ''] },
    { certificates: [other ?? ''], since },
    { certificates: [other ?? ''], since: inHours(1), type: 'urn:other' },
  ])
  t.is(created.entryCount, 1)
  t.is(created.nextRefreshAt, since)
  const pass = (hours: number) => {
    const now = () => new Date(Date.now() + hours * 3_600_000)
    return createActivities({ ...world.dependencies, now }).refreshTrustLists()
  }
  await pass(1.9)
  t.is((await read()).entryCount, 1, 'it is not due')
  await pass(2.1)
  t.like(await read(), { entryCount: 2, state: 'current' })
})
