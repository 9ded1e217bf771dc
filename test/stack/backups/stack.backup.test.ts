import { existsSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import type { FirstTenant } from '../../../stack/local/first-tenant.ts'
import { freePort } from '../../../stack/parts/ports.ts'
import { script, temporary } from '../../support/stack/stack.ts'

const READY = /^Countersign is ready \(([\d.]+) s\)/

test('npm start backed up while it runs and while it does not, and restored on a new PostgreSQL', async (t) => {
  t.timeout(480_000)
  const local = temporary(t, 'start')
  const names = ['PORT', 'DATABASE_PORT', 'TEMPORAL_PORT', 'TEMPORAL_UI_PORT', 'OPERATOR_PORT']
  const ports = await Promise.all(names.map(async (name) => [name, String(await freePort())] as const))
  const env = { ...Object.fromEntries(ports), API_PROCESSES: '1' }
  const command = async (...args: string[]) => {
    const run = script([...args, '--local', local], env)
    const { code } = await run.ended
    return { code, text: run.lines.join('\n') }
  }
  const start = async () => {
    const started = script(['stack/start.ts', '--local', local], env)
    t.teardown(async () => {
      started.child.kill('SIGTERM')
      await started.ended
    })
    t.true(await started.says(READY), started.lines.join('\n'))
    return async () => {
      started.child.kill('SIGTERM')
      await started.ended
    }
  }
  const tokenStatus = async () => {
    const { baseUrl, clientId, clientSecret } = JSON.parse(
      readFileSync(join(local, 'first-tenant.json'), 'utf8'),
    ) as FirstTenant
    const body = JSON.stringify({ clientId, clientSecret, grantType: 'client_credentials' })
    const headers = { 'content-type': 'application/json' }
    return (await fetch(`${baseUrl}/v1/auth/token`, { method: 'POST', headers, body })).status
  }
  t.regex((await command('stack/backup.ts')).text, /master\.key is missing/, 'there is nothing yet')

  const stop = await start()
  const whileRunning = await command('stack/backup.ts')
  t.is(whileRunning.code, 0, whileRunning.text)
  t.is(await tokenStatus(), 200, 'the platform goes on')
  t.is(readdirSync(join(local, 'epoch')).length, 1)
  const nowhere = join(local, 'nowhere.gz')
  t.like(await command('stack/restore.ts', nowhere), { code: 1, text: `There is no file ${nowhere}.` })
  const [first = ''] = readdirSync(join(local, 'backups'))
  const refused = await command('stack/restore.ts', join(local, 'backups', first))
  t.is(refused.code, 1)
  t.regex(refused.text, /has tables/)
  await stop()

  const file = join(local, 'stopped.sql.gz')
  const whileStopped = await command('stack/backup.ts', file)
  t.is(whileStopped.code, 0, whileStopped.text)
  t.is(statSync(join(local, 'backups', first)).mode & 0o777, 0o600)

  renameSync(join(local, 'postgres'), join(local, 'postgres.before'))
  const restored = await command('stack/restore.ts', file)
  t.is(restored.code, 0, restored.text)
  t.true(existsSync(join(local, 'postgres', 'data')))
  const stopAgain = await start()
  t.is(await tokenStatus(), 200, 'the client and its secret are those of before')
  await stopAgain()
})
