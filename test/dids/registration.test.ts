import test from 'ava'
import { lookFault } from '../../activities/dids/looks.ts'
import { createActivities } from '../../activities/index.ts'
import { Refusal } from '../../protocol/errors.ts'
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
