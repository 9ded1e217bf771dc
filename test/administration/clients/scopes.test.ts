import test from 'ava'
import { type ClientAnswer, clientsOf, refusalOf, tokenWith } from '../../support/administration.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const own = () => clientsOf(world, world.token)

test('nobody gives a client a scope that they lack; what it has beyond them stays (D-817)', async (t) => {
  const strong = await own().created({ scopes: ['dids:read', 'dids:write'] })
  const weak = clientsOf(world, await tokenWith(world, ['administration:write', 'logs:read']))
  for (const scope of ['domains:read', 'platform:write', 'accounts:read', 'dids:look', '__proto__']) {
    const scopes = ['dids:read', scope]
    t.deepEqual(refusalOf(await weak.update(strong.id, { scopes, reset_secret: false })), [
      403,
      '/problems#oauth_client.scope_beyond_caller',
      'scopes.1',
      'scope',
    ])
  }
  const all = ['dids:read', 'dids:write']
  const kept = await weak.update(strong.id, { scopes: [...all, 'logs:read'], reset_secret: false })
  t.deepEqual(kept.json<ClientAnswer>().scopes, [...all, 'logs:read'])
  for (const scopes of [['logs:read'], ['dids:read', 'logs:read'], []])
    for (const reset_secret of [true, false]) {
      const taken = await weak.update(strong.id, { scopes, reset_secret, secret_grace_seconds: reset_secret ? 60 : 0 })
      t.is(taken.status, 403, 'with a secret of what is left it would be theirs when the scopes are given back')
      t.is(taken.json().type, '/problems#oauth_client.scope_beyond_caller')
    }
  t.is(
    (await weak.update(strong.id, { scopes: all, reset_secret: true })).status,
    403,
    'with a secret it would be theirs',
  )
  t.deepEqual((await weak.update(strong.id, { scopes: all, reset_secret: false })).json<ClientAnswer>().scopes, all)
  const narrow = await own().created({ scopes: ['logs:read'] })
  t.is((await weak.update(narrow.id, { reset_secret: true })).status, 200, 'a secret of no more than they have')
})
