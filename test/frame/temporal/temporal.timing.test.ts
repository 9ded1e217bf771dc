import { randomBytes } from 'node:crypto'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import test from 'ava'
import { connectTemporal } from '../../../activities/frame/temporal/index.ts'
import { Unavailable } from '../../../protocol/errors.ts'
import { freePort } from '../../../stack/parts/ports.ts'

const config = (address: string) => ({
  masterKey: randomBytes(32),
  temporal: { address, namespace: 'default', taskQueue: 'test', uiUrl: 'http://127.0.0.1:1' },
})

test('a start that Temporal does not answer is Unavailable within 2.5 s', async (t) => {
  const sockets: Socket[] = []
  const silent = createServer((socket) => sockets.push(socket))
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy() // gRPC leaves one behind that never answered
    await new Promise<void>((resolve) => silent.close(() => resolve()))
  })
  for (const port of [await freePort(), (silent.address() as AddressInfo).port]) {
    const address = `127.0.0.1:${port}`
    const away = connectTemporal(config(address))
    const began = Date.now()
    const start = { tenantId: 'tenant', area: 'dids', objectId: 'object', summary: 'Never', workflowType: 'tick' }
    const error = await t.throwsAsync(away.startWorkflow({ ...start, workflowId: 'never', payload: null }), {
      instanceOf: Unavailable,
    })
    t.is(error?.part, 'temporal')
    t.true(Date.now() - began < 2_500, `${address} after ${Date.now() - began} ms`)
    await t.throwsAsync(away.check(), { instanceOf: Unavailable })
    await away.close()
  }
})
