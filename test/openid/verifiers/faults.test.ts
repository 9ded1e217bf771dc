import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createVerifier, type Verifier } from '../../support/openid/verifiers.ts'
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
