import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { findTemporalBinary } from '../../stack/parts/temporal.binary.ts'
import { createDid, sign } from '../support/credentials/credentials.ts'
import { didsOf, until } from '../support/credentials/dids.ts'
import { blocksOf } from '../support/frame/docs.ts'
import { temporary } from '../support/stack/stack.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld({ workflows: true })
})
test.after.always(() => world?.close())

const run = promisify(execFile)

test('docs/operations.md finds the workflow of a credential by its id, and those of a DID by the DID', async (t) => {
  const home = temporary(t, 'docs')
  mkdirSync(join(home, '.cache/countersign/bin'), { recursive: true })
  symlinkSync(await findTemporalBinary(process.env, () => undefined), join(home, '.cache/countersign/bin/temporal'))
  const { ask, token } = world
  const { id } = await sign(world, await createDid(world), { revocable: true })
  await ask(`/v1/credentials/web-semantic/${id}/revocation-status/notification`, { token, body: {} })
  const { did, id: didId } = await didsOf(world, token).createWeb('issuer.acme.org')

  const blocks = (await blocksOf('docs/operations.md', 'Finding a workflow')).filter(
    ({ language }) => language === 'sh',
  )
  const code = blocks
    .map((block) => block.code)
    .join('')
    .replace(/^ID=.*$/m, `ID=${id}`)
    .replace(/^DID=.*$/m, `DID=${did}`)
    .replaceAll('127.0.0.1:7233', world.config.temporal.address)
  const printed = await until('both workflows', async () => {
    const { stdout } = await run('bash', ['-euc', code], { env: { HOME: home, PATH: process.env.PATH ?? '' } })
    return stdout.includes('notifyStatus') && stdout.includes('registerWebDid') && stdout
  })
  t.regex(printed, new RegExp(`dids/${didId}/register`))
})

test('docs/personal-data.md says how long Temporal keeps ended workflows with npm start', async (t) => {
  const temporal = await findTemporalBinary(process.env, () => undefined)
  const args = [
    'operator',
    'namespace',
    'describe',
    'default',
    '--address',
    world.config.temporal.address,
    '-o',
    'json',
  ]
  const { stdout } = await run(temporal, args)
  const { config } = JSON.parse(stdout) as { config: { workflowExecutionRetentionTtl: string } }
  t.is(config.workflowExecutionRetentionTtl, `${24 * 3600}s`)
  t.true(
    readFileSync(new URL('../../docs/personal-data.md', import.meta.url), 'utf8').includes('24 hours with `npm start`'),
  )
})
