import { rm } from 'node:fs/promises'
import { migrate } from '../../../entities/migrate.ts'
import { connect, sqlOf } from '../../../entities/orm.ts'
import { roleUrl } from '../../../entities/roles.ts'
import { freePort } from '../../../stack/parts/ports.ts'
import { startPostgres } from '../../../stack/parts/postgres.ts'
import { CLUSTER } from '../../../stack/tests/cluster.ts'
import { dataDirectory } from '../../../stack/tests/data.ts'

/** A PostgreSQL of the test's own, migrated, with a pool for each of the two roles. */
export async function openDatabase(masterKey: Buffer) {
  const directory = dataDirectory('postgres')
  const server = await startPostgres({ directory, port: await freePort(), durable: false, from: process.env[CLUSTER] })
  await migrate(server.url, masterKey)
  const tenants = await connect(roleUrl(server.url, masterKey, 'app'), 8)
  const system = await connect(roleUrl(server.url, masterKey, 'system'), 8)
  return {
    url: server.url,
    superuserUrl: server.superuserUrl,
    tenants,
    system,
    systemSql: await sqlOf(system),
    async close() {
      await tenants.close()
      await system.close()
      await server.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export type TestDatabase = Awaited<ReturnType<typeof openDatabase>>
