import { statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import type { Variable } from '../../../config.ts'
import { connect } from '../../../entities/orm.ts'
import { type Batch, COURSE, create, lines, read } from '../credentials/batches.ts'
import { createDid, sign } from '../credentials/credentials.ts'
import { didsOf, until } from '../credentials/dids.ts'
import { openProcesses } from '../parts/processes.ts'
import { type Ask, send, type World } from '../world.ts'
import { script } from './stack.ts'

/** The platform as real processes, with what an operator does to back it up and to restore it. */
export async function openRestorable(env: Partial<Record<Variable, string>> = {}, options: { durable?: boolean } = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'countersign-restore-'))
  const platform = await openProcesses({ EPOCH_DIRECTORY: join(directory, 'epoch'), ...env }, options)

  const ask = (path: string, question: Ask = {}) => send(`${platform.url}${path}`, question)

  async function enter(): Promise<Pick<World, 'ask' | 'token'>> {
    const { clientId, clientSecret } = platform.first
    const body = { clientId, clientSecret, grantType: 'client_credentials' }
    return { ask, token: (await ask('/v1/auth/token', { body })).json<{ access_token: string }>().access_token }
  }

  const asSuperuser = async <Row>(text: string, url = platform.superuserUrl): Promise<Row[]> => {
    const orm = await connect(url, 1)
    try {
      return (await orm.em.getConnection().execute(text)) as Row[]
    } finally {
      await orm.close()
    }
  }

  async function command(...args: string[]): Promise<string> {
    const run = script([...args, '--local', directory], platform.env as Record<string, string>)
    const { code } = await run.ended
    if (code !== 0) throw new Error(run.lines.join('\n'))
    return run.lines.join('\n')
  }

  /** Every status entry that was ever given to a credential, with the credential. */
  const entries = async (): Promise<Map<string, string>> => {
    const text = `select status_list_id || ' ' || status_index as entry, md5(document::text) as credential
      from credentials where status_list_id is not null`
    const rows = await asSuperuser<{ entry: string; credential: string }>(text)
    return new Map(rows.map(({ entry, credential }) => [entry, credential]))
  }

  const reaches = (world: Pick<World, 'ask' | 'token'>, id: string, so: (batch: Batch) => boolean) =>
    until(
      `batch ${id}`,
      async () => {
        const batch = await read(world, id)
        return so(batch) && batch
      },
      180_000,
    )

  /** The operator's part, as docs/operations.md has it: an empty database of the same name, and the command. */
  async function restore(file: string): Promise<string> {
    await Promise.all([platform.api.kill(), platform.worker.kill()])
    const elsewhere = platform.superuserUrl.replace(/\/countersign$/, '/postgres')
    await asSuperuser('drop database countersign with (force)', elsewhere)
    await asSuperuser('create database countersign owner countersign', elsewhere)
    return command('stack/restore.ts', file)
  }

  const AGE = `update credential_batches set created_at = created_at - interval '2 minutes',
    resumed_at = resumed_at - interval '2 minutes'`

  /** `rows` of a batch: more than the chunks that are under way at a time. */
  async function restoredInTheMiddle(
    t: ExecutionContext,
    { rows, lose = async () => undefined }: { rows: number; lose?: () => Promise<void> },
  ): Promise<void> {
    const before = await enter()
    const issuer = await createDid(before)
    const options = { proofType: 'eddsa-rdfc-2022', revocable: 'true', issuer, context: COURSE }
    const batch = await create(before, lines(rows), options)
    await reaches(before, batch.id, ({ signed }) => signed >= 300)
    const file = join(directory, `${batch.id}.sql.gz`)
    await command('stack/backup.ts', file)
    // what the backup does not have: whole chunks, which the workflow will not do again by itself
    await reaches(before, batch.id, ({ signed }) => signed >= 0.75 * rows)
    for (let nth = 0; nth < 40; nth += 1) await sign(before, issuer, { revocable: true })
    const later = await createDid(before)
    const lost = await entries()

    const told = await restore(file)
    t.regex(told, /restored and compared with the backup/)
    await lose()
    await asSuperuser(AGE)
    await Promise.all([platform.api.start(), platform.worker.start()])
    t.is((await ask('/v1/dids', { token: before.token })).status, 401, 'tokens from before end')
    const world = await enter()
    t.is((await didsOf(world, world.token).resolve(later)).status, 404)
    t.like(await reaches(world, batch.id, ({ status }) => status === 'COMPLETED'), { signed: rows, failed: 0 })
    for (let nth = 0; nth < 40; nth += 1) await sign(world, issuer, { revocable: true })
    const after = await entries()
    const twice = [...after].filter(([entry, credential]) => (lost.get(entry) ?? credential) !== credential)
    t.deepEqual(twice, [], 'an entry that was given to one credential is given to no other (I4)')
    t.true([...lost.keys()].filter((entry) => !after.has(entry)).length >= 40, 'the restore did lose some')
  }

  /** Both commands, timed; the database is its own restored copy afterwards. */
  async function backUpAndRestore() {
    const file = join(directory, 'timed.sql.gz')
    const [begun, made] = [performance.now(), await command('stack/backup.ts', file)]
    const between = performance.now()
    const told = await restore(file)
    const seconds = { backup: (between - begun) / 1000, restore: (performance.now() - between) / 1000 }
    return { made, told, seconds, rows: Number(/^(\d+) rows/.exec(told)?.[1]), megabytes: statSync(file).size / 1e6 }
  }

  return {
    platform,
    directory,
    restoredInTheMiddle,
    backUpAndRestore,
    async close() {
      await platform.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export type Restorable = Awaited<ReturnType<typeof openRestorable>>
