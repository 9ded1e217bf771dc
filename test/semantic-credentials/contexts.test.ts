import test from 'ava'
import { createPlatform } from '../../activities/index.ts'
import { createDid, payload, verify } from '../support/credentials/credentials.ts'
import { openWorldBeside, type WorldBeside } from '../support/parts/elsewhere.ts'
import type { World } from '../support/world.ts'

let world: World
let beside: WorldBeside
let content: object = {}
let fetched = 0

test.before(async () => {
  beside = await openWorldBeside('contexts.test', (_request, response) => {
    fetched++
    response.setHeader('content-type', 'application/ld+json')
    response.end(JSON.stringify(content))
  })
  world = beside.world
})
test.after.always(() => beside?.close())

const context = (name: string) => ({ '@context': { [name]: `https://example.org/vocab#${name}` } })
const urlOf = (path: string) => beside.urlOf(path)

const sign = async (url: string, claim: string) => {
  const more = {
    '@context': ['https://www.w3.org/ns/credentials/v2', url],
    credentialSubject: { id: 'did:example:holder', [claim]: 'x' },
  }
  const body = { payload: payload(await createDid(world), more), proofType: 'eddsa-rdfc-2022', revocable: false }
  return world.ask('/v1/credentials/web-semantic/sign', { token: world.token, body })
}

const settings = (fetchUnknownContexts: boolean) =>
  world.ask('/v1/settings', { method: 'PUT', token: world.token, body: { fetchUnknownContexts, vcApi: false } })

test.serial(
  'an unknown context is fetched once and pinned; its later content changes nothing (JSON-LD contexts)',
  async (t) => {
    content = context('colour')
    fetched = 0
    const url = urlOf('colours/v1')
    const signed = await sign(url, 'colour')
    t.is(signed.status, 200, signed.text)
    content = context('taste')
    t.is((await sign(url, 'colour')).status, 200)
    t.is(fetched, 1)
    t.deepEqual(await verify(world, signed.json().credential), { verified: true, reason: [] })
    const listed = await world.ask('/v1/credentials/web-semantic/contexts', { token: world.token })
    t.like(listed.json<{ data: object[] }>().data[0], { url, source: 'fetched' })
    const again = await world.ask('/v1/credentials/web-semantic/contexts', { token: world.token, body: { url } })
    t.is(again.status, 400)
    t.is(again.json().type, '/problems#context.changed')
  },
)

test.serial('a tenant that turned fetching off gets the URL named, until it registers the context', async (t) => {
  content = context('shape')
  const url = urlOf('shapes/v1')
  const changed = await settings(false)
  t.like(changed.json(), { fetchUnknownContexts: false, vcApi: false })
  const refused = await sign(url, 'shape')
  t.is(refused.json().type, '/problems#context.unknown')
  t.true(refused.text.includes(url))
  const registered = await world.ask('/v1/credentials/web-semantic/contexts', { token: world.token, body: { url } })
  t.is(registered.status, 201, registered.text)
  t.like(registered.json(), { url, source: 'registered' })
  t.is((await sign(url, 'shape')).status, 200)
  t.is((await settings(true)).status, 200)
})

test.serial('what is turned on counts at once in every process, also where it was off a moment before', async (t) => {
  const { dependencies, first } = world
  const elsewhere = (await createPlatform(dependencies)).settings
  t.is((await settings(false)).status, 200)
  t.false(await elsewhere.isOn(first.tenantId, 'fetchUnknownContexts'))
  t.is((await settings(true)).status, 200)
  t.true(await elsewhere.isOn(first.tenantId, 'fetchUnknownContexts'))
})

test.serial('what is no context, not https or not public is refused, and nothing is pinned', async (t) => {
  content = { hello: 'world' }
  for (const url of [urlOf('none'), 'http://contexts.test/v1', 'https://10.0.0.1/v1', 'not a url', '']) {
    const reply = await world.ask('/v1/credentials/web-semantic/contexts', { token: world.token, body: { url } })
    t.is(reply.status, 400, url)
  }
})
