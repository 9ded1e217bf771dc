import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { connectTemporal } from '../../../activities/frame/temporal/index.ts'
import { freePort } from '../../../stack/parts/ports.ts'
import { findTemporalBinary } from '../../../stack/parts/temporal.binary.ts'
import { startTemporal } from '../../../stack/parts/temporal.ts'
import { dataDirectory } from '../../../stack/tests/data.ts'

/**
 * A Temporal server of the test's own, its database file in a directory of its own, and a client of ours on it. `settings`:
 * of the server, such as `limit.historyCount.error=100`.
 */
export async function openTemporal(masterKey: Buffer, settings: readonly string[] = []) {
  const directory = dataDirectory('temporal')
  const binary = await findTemporalBinary(process.env, () => undefined)
  const options = {
    binary,
    port: await freePort(),
    uiPort: await freePort(),
    databaseFile: join(directory, 'temporal.db'),
    settings,
  }
  let server = await startTemporal(options)
  const config = {
    masterKey,
    shutdownSeconds: 2,
    temporal: { address: server.address, namespace: 'default', taskQueue: 'test', uiUrl: server.uiUrl },
  }
  const temporal = connectTemporal(config)
  return {
    config,
    temporal,
    stopServer: () => server.stop(),
    /** On the same port and database file. */
    async startServer() {
      server = await startTemporal(options)
    },
    /** Everything that the server's files hold at this moment; SQLite's journal comes and goes. */
    async stored(): Promise<Buffer> {
      const names = (await readdir(directory)).filter((name) => /^temporal\.db(-wal|-journal)?$/.test(name))
      const files = names.map((name) =>
        readFile(join(directory, name)).catch((error: NodeJS.ErrnoException) => {
          if (error.code === 'ENOENT' && name !== 'temporal.db') return Buffer.alloc(0)
          throw error
        }),
      )
      return Buffer.concat(await Promise.all(files))
    },
    async close() {
      await temporal.close()
      await server.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export type TestTemporal = Awaited<ReturnType<typeof openTemporal>>
