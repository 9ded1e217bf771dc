import test from 'ava'
import { faultOf, faultUnlessSuccess, openTarget, type Target } from '../../support/frame/hostile.ts'
import { bodySchema, document, fill, isPublic, operations, parametersIn } from '../../support/frame/openapi.ts'
import { inTurn } from '../../support/parts/thorough.ts'

let target: Target
test.before(async () => {
  target = await openTarget()
})
test.after.always(() => target?.close())

const bodyOf = (operation: (typeof operations)[number]) =>
  bodySchema(operation) ? JSON.stringify(target.exampleBody(operation)) : undefined

const NUMBERS = [
  '18446744073709551615',
  '9223372036854775808',
  '-1',
  '1.5',
  '1e3',
  '0x10',
  '%00',
  '%20',
  '+1',
  '%D9%A1',
  'NaN',
  'Infinity',
  '1;drop',
  '1%00',
]

for (const operation of operations.filter((each) => parametersIn(each, 'query').includes('limit')))
  test.serial(`${operation.operationId}: limit and page that are no page`, async (t) => {
    const body = bodyOf(operation)
    const at = (query: string) => target.attack(operation, { body, path: `${target.pathOf(operation)}?${query}` })
    for (const name of ['limit', 'page']) {
      for (const value of NUMBERS) t.is(faultOf(await at(`${name}=${value}`), [400]), undefined, `${name}=${value}`)
      for (const query of [
        `${name}=1&${name}=2`,
        `${name}[]=1`,
        `${name}[0]=1`,
        `${name}.x=1`,
        `${name.toUpperCase()}=1`,
      ])
        t.is(faultOf(await at(query), [400]), undefined, query)
    }
    t.is(faultOf(await at('limit=1001'), [400]), undefined)
    const totals = (text: string) => {
      const { totalCount, total_count, limit, ...rest } = JSON.parse(text) as Record<string, unknown>
      const rows = Object.values(rest).find(Array.isArray) as unknown[] | undefined
      return { total: Number(totalCount ?? total_count), limit, rows: rows?.length }
    }
    const { total, rows } = totals((await at('limit=1000')).text)
    t.is(rows, total)
    t.deepEqual(totals((await at('limit=0')).text), { total, limit: 0, rows: 0 })
    t.deepEqual(totals((await at('page=0&limit=1000')).text), { total, limit: 1000, rows })
    t.deepEqual(totals((await at('page=9007199254740991&limit=1000')).text), { total, limit: 1000, rows: 0 })
  })

const HEADERS: Record<string, string>[] = [
  { 'x-request-id': "'; drop table logs; --" },
  { 'x-request-id': 'A'.repeat(5_000) },
  { 'x-http-method-override': 'DELETE' },
  { 'x-original-url': '/v1/dids', 'x-rewrite-url': '/v1/dids' },
  { 'x-forwarded-host': 'evil.example', 'x-forwarded-for': '10.0.0.1' },
  { accept: 'text/html' },
  { 'accept-encoding': 'x'.repeat(1_000) },
  { 'if-none-match': '*'.repeat(1_000) },
  { expect: 'the unexpected' },
]

for (const [turn, operation] of operations.entries())
  test.serial(`${operation.operationId}: queries and headers that mean nothing here`, async (t) => {
    const body = bodyOf(operation)
    const path = target.pathOf(operation)
    const names = parametersIn(operation, 'query')
    for (const query of [
      '%00',
      '__proto__=1',
      'constructor[prototype][x]=1',
      'a=%ff',
      '%',
      '&&&=',
      ...names.map((name) => `${name}=%00`),
      ...names.map((name) => `${name}=%ED%A0%80'--`),
    ]) {
      const reply = await target.attack(
        operation,
        operation.method === 'DELETE'
          ? { method: 'GET', path: `${path}?${query}` }
          : { body, path: `${path}?${query}` },
      )
      t.is(faultUnlessSuccess(reply), undefined, query)
    }
    if (operation.method === 'DELETE') return
    for (const headers of inTurn(HEADERS, turn)) {
      const reply = await target.attack(operation, { body, headers })
      t.is(faultUnlessSuccess(reply), undefined, JSON.stringify(headers).slice(0, 80))
      t.notRegex(JSON.stringify(reply.headers) + reply.text, /evil\.example/)
    }
  })

const uuid = '00000000-0000-4000-8000-000000000000'
const IDS = [
  uuid,
  '..',
  '../x',
  '%2e%2e%2f',
  '..%2f..%2fetc%2fpasswd',
  '%ff',
  '%',
  '%zz',
  '%00',
  `${uuid}%00`,
  `${uuid}.`,
  `${uuid}%20`,
  ` ${uuid}`.trim().concat('%0a'),
  'x'.repeat(10_000),
  'null',
  'undefined',
  '__proto__',
  'constructor',
  "'%20or%20'1'='1",
  '%F0%9F%92%A9',
  'did:key:',
  'did:web:%252e%252e',
  '*',
  '{id}',
  '0',
  '-1',
  '%2F%2F',
  ';a=b',
]

for (const [turn, operation] of operations.filter((each) => parametersIn(each, 'path').length > 0).entries())
  test.serial(`${operation.operationId}: ids that name nothing`, async (t) => {
    const body = bodyOf(operation)
    const names = parametersIn(operation, 'path')
    for (const id of inTurn(IDS, turn)) {
      const path = fill(operation.path, Object.fromEntries(names.map((name) => [name, id])), (value) => value)
      t.is(
        // two long ids are more than a request's head may have
        faultOf(await target.attack(operation, { body, path }), [
          400,
          404,
          405,
          ...(path.length > 16_384 ? [431] : []),
        ]),
        undefined,
        `${operation.method} ${path.slice(0, 80)}`,
      )
    }
    const real = target.pathOf(operation)
    for (const path of [
      `${real}.`,
      `${real}%20`,
      `${real}%00`,
      `${real}%0d%0ax:1`,
      real.toUpperCase().replace('/V1/', '/v1/'),
    ])
      t.is(faultOf(await target.attack(operation, { body, path }), [400, 404]), undefined, path)
  })

test.serial('an address in another case or with another slash is none', async (t) => {
  for (const operation of operations) {
    const body = bodyOf(operation)
    const real = target.pathOf(operation)
    for (const path of [
      `${real}/`,
      `${real}//`,
      `/${real}`,
      real.replace('/v1/', '/V1/').replace('/.well-known/', '/.WELL-KNOWN/').replace('/vc-api/', '/VC-API/'),
      `/x/..${real}`,
      `/.${real}`,
      `${real}%2f`,
      `${real}/x/y/z`,
      real.replace('/v1/', '/v1//').replace('known/', 'known//').replace('/vc-api/', '/vc-api//'),
    ].filter((path) => path !== real))
      t.is(
        // beside a public list stand things that need a token, by their ids
        faultOf(await target.attack(operation, { body, path }), [400, ...(isPublic(operation) ? [401] : []), 404, 405]),
        undefined,
        `${operation.method} ${path}`,
      )
  }
})

/** Methods that the document does not name, because they are for clients of the platform that our paths come from (D-491). */
const ALIASED: Record<string, string[]> = { '/v1/config/domain': ['PUT', 'DELETE'] }

test.serial('another method is 405 with Allow, and OPTIONS tells the same', async (t) => {
  const ask = (method: string, path: string) => target.client.ask({ method, path, token: target.sample.token })
  for (const [template, methods] of Object.entries(document.paths)) {
    const taken = Object.keys(methods).map((method) => method.toUpperCase())
    const path = fill(template, { id: uuid })
    const others = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'QUERY'].filter(
      (each) => !taken.includes(each) && !ALIASED[template]?.includes(each),
    )
    for (const method of others) t.is(faultOf(await ask(method, path), [405]), undefined, `${method} ${path}`)
    for (const method of ['OPTIONS', others[0] ?? 'LINK']) {
      const { headers } = await ask(method, path)
      for (const each of taken) t.true(headers.allow?.split(', ').includes(each), `${method} ${path}: ${headers.allow}`)
    }
    t.is((await ask('OPTIONS', path)).status, 204)
    if (!taken.includes('GET')) continue
    const { status, text } = await ask('HEAD', path)
    t.is(text, '')
    t.is(status, (await ask('GET', path)).status)
  }
  t.is(faultOf(await ask('OPTIONS', '/v1/nothing'), [404]), undefined)
})

test.serial('no operation answers without a token, or with one that is none', async (t) => {
  for (const operation of operations.filter((each) => !isPublic(each)))
    for (const authorization of [
      undefined,
      'Bearer',
      'Bearer x',
      'bearer a.b.c',
      'Basic dXNlcjpwYXNz',
      `Bearer ${target.sample.token}x`,
      `Bearer ${'a'.repeat(9_000)}`,
      '\u00ff',
    ]) {
      const reply = await target.attack(operation, {
        body: bodyOf(operation),
        token: undefined,
        headers: authorization ? { authorization } : {},
      })
      t.is(faultOf(reply, [401]), undefined, `${operation.operationId} ${authorization?.slice(0, 20)}`)
      t.regex(String(reply.headers['www-authenticate']), /^Bearer /)
    }
})

test.serial('the platform lives', (t) => target.checkPulse(t))
