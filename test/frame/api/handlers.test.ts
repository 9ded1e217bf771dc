import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import helmet from 'helmet'
import { inTurn, sameHeaders } from '../../../api/handlers.ts'

async function serve(t: import('ava').ExecutionContext, ...handlers: RequestHandler[]) {
  const explain: ErrorRequestHandler = (error, _request, response, _next) => {
    response.status(500).send(error instanceof Error ? error.message : String(error))
  }
  const app = express()
  for (const handler of handlers) app.use(handler)
  app.use((_request, response) => void response.send('the end'))
  app.use(explain)
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  return () => fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } })
}

const WAYS: [how: string, handler: RequestHandler, expected: string][] = [
  ['calls next', (_request, _response, next) => next(), 'the end'],
  ['calls next later', (_request, _response, next) => void setImmediate(next), 'the end'],
  ['answers', (_request, response) => void response.send('here'), 'here'],
  [
    'throws',
    () => {
      throw new Error('thrown')
    },
    'thrown',
  ],
  ['rejects', () => Promise.reject(new Error('rejected')), 'rejected'],
  ['passes an error on', (_request, _response, next) => next(new Error('passed')), 'passed'],
  ['rejects without a reason', () => Promise.reject(), 'no reason was given'],
]

for (const [how, handler, expected] of WAYS)
  test(`a handler that ${how} does the same in turn as by itself: ${expected}`, async (t) => {
    const passed: string[] = []
    const note =
      (name: string): RequestHandler =>
      (_request, _response, next) => {
        passed.push(name)
        next()
      }
    const ask = await serve(t, inTurn(note('before'), handler, note('after')))
    t.is(await (await ask()).text(), expected)
    t.deepEqual(passed, expected === 'the end' ? ['before', 'after'] : ['before'])
  })

test('a body without handlers goes on', async (t) => {
  t.is(await (await (await serve(t, inTurn()))()).text(), 'the end')
})

test("helmet's headers are the same, set by itself or kept", async (t) => {
  const options = { contentSecurityPolicy: false, strictTransportSecurity: true }
  const headersOf = async (handler: RequestHandler) => {
    const { headers } = await (await serve(t, handler))()
    return { ...Object.fromEntries(headers), date: undefined, 'x-powered-by': undefined }
  }
  const express5 = await headersOf(inTurn())
  const kept = await headersOf(sameHeaders(helmet(options)))
  const set = await headersOf(helmet(options))
  t.true(Object.keys(set).length > Object.keys(express5).length + 8)
  t.deepEqual(kept, set, 'but for x-powered-by, which helmet takes away and createApp disables')
})

const UNFIT: [how: string, handler: RequestHandler][] = [
  ['ends later', (_request, _response, next) => void setImmediate(next)],
  ['fails', (_request, _response, next) => next(new Error('no'))],
  ['answers', () => undefined],
]

for (const [how, handler] of UNFIT)
  test(`headers are not kept of a handler that ${how}`, (t) => {
    t.throws(() => sameHeaders(handler), { message: 'the handler does not set its headers at once' })
  })
