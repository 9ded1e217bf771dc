import test from 'ava'
import { openWorld, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`

/** As OAuth clients send it: a form with the grant alone (RFC 6749, section 4.4.2). */
const ask = (authorization: string, form: Record<string, string> = {}, path = '/v1/auth/token') =>
  world.ask(path, {
    method: 'POST',
    token: undefined,
    raw: new URLSearchParams({ grant_type: 'client_credentials', ...form }).toString(),
    headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
  })

test('a client may authenticate in the Authorization header (RFC 6749, section 2.3.1)', async (t) => {
  const { clientId, clientSecret } = world.first
  const escaped = [...clientSecret].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('')
  for (const header of [
    basic(clientId, clientSecret),
    basic(clientId, escaped),
    basic(clientId, clientSecret).replace('Basic', 'basic'),
  ]) {
    const reply = await ask(header)
    t.is(reply.status, 200, reply.text)
    t.is((await world.ask('/v1/dids', { token: reply.json<{ access_token: string }>().access_token })).status, 200)
  }
  t.is((await ask(basic(clientId, clientSecret), {}, '/oauth/token')).status, 200, 'by the other path too')
  const scoped = await ask(basic(clientId, clientSecret), { scope: 'dids:read' })
  t.is(scoped.json<{ scope: string }>().scope, 'dids:read')
})

test('a wrong secret in the header is a 401 that names the scheme (RFC 6749, section 5.2)', async (t) => {
  const reply = await ask(basic(world.first.clientId, 'wrong'))
  t.is(reply.status, 401)
  t.like(reply.json(), { type: '/problems#token.invalid_client' })
  t.regex(reply.headers.get('www-authenticate') ?? '', /^Basic realm=/)
})

test('a header without credentials, or beside those of the body, is refused with what was expected', async (t) => {
  const { clientId, clientSecret } = world.first
  const right = basic(clientId, clientSecret)
  const twice: [string, Record<string, string>?][] = [[right, { client_id: clientId, client_secret: clientSecret }]]
  const encoded = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
  for (const [header, form] of [
    ...twice,
    ['Basic'],
    ['Basic ***'],
    [encoded('')],
    [encoded(clientId)],
    [encoded(`:${clientSecret}`)],
    [encoded(`${clientId}:%zz`)],
  ] as [string, Record<string, string>?][]) {
    const reply = await ask(header, form)
    t.is(reply.status, 400, header)
    t.like(reply.json(), { type: '/problems#request.invalid', errors: [{ path: 'Authorization' }] }, header)
  }
})

test('elsewhere than at the token endpoint Basic is no token', async (t) => {
  const { clientId, clientSecret } = world.first
  const reply = await world.ask('/v1/dids', {
    token: undefined,
    headers: { authorization: basic(clientId, clientSecret) },
  })
  t.is(reply.status, 401)
})

test('errors are those of OAuth 2.0 too, as its libraries read them (RFC 6749, section 5.2)', async (t) => {
  const { clientId, clientSecret } = world.first
  const right = basic(clientId, clientSecret)
  const cases: [string, number, string, Record<string, string>?][] = [
    [basic(clientId, 'wrong'), 401, 'invalid_client'],
    [right, 400, 'unsupported_grant_type', { grant_type: 'password' }],
    [right, 400, 'invalid_scope', { scope: 'everything' }],
    [right, 400, 'invalid_request', { grant_type: '' }],
    ['Basic', 400, 'invalid_request'],
  ]
  for (const [header, status, error, form] of cases)
    for (const path of ['/v1/auth/token', '/oauth/token']) {
      const reply = await ask(header, form, path)
      t.is(reply.status, status, reply.text)
      t.regex(reply.headers.get('content-type') ?? '', /^application\/json\b/)
      const body = reply.json<{ error: string; error_description: string; type: string; detail: string }>()
      t.is(body.error, error)
      t.is(body.error_description, body.detail, 'beside the problem that this API describes it with')
    }
})
