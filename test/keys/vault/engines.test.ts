import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { causeOf } from '../../../activities/frame/logging.ts'
import { createVaultKeyStore } from '../../../activities/keys/vault/index.ts'
import { problemOf } from '../../../api/frame/errors.ts'
import { Unavailable } from '../../../protocol/errors.ts'
import { codeOf, newRef } from '../../support/parts/keys.ts'
import { vaultConfig } from '../../support/parts/vault.ts'
import { opened } from '../../support/parts/vault-tests.ts'

type Reply = [status: number, body: object]

const PUBLIC_KEY = Buffer.alloc(32, 7).toString('base64')
const KEY = { data: { latest_version: 1, keys: { 1: { public_key: PUBLIC_KEY } } } }

/** A store on a Vault that answers what `reply` returns for the path of a call. */
async function storeOn(t: ExecutionContext, reply: (path: string) => Reply) {
  const calls: string[] = []
  const server = createServer((incoming, outgoing) => {
    const path = (incoming.url ?? '').replace('/v1/', '')
    calls.push(path)
    const [status, body] = path.startsWith('auth/') ? [200, { data: { ttl: 0 } }] : reply(path)
    outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const states: boolean[] = []
  const observer = {
    loggedIn: () => undefined,
    refusedUntil: () => undefined,
    broken: (is: boolean) => states.push(is),
  }
  const config = vaultConfig({ address, token: 'token' }, {})
  return { store: opened(t, createVaultKeyStore(config, { observer })), calls, states }
}

test('an engine that fails holds up the calls to itself alone', async (t) => {
  const { store, calls, states } = await storeOn(t, (path) => (path.startsWith('secret/') ? [500, {}] : [200, KEY]))
  for (let tries = 0; tries < 6; tries += 1) {
    t.is(await codeOf(store.publicKey(newRef('x25519'))), 'unavailable')
    t.is(await codeOf(store.publicKey(newRef('ed25519'))), 'none')
  }
  t.is(calls.filter((path) => path.startsWith('secret/')).length, 3, 'then it is not called for 5 s')
  t.deepEqual(states, [true])
})

test('calls go on to an engine that answers that a path is forbidden, or that it is not there', async (t) => {
  for (const [status, error] of [
    [403, 'permission denied'],
    [404, 'no handler for route "secret/data/countersign"'],
  ] as const) {
    const { store, calls, states } = await storeOn(t, () => [status, { errors: [error] }])
    for (let tries = 0; tries < 6; tries += 1) t.is(await codeOf(store.publicKey(newRef('x25519'))), 'unavailable')
    t.true(calls.filter((path) => path.startsWith('secret/')).length >= 6, error)
    t.deepEqual(states, [])
  }
})

test('a signature of another version than the published one is refused', async (t) => {
  const signature = (version: number) => `vault:v${version}:${Buffer.alloc(64, 1).toString('base64')}`
  for (const [version, code] of [
    [1, 'none'],
    [2, 'key.store_refused'],
  ] as const) {
    const { store } = await storeOn(t, () => [200, { data: { batch_results: [{ signature: signature(version) }] } }])
    t.is(await codeOf(store.sign(newRef('ed25519'), Buffer.of(1))), code)
  }
  const { store } = await storeOn(t, () => [200, { data: { latest_version: 2, keys: { 2: KEY.data.keys[1] } } }])
  t.is(await codeOf(store.publicKey(newRef('ed25519'))), 'key.store_refused')
})

test('what Vault says of its own faults is told to the log, and not to strangers', async (t) => {
  for (const status of [500, 403]) {
    const { store } = await storeOn(t, () => [status, { errors: ['open /vault/data/core: no space left'] }])
    const error = await t.throwsAsync(store.publicKey(newRef('ed25519')), { instanceOf: Unavailable })
    t.false(problemOf(error, '').detail?.includes('/vault/data'))
    t.regex(causeOf(error), /no space left/)
  }
})
