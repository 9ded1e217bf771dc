import { randomUUID } from 'node:crypto'
import test from 'ava'
import { tokenRefusal } from '../../../api/openid/verifiers/token.ts'
import { inTenant } from '../../../entities/orm.ts'
import { createVerifier, createVerifierClient, VERIFIERS, type Verifier } from '../../support/openid/verifiers.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let verifier: Verifier
test.before(async () => {
  world = await openWorld()
  verifier = await createVerifier(world)
})
test.after.always(() => world?.close())

test('a problem at a path that is published is kept by no cache', async (t) => {
  const { issuer, id } = verifier
  for (const path of ['/jwks', '/.well-known/openid-configuration']) {
    const known = await fetch(`${issuer}${path}`)
    t.deepEqual([known.status, known.headers.get('cache-control')], [200, 'public, max-age=300'], path)
    const unknown = await fetch(`${issuer.replace(id, randomUUID())}${path}`)
    t.deepEqual([unknown.status, unknown.headers.get('cache-control')], [404, 'no-store'], path)
  }
})

test('a client without the secret that it should have is told how to get one', async (t) => {
  const { id } = await createVerifierClient(world, verifier.id)
  await inTenant(world.dependencies.database.tenants, world.first.tenantId, (em) =>
    em.execute('update oidc_clients set secret_digest = null where id = ?', [id]),
  )
  const authorization = `Basic ${Buffer.from(`${id}:${'s'.repeat(43)}`).toString('base64')}`
  const reply = await world.ask(`${VERIFIERS}/${verifier.id}/token`, {
    headers: { authorization },
    body: { grant_type: 'authorization_code', code: 'c', redirect_uri: 'https://portal.university.example/callback' },
  })
  t.is(reply.status, 401, reply.text)
  t.regex(reply.text, /updateOidcVerifierClient/)
  const refusal = tokenRefusal({ status: 400, body: { error: 'an_error_of_later' } })
  t.is(refusal.code, 'oidc_token.invalid_request')
  t.throws(() => tokenRefusal({ status: 500, body: { error: 'server_error' } }))
})

test('tokens are read by the pages of web clients, and by no frame without an origin', async (t) => {
  const none = { tokenEndpointAuthMethod: 'none' }
  const app = { ...none, applicationType: 'native', redirectUris: ['com.example.app:/callback'] }
  const cases: [client: object, origin: string, isAllowed: boolean][] = [
    [none, 'https://portal.university.example', true],
    [none, 'https://other.example', false],
    [app, 'null', false],
  ]
  for (const [more, origin, isAllowed] of cases) {
    const { id } = await createVerifierClient(world, verifier.id, more)
    const reply = await fetch(`${verifier.issuer}/revoke`, {
      method: 'POST',
      headers: { origin },
      body: new URLSearchParams({ client_id: id, token: 'x' }),
    })
    t.is(reply.headers.get('access-control-allow-origin'), isAllowed ? origin : null, origin)
  }
})
