import { randomBytes } from 'node:crypto'
import test from 'ava'
import { SD_JWT_TEMPLATE_EXAMPLE } from '../../api/sd-jwt-credentials/examples.ts'
import { refusal } from '../support/credentials/templates.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const create = (descriptions: number) =>
  world.ask('/v1/credentials/sd-jwt-vc/configurations', {
    token: world.token,
    body: {
      ...SD_JWT_TEMPLATE_EXAMPLE,
      vct: 'https://types.example/large',
      claims: Array.from({ length: descriptions }, (_, nth) => ({
        ...{ path: [`claim_${nth}`], map_from: `claims.claim_${nth}` },
        display: [{ locale: 'en', label: 'Claim', description: randomBytes(2_048).toString('hex') }],
      })),
    },
  })

test('a template has at most 512 KiB of JSON (D-1196)', async (t) => {
  const reply = await create(125)
  t.is(refusal(reply, 400), 'credential_template.invalid')
  t.like(reply.json<{ errors: object[] }>().errors[0], { path: '', code: 'length' })
})

test('metadata has the newest templates that take 8 MB as stored, whatever a tenant makes (D-1196)', async (t) => {
  const ids: string[] = []
  for (let nth = 0; nth < 20; nth += 1) {
    const reply = await create(110)
    t.is(reply.status, 201, reply.text)
    ids.push(reply.json<{ id: string }>().id)
  }
  const reply = await world.ask('/.well-known/openid-credential-issuer')
  t.is(reply.status, 200)
  const supported = reply.json<{ credential_configurations_supported: object }>().credential_configurations_supported
  const published = ids.map((id) => id in supported)
  t.deepEqual(published, published.toSorted(), 'the older ones are left out')
  t.deepEqual([published[0], published.at(-1)], [false, true])
})
