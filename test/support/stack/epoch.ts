import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { pino } from 'pino'
import { createStatusEntries, type StatusEntry } from '../../../activities/credentials/status-lists/allocation.ts'
import { createEpoch } from '../../../activities/frame/epoch.ts'
import { createFileWitness, type Witness } from '../../../activities/frame/epoch.witness.ts'
import { migrate } from '../../../entities/migrate.ts'
import { connect, type Sql, sqlOf } from '../../../entities/orm.ts'
import { roleUrl } from '../../../entities/roles.ts'
import { freePort } from '../../../stack/parts/ports.ts'
import { type Postgres, startPostgres } from '../../../stack/parts/postgres.ts'
import { dataDirectory } from '../../../stack/tests/data.ts'

const run = promisify(execFile)
const masterKey = randomBytes(32)
export const OWNER = {
  tenantId: randomUUID(),
  issuerId: randomUUID(),
  kind: 'BitstringStatusList',
  purpose: 'revocation',
  proofType: 'eddsa-rdfc-2022',
} as const

export interface Installation {
  url: string
  witness: Witness | undefined
}

/** One process of the platform, as far as status entries go. `asked` is awaited before each statement about the epoch. */
export async function openProcess({ url, witness }: Installation, asked?: (text: string) => Promise<unknown>) {
  const [app, system] = await Promise.all([
    connect(roleUrl(url, masterKey, 'app'), 4),
    connect(roleUrl(url, masterKey, 'system'), 2),
  ])
  const [sql, systemSql] = await Promise.all([sqlOf(app), sqlOf(system)])
  const watched: Sql = {
    async query(query) {
      await asked?.(query.text)
      return systemSql.query(query)
    },
  }
  const epoch = createEpoch({ systemSql: watched, witness, log: pino({ level: 'silent' }) })
  const entries = createStatusEntries({ sql, uuid: randomUUID, epoch })
  return {
    epoch,
    sql,
    systemSql,
    take: async (count: number): Promise<StatusEntry[]> => {
      const taken: StatusEntry[] = []
      while (taken.length < count) taken.push(await entries.take(OWNER))
      return taken
    },
    async close() {
      epoch.close()
      await app.close()
      await system.close()
    },
  }
}

type Process = Awaited<ReturnType<typeof openProcess>>

/** The entries that a process of its own gets, once it has looked. */
export async function taken(installation: Installation, count = 40): Promise<StatusEntry[]> {
  const process = await openProcess(installation)
  try {
    await process.epoch.check()
    return await process.take(count)
  } finally {
    await process.close()
  }
}

/** As if nobody had moved the mark for so long: the next look moves it. */
export async function backdate({ url }: Installation, seconds: number): Promise<void> {
  const process = await openProcess({ url, witness: undefined })
  await process.systemSql.query({
    text: 'update platform_epoch set marked_at = marked_at - make_interval(secs => $1)',
    values: [seconds],
  })
  await process.close()
}

/** The row as it stands, and a way to put it back, as a copy of the data directory from now would. */
export async function keepRow({ systemSql }: Process) {
  const text = 'select id, epoch, mark, marked_at::text as "markedAt" from platform_epoch'
  const [row] = (
    await systemSql.query<{ id: string; epoch: number; mark: number; markedAt: string }>({ text, values: [] })
  ).rows
  if (!row) throw new Error('there is no row')
  return {
    ...row,
    putBack: () =>
      systemSql.query({
        text: 'update platform_epoch set id = $1, epoch = $2, mark = $3, marked_at = $4',
        values: [row.id, row.epoch, row.mark, row.markedAt],
      }),
  }
}

export const listsOf = (entries: StatusEntry[]) => [...new Set(entries.map(({ listId }) => listId))]
export const twice = (...all: StatusEntry[][]): number => {
  const names = all.flat().map(({ listId, index }) => `${listId} ${index}`)
  return names.length - new Set(names).size
}

type Owner = { teardown(work: () => Promise<void>): void }

async function openServer() {
  const directory = dataDirectory('epoch')
  const place = { directory: join(directory, 'postgres'), port: await freePort(), durable: false }
  const server = await startPostgres(place)
  await migrate(server.url, masterKey)
  return { directory, place, server }
}

/** A server for all tests of a file. */
export function shareServer(): { readonly server: Postgres } {
  let opened: Awaited<ReturnType<typeof openServer>> | undefined
  test.before(async () => {
    opened = await openServer()
  })
  test.after.always(async () => {
    await opened?.server.stop()
    if (opened) await rm(opened.directory, { recursive: true, force: true })
  })
  return {
    get server() {
      if (!opened) throw new Error('the server starts before the first test')
      return opened.server
    },
  }
}

/** A database as another one in the same cluster, as if it had been dumped and restored there. */
async function cloneOf(server: Postgres, original: string): Promise<string> {
  const name = `d${randomUUID().slice(0, 8)}`
  const admin = await connect(server.superuserUrl.replace(/\/countersign$/, '/postgres'), 1)
  const template = new URL(original).pathname.slice(1)
  await admin.em.getConnection().execute(`create database ${name} template ${template} owner countersign`)
  await admin.close()
  const url = server.url.replace(/\/countersign$/, `/${name}`)
  await migrate(url, masterKey)
  return url
}

/** A database of the test's own, with a folder to remember it in. */
export async function openPlace(t: Owner, server: Postgres) {
  const folder = dataDirectory('epoch')
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const url = await cloneOf(server, server.url)
  return {
    url,
    folder,
    witnessed: { url, witness: createFileWitness(folder) },
    unwitnessed: { url, witness: undefined },
    clone: () => cloneOf(server, url),
  }
}

/** A server of the test's own whose data directory can be put aside, as by a snapshot of the disk, and put back. */
export async function openDisk(t: Owner) {
  const { directory, place, ...started } = await openServer()
  let { server } = started
  t.teardown(async () => {
    await server.stop()
    await rm(directory, { recursive: true, force: true })
  })
  const data = join(place.directory, 'data')
  const withServerDown = async (work: () => Promise<unknown>) => {
    await server.stop()
    await work()
    server = await startPostgres(place)
  }
  const copy = (from: string, to: string) => run('cp', ['-a', from, to]) // with its owner
  return {
    witnessed: { url: server.url, witness: createFileWitness(join(directory, 'epoch')) },
    snapshot: () => withServerDown(() => copy(data, `${data}.kept`)),
    putBack: () =>
      withServerDown(async () => {
        await rm(data, { recursive: true })
        await copy(`${data}.kept`, data)
      }),
  }
}
