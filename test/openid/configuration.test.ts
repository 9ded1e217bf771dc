import test from 'ava'
import { decodeProtectedHeader, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { createPlatform } from '../../activities/index.ts'
import { blocksOf } from '../support/frame/docs.ts'
import { refusalOf } from '../support/openid/logins.ts'
import { openWorld, type Reply, type World } from '../support/world.ts'

const PATH = '/v1/openid/configuration'
const HOOK = {
  claims: ['email', 'given_name'],
  disabled: false,
  session_timeout_in_sec: 600,
  url: 'https://hook.example/ask',
}

let world: World
let platform: ReturnType<typeof createPlatform>
test.before(async () => {
  world = await openWorld()
  platform = createPlatform(world.dependencies)
})
test.after.always(() => world?.close())

const put = (token: string, body: object): Promise<Reply> => world.ask(PATH, { method: 'PUT', token, body })

async function tenantWith(more: object = {}) {
  const client = await world.addTenant()
  const token = await world.tokenOf(client)
  const reply = await put(token, { ...HOOK, ...more })
  if (reply.status !== 200) throw new Error(`no hook: ${reply.text}`)
  const { secret } = reply.json<{ secret: string }>()
  const { baseUrl } = await platform.tenants.byId(client.tenantId)
  return { token, tenantId: client.tenantId, secret, key: Buffer.from(secret, 'base64'), baseUrl }
}

test('a hook is set and read; its secret is 32 bytes, and stays (specification, OpenID configuration)', async (t) => {
  const client = await world.addTenant()
  const token = await world.tokenOf(client)
  const missing = await world.ask(PATH, { token })
  t.is(missing.status, 404)
  t.is(missing.json<{ type: string }>().type, '/problems#openid_configuration.not_found')
  const replies = await Promise.all(Array.from({ length: 5 }, () => put(token, HOOK)))
  const [first] = replies.map((reply) => reply.json<typeof HOOK & { secret: string }>())
  t.deepEqual(new Set(replies.map(({ text }) => text)).size, 1)
  t.is(Buffer.from(first?.secret ?? '', 'base64').length, 32)
  const changed = {
    claims: [],
    disabled: true,
    session_timeout_in_sec: Number.MAX_SAFE_INTEGER,
    url: 'https://hook.example',
  }
  t.deepEqual((await put(token, changed)).json(), { ...changed, secret: first?.secret })
  t.deepEqual((await world.ask(PATH, { token })).json(), changed, 'who may only read gets no secret')
  const { rows } = await world.dependencies.systemSql.query<{ row: string }>({
    text: `select row_to_json(c)::text || encode(secret, 'base64') as row from openid_configurations c where tenant_id = $1`,
    values: [client.tenantId],
  })
  t.is(rows.length, 1)
  t.false(rows[0]?.row.includes(first?.secret.slice(0, 20) ?? ''))
})

test('each rule of a hook is named with its place', async (t) => {
  const { token } = await tenantWith()
  const cases: [body: object, path: string][] = [
    [{ url: 'http://hook.example' }, 'url'],
    [{ url: 'https://localhost' }, 'url'],
    [{ url: 'https://10.0.0.1.internal' }, 'url'],
    [{ url: 'https://hook.example/?a=b' }, 'url'],
    [{ url: 'https://user@hook.example/' }, 'url'],
    [{ claims: ['a', 'a'] }, 'claims.1'],
    [{ claims: ['__proto__x', 'constructor'] }, 'claims.1'],
    [{ claims: Array.from({ length: 51 }, (_, at) => `c${at}`) }, 'claims'],
  ]
  for (const [body, path] of cases) {
    const reply = await put(token, { ...HOOK, ...body })
    t.is(reply.status, 400, JSON.stringify(body))
    t.is(reply.json<{ errors: { path: string }[] }>().errors[0]?.path, path, reply.text)
  }
  for (const name of Object.keys(HOOK)) t.is((await put(token, { ...HOOK, [name]: undefined })).status, 400, name)
  for (const seconds of [-1, 1.5, '600', 2 ** 64])
    t.is((await put(token, { ...HOOK, session_timeout_in_sec: seconds })).status, 400)
  t.is((await put(token, { ...HOOK, secret: 'mine' })).status, 400)
})

const QUESTION = {
  sessionId: 'session-1',
  userId: 'user-1',
  claims: { email: 'a@x.test', given_name: 'Ada', family_name: 'Lovelace' },
  redirectUrl: 'https://issuer.example/back',
}

test('the hook gets a JWT that any library verifies, with the listed claims alone', async (t) => {
  const { tenantId, key, baseUrl } = await tenantWith()
  const { url, sessionToken, timeoutSeconds } = await platform.openIdConfiguration.askHook(tenantId, QUESTION)
  t.is(url, HOOK.url)
  t.is(timeoutSeconds, 600)
  t.deepEqual(decodeProtectedHeader(sessionToken), { alg: 'HS256', typ: 'interaction+jwt' })
  const { payload } = await jwtVerify(sessionToken, key, { issuer: baseUrl, audience: HOOK.url, subject: 'user-1' })
  t.like(payload, { jti: 'session-1', redirect_url: QUESTION.redirectUrl })
  t.deepEqual(payload.claims, { email: 'a@x.test', given_name: 'Ada' })
  t.is((payload.exp ?? 0) - (payload.iat ?? 0), 600)
  for (const [seconds, counts] of [
    [0, 1_200],
    [1, 1],
    [2 ** 53 - 1, 86_400],
  ] as const) {
    const other = await tenantWith({ session_timeout_in_sec: seconds })
    t.is((await platform.openIdConfiguration.askHook(other.tenantId, QUESTION)).timeoutSeconds, counts)
  }
})

test('an answer of the hook counts for its session, and only when the hook signed it lately', async (t) => {
  const { tenantId, key, baseUrl } = await tenantWith()
  const other = await tenantWith()
  const now = Math.floor(Date.now() / 1000)
  const claims: JWTPayload = {
    iss: HOOK.url,
    aud: baseUrl,
    jti: 'session-1',
    iat: now,
    exp: now + 60,
    claims: { email: 'b@x.test' },
  }
  const sign = (payload: JWTPayload, header = {}, by: Uint8Array = key) =>
    new SignJWT(payload).setProtectedHeader({ alg: 'HS256', typ: 'interaction-answer+jwt', ...header }).sign(by)
  const read = async (token: string) => platform.openIdConfiguration.readHookAnswer(tenantId, 'session-1', token)
  t.deepEqual(await read(await sign(claims)), { claims: { email: 'b@x.test' } })
  t.deepEqual(await read(await sign({ ...claims, claims: undefined })), { claims: {} })
  const { sessionToken } = await platform.openIdConfiguration.askHook(tenantId, QUESTION)
  const bad: Record<string, string> = {
    'our own question': sessionToken,
    'another tenant’s secret': await sign(claims, {}, other.key),
    'the secret as text': await sign(claims, {}, Buffer.from(key.toString('base64'))),
    'another algorithm': await sign(claims, { alg: 'HS512' }),
    'another type': await sign(claims, { typ: 'JWT' }),
    'alg none': `${Buffer.from('{"alg":"none","typ":"interaction-answer+jwt"}').toString('base64url')}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.`,
    'another session': await sign({ ...claims, jti: 'session-2' }),
    'no session': await sign({ ...claims, jti: undefined }),
    'another issuer': await sign({ ...claims, iss: baseUrl }),
    'another audience': await sign({ ...claims, aud: HOOK.url }),
    expired: await sign({ ...claims, exp: now - 120 }),
    'without end': await sign({ ...claims, exp: undefined }),
    'of long ago': await sign({ ...claims, iat: now - 3_600, exp: now + 3_600 }),
    'of the future': await sign({ ...claims, iat: now + 3_600, exp: now + 7_200 }),
    'no claims': await sign({ ...claims, claims: ['a'] }),
    'too long': await sign({ ...claims, claims: { a: 'x'.repeat(70_000) } }),
    'a text': 'x.y.z',
    nothing: '',
  }
  for (const [name, token] of Object.entries(bad))
    t.is((await refusalOf(read(token))).code, 'interaction.invalid_answer', name)
})

test('the lines of docs/openid.md answer a question, and the platform reads what they answer', async (t) => {
  const { tenantId, secret, baseUrl } = await tenantWith()
  const blocks = await blocksOf('docs/openid.md', 'Interaction hook')
  const code = blocks.find(({ language }) => language === 'js')?.code ?? ''
  const module = code.replace("'jose'", `'${import.meta.resolve('jose')}'`)
  const { answer } = await import(`data:text/javascript,${encodeURIComponent(module)}`)
  const { sessionToken } = await platform.openIdConfiguration.askHook(tenantId, QUESTION)
  const sides = { secret, platform: baseUrl, hook: HOOK.url }
  const answered = await answer(sessionToken, sides, (claims: object) => ({ ...claims, given_name: 'Augusta' }))
  t.is(answered.postTo, QUESTION.redirectUrl)
  const read = platform.openIdConfiguration.readHookAnswer(tenantId, QUESTION.sessionId, answered.session_token)
  t.deepEqual(await read, { claims: { email: 'a@x.test', given_name: 'Augusta' } })
  await t.throwsAsync(answer(sessionToken, { ...sides, platform: 'https://other.test' }, () => ({})))
  await t.throwsAsync(
    answer(answered.session_token, sides, () => ({})),
    undefined,
    'an answer is no question',
  )
})

test('no holder is sent to a hook that is disabled or missing', async (t) => {
  const { tenantId } = await tenantWith({ disabled: true })
  const ask = (id: string) => refusalOf(platform.openIdConfiguration.askHook(id, QUESTION))
  t.is((await ask(tenantId)).code, 'openid_configuration.disabled')
  t.is((await ask((await world.addTenant()).tenantId)).code, 'openid_configuration.not_found')
})
