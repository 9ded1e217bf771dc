import test from 'ava'
import { parseScopes } from '../../protocol/tokens-logs/index.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const ask = (authorization: string) => world.ask('/v1/dids', { headers: { authorization } })

test('the header has the scheme and one token, and nothing before or after (RFC 6750, section 2.1)', async (t) => {
  for (const header of [`Bearer ${world.token}`, `Bearer   ${world.token}`, `BEARER ${world.token}`])
    t.is((await ask(header)).status, 200, header.slice(0, 10))
  for (const header of [
    `X Bearer ${world.token}`,
    `XBearer ${world.token}`,
    `Bearer${world.token}`,
    `Bearer ${world.token} ${world.token}`,
    `Bearer ${world.token}, Basic x`,
    `Bearer ${world.token};`,
    'Bearer',
    world.token,
  ]) {
    const reply = await ask(header)
    t.is(reply.status, 401, header.slice(0, 10))
    t.like(reply.json(), { type: '/problems#token.invalid' })
    t.is(reply.headers.get('www-authenticate'), 'Bearer realm="countersign", error="invalid_token"')
  }
})

test('without a token the answer says how to get one (RFC 6750, section 3)', async (t) => {
  const reply = await world.ask('/v1/dids')
  t.is(reply.status, 401)
  t.is(reply.headers.get('www-authenticate'), 'Bearer realm="countersign"')
  t.regex(reply.json<{ detail: string }>().detail, /^An access token is required\. Get one from POST \/v1\/auth\/token/)
})

test('a scope parameter names known scopes alone, each counted once (RFC 6749, section 3.3)', (t) => {
  t.deepEqual(parseScopes('dids:read dids:write dids:read'), ['dids:read', 'dids:write'])
  t.deepEqual(parseScopes(' dids:read  logs:read '), ['dids:read', 'logs:read'])
  t.deepEqual(parseScopes(''), [])
  for (const text of ['dids:read unknown', 'unknown dids:read', 'unknown', 'DIDS:READ'])
    t.is(parseScopes(text), undefined, text)
})
