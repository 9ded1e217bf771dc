import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import createNodeVault from 'node-vault'
import { transport } from '../../../activities/keys/vault/transport.ts'

interface Answer {
  status: number
  headers?: Record<string, string>
  body?: string
}

const textOf = async (request: IncomingMessage) => Buffer.concat(await request.toArray()).toString()

/** A server on loopback that answers as `answer` says; without an answer it is silent. */
async function serve(t: ExecutionContext, answer: (path: string) => Answer | undefined) {
  const asked: { method?: string; path?: string; token?: unknown; body: string }[] = []
  const server: Server = createServer(async (request, response) => {
    const { method, url: path, headers } = request
    asked.push({ method, path, token: headers['x-vault-token'], body: await textOf(request) })
    const found = answer(path ?? '')
    if (found) response.writeHead(found.status, found.headers).end(found.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { asked, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const vaultAt = (endpoint: string, timeout = 5_000) =>
  createNodeVault({ endpoint, requestOptions: { timeout }, debug: () => undefined, 'request-promise': transport })
const TOKEN = { headers: { 'X-Vault-Token': 'hvs.of-ours' } }

test('a call of node-vault arrives whole, and its answer is read', async (t) => {
  const { asked, address } = await serve(t, () => ({ status: 200, body: '{"data":{"text":"é"}}' }))
  const answer = await vaultAt(address).write('transit/sign/a', { input: 'é' }, TOKEN)
  t.deepEqual(answer, { data: { text: 'é' } })
  t.deepEqual(asked, [{ method: 'POST', path: '/v1/transit/sign/a', token: 'hvs.of-ours', body: '{"input":"é"}' }])
})

test('a standby that leads to the active node is followed, with method, token and body', async (t) => {
  const active = await serve(t, () => ({ status: 200, body: '{"data":{}}' }))
  const standby = await serve(t, (path) => ({ status: 307, headers: { location: active.address + path } }))
  await vaultAt(standby.address).write('transit/sign/a', { input: 'x' }, TOKEN)
  t.deepEqual(active.asked, standby.asked)
  t.like(active.asked[0], { method: 'POST', token: 'hvs.of-ours', body: '{"input":"x"}' })
})

test('an empty answer is none, and a page that is no JSON fails by its status', async (t) => {
  const { address } = await serve(t, (path) =>
    path.endsWith('gone') ? { status: 204 } : { status: 502, body: '<html>Bad Gateway</html>' },
  )
  t.is(await vaultAt(address).delete('kv/gone', TOKEN), '')
  await t.throwsAsync(vaultAt(address).read('kv/any', TOKEN), { message: 'Status 502' })
})

test('a refusal has Vault’s words, and nothing of the request', async (t) => {
  const { address } = await serve(t, () => ({ status: 403, body: '{"errors":["permission denied"]}' }))
  const error = await t.throwsAsync(vaultAt(address).write('kv/any', { secret: 'of-ours' }, TOKEN))
  t.is(error?.message, 'permission denied')
  t.false(JSON.stringify({ ...error }).includes('of-ours'))
})

test('silence ends after the time of the call, and a closed port at once, each with its code', async (t) => {
  const { address } = await serve(t, () => undefined)
  await t.throwsAsync(vaultAt(address, 100).read('kv/any', TOKEN), { code: 'ETIMEDOUT' })
  await t.throwsAsync(vaultAt('http://127.0.0.1:1').read('kv/any', TOKEN), { code: 'ECONNREFUSED' })
})
