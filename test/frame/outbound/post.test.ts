import test from 'ava'
import { OutboundFault } from '../../../activities/frame/outbound/faults.ts'
import type { Outbound, OutboundRequest } from '../../../activities/frame/outbound/index.ts'
import { postMessage } from '../../../activities/frame/outbound/post.ts'
import { Exhausted, Refusal, Unavailable } from '../../../protocol/errors.ts'

/** A client whose every call ends like that, and what it was asked for. */
function answering(answer: number | Error) {
  const asked: OutboundRequest[] = []
  const outbound: Outbound = {
    async fetch(request) {
      asked.push(request)
      if (answer instanceof Error) throw answer
      return { status: answer, headers: {}, body: Buffer.alloc(0), finalAddress: '192.0.2.1' }
    },
  }
  return { asked, post: () => postMessage(outbound, { url: 'https://receiver.example/', body: '{}' }) }
}

test('a message is sent by POST, and of the answer the status alone counts', async (t) => {
  const { asked, post } = answering(200)
  await post()
  t.deepEqual(asked, [
    {
      url: 'https://receiver.example/',
      body: '{}',
      method: 'POST',
      maxBytes: 20_000,
      whenTooLarge: 'cut',
      statusOnly: true,
    },
  ])
})

test('2xx is accepted; a server that is busy or broken may accept the message later, another answer is final', async (t) => {
  for (const status of [200, 204, 299]) t.deepEqual(await answering(status).post(), { accepted: true, status })
  for (const [status, mayPass] of [
    [199, false],
    [300, false],
    [400, false],
    [407, false],
    [408, true],
    [409, false],
    [428, false],
    [429, true],
    [499, false],
    [500, true],
    [503, true],
  ] as const)
    t.deepEqual(await answering(status).post(), {
      accepted: false,
      status,
      code: 'answer',
      reason: `answered ${status}`,
      mayPass,
    })
})

test('a fault of the connection may pass, what the rules refuse does not, and both have no status', async (t) => {
  for (const kind of ['timeout', 'connection', 'not_called', 'busy'] as const)
    t.deepEqual(await answering(new OutboundFault(kind, `it is ${kind}`)).post(), {
      accepted: false,
      code: kind,
      reason: `it is ${kind}`,
      mayPass: true,
    })
  t.deepEqual(await answering(new Refusal('outbound.tls', 'The TLS connection is not trustworthy.')).post(), {
    accepted: false,
    code: 'outbound.tls',
    reason: 'outbound.tls',
    mayPass: false,
  })
})

test('what is not the receiver’s doing is an error', async (t) => {
  for (const error of [
    new Refusal('inbound.tls', 'x'),
    new Unavailable('keys', 'x'),
    new Exhausted('outbound', 'x', 1),
    Object.assign(new Error('x'), { code: 'outbound.tls' }),
  ])
    t.is(
      await answering(error)
        .post()
        .catch((thrown: unknown) => thrown),
      error,
    )
})
