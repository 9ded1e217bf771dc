import test from 'ava'
import { hostFault } from '../../activities/dids/looks.ts'
import { parseWebDid } from '../../protocol/dids/web.ts'
import { type DidAnswer, didsOf, type Resolved, until } from '../support/credentials/dids.ts'
import { openWorld, type World } from '../support/world.ts'

/** A platform on localhost, as `npm start` makes it. */
let world: World
test.before(async () => {
  world = await openWorld({ workflows: true })
})
test.after.always(() => world?.close())

test.serial('on localhost it says at once that the world never sees it, and what to set', async (t) => {
  const dids = didsOf(world, world.token)
  const created = (await dids.create('WEB', { url: 'localhost' })).json<DidAnswer>()
  t.like(created, { did: 'did:web:localhost', registrationStatus: 'PROCESSING' })
  t.is(created.waiting?.code, 'did.host_not_public')
  t.regex(created.waiting?.reason ?? '', /localhost is not a public host name.*PUBLIC_URL.*domain/)
  const looked = await until('the first look', async () => {
    const resolved = (await dids.resolve(created.did)).json<Resolved>()
    return resolved.waiting?.lastLookAt !== undefined && resolved
  })
  t.is(looked.waiting?.code, 'did.host_not_public')
  t.is((await dids.list()).dids[0]?.waiting?.code, 'did.host_not_public')
})

for (const [did, code] of [
  ['did:web:localhost', 'did.host_not_public'],
  ['did:web:acme.localhost%3A3000', 'did.host_not_public'],
  ['did:web:issuer.local', 'did.host_not_public'],
  ['did:web:issuer.internal', 'did.host_not_public'],
  ['did:web:printer', 'did.host_not_public'],
  ['did:web:issuer.acme.org%3A5432', 'did.host_not_public'],
  ['did:web:issuer.acme.org', undefined],
  ['did:web:issuer.acme.org%3A8443', undefined],
] as const)
  test(`${did} waits for ${code ?? 'its look'}`, (t) => {
    const { url } = parseWebDid(did)
    t.is(hostFault(url, world.config.outbound)?.code, code)
    if (code)
      t.is(hostFault(url, { ...world.config.outbound, dnsServer: '127.0.0.1:53' }) === undefined, !did.includes('5432'))
  })
