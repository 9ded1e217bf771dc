import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import test from 'ava'
import { openTarget, type Target } from '../../support/frame/hostile.ts'
import { bodySchema, isPublic, operations } from '../../support/frame/openapi.ts'

let target: Target
test.before(async () => {
  target = await openTarget()
})
test.after.always(() => target?.close())

/** Status and problem of the first answer on a socket. */
function readAnswer(text: string) {
  const [head = '', body = ''] = text.split('\r\n\r\n', 2)
  const [start = '', ...lines] = head.split('\r\n')
  const headers = new Map(lines.map((line) => [line.split(':', 1)[0]?.toLowerCase(), line.replace(/^[^:]*: */, '')]))
  return { status: Number(start.split(' ')[1]), headers, body }
}

const chunkedNonsense = [
  'ZZ\r\n{}\r\n0\r\n\r\n',
  '-1\r\n{}\r\n0\r\n\r\n',
  'FFFFFFFFFFFFFFFFF\r\n{}\r\n0\r\n\r\n',
  '2\r\n{}{}{}{}\r\n0\r\n\r\n',
  '2;x="\u0000"\r\n{}\r\n0\r\n\r\n',
  `2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
]

for (const operation of operations.filter(bodySchema))
  test.serial(`${operation.operationId}: chunks that are none, lengths that lie`, async (t) => {
    const start = [
      `${operation.method} ${target.pathOf(operation)} HTTP/1.1`,
      `Host: ${new URL(target.world.url).host}`,
      'Content-Type: application/json',
      'Connection: close',
      ...(isPublic(operation) ? [] : [`Authorization: Bearer ${target.tokenFor(operation)}`]),
    ].join('\r\n')
    const requests: [rest: string, status: number][] = [
      ...chunkedNonsense.map((chunks): [string, number] => [`Transfer-Encoding: chunked\r\n\r\n${chunks}`, 400]),
      ['Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\n{}\r\n0\r\n\r\n', 400],
      ['Transfer-Encoding: gzip, x\r\n\r\n{}', 400],
      ['Content-Length: -1\r\n\r\n{}', 400],
      ['Content-Length: 2\r\nContent-Length: 7\r\n\r\n{}', 400],
      ['Content-Length: 99999999999999999999999\r\n\r\n{}', 400],
      ['Content-Length: 999999999\r\n\r\n{}', 413],
    ]
    for (const [rest, expected] of requests) {
      const { status, headers, body } = readAnswer(await target.client.bytes(`${start}\r\n${rest}`))
      const name = JSON.stringify(rest.slice(0, 60))
      t.is(status, expected, `${name} ${body}`)
      const problem = JSON.parse(body) as { instance: unknown; error?: unknown }
      // wallets get errors of OAuth 2.0 with the same members
      const type = problem.error === undefined ? 'application/problem+json' : 'application/json; charset=utf-8'
      t.is(headers.get('content-type'), type, name)
      t.is(problem.instance, headers.get('x-request-id'), name)
    }
  })

test.serial('what is no HTTP request is answered as problem details (specification, Errors 1)', async (t) => {
  for (const [request, expected] of [
    ['nonsense\r\n\r\n', 400],
    ['GET /v1/dids HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['GET /v1/dids HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n', 400],
    [
      'GET /v1/dids HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\nConnection: close\r\n\r\n',
      400,
    ],
    [
      'GET /v1/dids HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\nauthorization: Bearer a\r\nConnection: close\r\n\r\n',
      400,
    ],
    [
      'POST /v1/dids HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Type: text/csv\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
      400,
    ],
    [
      'POST /v1/dids HTTP/1.1\r\nHost: a\r\nIdempotency-Key: a\r\nIdempotency-Key: b\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
      400,
    ],
    ['GET /v1/d\u0000ids HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['GET /v1/dids HTTP/1.1\r\nHost: x\r\nA b: c\r\n\r\n', 400],
    ['GET /v1/dids HTTP/1.1\r\nHost: x\r\nA: \u0001\r\n\r\n', 400],
    ['GET /v1/dids HTTP/9.9\r\nHost: x\r\n\r\n', 400],
    ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    [`GET /v1/dids HTTP/1.1\r\nHost: x\r\nA: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
    [`GET /${'y'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
  ] as const) {
    const { status, headers, body } = readAnswer(await target.client.bytes(request))
    const name = JSON.stringify(request.slice(0, 60))
    t.is(status, expected, name)
    t.is(headers.get('content-type'), 'application/problem+json', name)
    const problem = JSON.parse(body) as Record<string, unknown>
    t.is(problem.status, expected)
    t.is(problem.instance, headers.get('x-request-id'))
  }
})

test.serial('a request smuggled behind another is not taken for one (RFC 9112 section 6.1)', async (t) => {
  const host = new URL(target.world.url).host
  const smuggled = `GET /health/live HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
  const length = Buffer.byteLength(`0\r\n\r\n${smuggled}`)
  const answer = await target.client.bytes(
    `POST /v1/dids HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${length}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
  )
  t.is(readAnswer(answer).status, 400)
  t.is(answer.split('HTTP/1.1 ').length, 2, 'one answer alone')
})

test.serial(
  'a request for an absolute URL is one for its path at its host (RFC 9112 section 3.2.2, D-560)',
  async (t) => {
    const { host } = new URL(target.world.url)
    const get = async (url: string, named: string) =>
      readAnswer(await target.client.bytes(`GET ${url} HTTP/1.1\r\nHost: ${named}\r\nConnection: close\r\n\r\n`))
    const linked = '/.well-known/did-configuration'
    t.is((await get(linked, host)).status, 200)
    t.is((await get(linked, 'nobody.example')).status, 404)
    for (const scheme of ['http', 'HTTPS']) {
      t.is((await get(`${scheme}://${host}${linked}`, 'nobody.example')).status, 200, scheme)
      t.is((await get(`${scheme}://nobody.example${linked}`, host)).status, 404, scheme)
    }
    for (const path of ['', '?x=http://y', '/health/live', '/core/v1/dids?limit=1', '/v1/nothing?x=//y@z']) {
      const { status } = await get(`http://${host}${path}`, host)
      t.is(status, (await get(path.startsWith('/') ? path : `/${path}`, host)).status, path)
    }
    for (const url of [
      `ftp://${host}${linked}`,
      `http://somebody@${host}${linked}`,
      `http://${host}@nobody.example${linked}`,
      `http://${linked}`,
      `http://[::1${linked}`,
      `http://${host}x${linked}`,
    ]) {
      const { status, headers, body } = await get(url, host)
      t.is(status, 400, url)
      t.is(headers.get('content-type')?.split(';')[0], 'application/problem+json', url)
      t.is((JSON.parse(body) as { type: unknown }).type, '/problems#request.malformed', url)
    }
  },
)

const opened = async (url: string): Promise<Socket> => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined) // it is cut off
  await once(socket, 'connect')
  return socket
}

test.serial('connections that send nothing, or never end, keep nobody else waiting', async (t) => {
  const host = new URL(target.world.url).host
  const head = `POST /v1/dids HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 100\r\n\r\n`
  const silent = await Promise.all(Array.from({ length: 200 }, () => opened(target.world.url)))
  for (const [at, socket] of silent.entries()) if (at % 4 > 0) socket.write(head + '{'.repeat(at % 3))
  for (let at = 0; at < 20; at++) t.is((await target.client.ask({ path: '/health/live' })).status, 200)
  t.is(silent.filter(({ readyState }) => readyState === 'open').length, 200, 'all of them still wait')
  for (const socket of silent) socket.destroy()
})

test.serial('the platform lives', (t) => target.checkPulse(t))
