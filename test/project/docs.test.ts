import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import test from 'ava'
import { schedules } from '../../activities/frame/schedules.ts'
import { workflows } from '../../protocol/workflows.ts'
import { blocksOf, isKept, type, typeDocument } from '../support/frame/docs.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld({ workflows: true })
})
test.after.always(() => world?.close())

const typed = (name: string) => typeDocument(world, name)

test.serial('docs/credentials.md works word for word', async (t) => {
  const kept = (await typed('docs/credentials.md')).filter(({ promised }) => promised !== undefined)
  for (const promise of kept) t.true(isKept(promise), `${promise.code}\n${promise.printed}`)
  t.is(kept.length, 16)
})

test.serial('docs/mobile.md works word for word', async (t) => {
  const kept = (await typed('docs/mobile.md')).filter(({ promised }) => promised !== undefined)
  for (const promise of kept) t.true(isKept(promise), `${promise.code}\n${promise.printed}`)
  t.is(kept.length, 6)
})

const linesOf = (printed: string) =>
  printed
    .replaceAll('}{', '}\n{')
    .split('\n')
    .map((line) => JSON.parse(line))

test.serial('docs/batches.md works word for word: every row is signed, from columns and from a template', async (t) => {
  const [columns, template, ...told] = await typed('docs/batches.md')
  const [batch, ...results] = linesOf(columns?.printed ?? '')
  t.like(batch, { status: 'COMPLETED', total: 2, signed: 2, failed: 0 })
  const grace = { id: 'did:example:grace', course: 'CS-102', score: 1 }
  t.is(results.length, 2)
  t.deepEqual(results[1].credential.credentialSubject, { ...grace, address: { city: 'New York' } })
  const claims = linesOf(template?.printed ?? '')
  t.is(claims.length, 2)
  t.deepEqual(claims[1].credential.credentialSubject, grace)
  const kept = told.filter(({ promised }) => promised !== undefined)
  for (const promise of kept) t.true(isKept(promise), `${promise.code}\n${promise.printed}`)
  t.is(kept.length, 5)
})

const run = promisify(execFile)

test.serial('each loop of docs/batches.md ends in every state in which a batch does not go on by itself', async (t) => {
  const loops = (await blocksOf('docs/batches.md')).flatMap(
    ({ code }) => code.match(/^(until|while) .* field \.status\b.*$/gm) ?? [],
  )
  t.is(loops.length, 3)
  const { components } = (await world.ask('/openapi.json')).json<{
    components: { schemas: { BatchStatus: { enum: string[] } } }
  }>()
  const states = components.schemas.BatchStatus.enum
  t.true(states.length > 3)
  for (const loop of loops)
    for (const state of states) {
      // the shorthands of the quick tour, of a batch that stays as it is; a loop that goes on sleeps
      const script = `BATCH=x; api() { echo ${state}; }; field() { cat; }; sleep() { echo goes on; exit; }\n${loop}\necho ended`
      const { stdout } = await run('bash', ['-euc', script], { timeout: 10_000 })
      t.is(stdout.trim(), state === 'PROCESSING' ? 'goes on' : 'ended', `${state}: ${loop}`)
    }
})

test.serial('docs/status-lists.md works word for word', async (t) => {
  const kept = (await typed('docs/status-lists.md')).filter(({ promised }) => promised !== undefined)
  for (const promise of kept) t.true(isKept(promise), `${promise.code}\n${promise.printed}`)
  t.is(kept.length, 5)
})

test.serial('docs/cli.md works word for word', async (t) => {
  const kept = (await type(world, await blocksOf('docs/cli.md'))).filter(({ promised }) => promised !== undefined)
  for (const promise of kept) t.true(isKept(promise), `${promise.code}\n${promise.printed}`)
  t.is(kept.length, 4)
})

test.serial('docs/did-web.md says what localhost answers', async (t) => {
  const kept = await typeDocument(world, 'docs/did-web.md', { section: 'On your own computer' })
  t.is(kept.length, 1)
  for (const promise of kept) t.true(isKept(promise), promise.printed)
})

test.serial('docs/compact.md works word for word', async (t) => {
  const kept = (await typeDocument(world, 'docs/compact.md')).filter(({ promised }) => promised !== undefined)
  for (const promise of kept) t.true(isKept(promise), `${promise.code}\n${promise.printed}`)
  t.is(kept.length, 8)
})

test.serial('docs/sd-jwt.md works word for word', async (t) => {
  const kept = (await typeDocument(world, 'docs/sd-jwt.md')).filter(({ promised }) => promised !== undefined)
  for (const promise of kept) t.true(isKept(promise), `${promise.code}\n${promise.printed}`)
  t.is(kept.length, 5)
})

const root = fileURLToPath(new URL('../..', import.meta.url))
const sources = (pattern: string) =>
  globSync(pattern, { cwd: root }).map((path) => readFileSync(`${root}/${path}`, 'utf8'))
const namesIn = (texts: string[], pattern: RegExp) => [
  ...new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map(([, name]) => name))),
]

test('docs/operations.md says of every metric, every workflow and every cause of a pause what to do, and of no other', (t) => {
  const guide = sources('docs/operations.md')
  const metrics = namesIn(sources('{activities,api}/**/*.ts'), /name: '(countersign_\w+)'/g)
  t.true(metrics.length >= 8)
  const isRole = (name = '') => /^countersign_(app|system|backup)$/.test(name)
  t.deepEqual(
    namesIn(guide, /(countersign_\w+)/g)
      .filter((name) => !isRole(name))
      .sort(),
    metrics.sort(),
  )

  for (const workflow of [...Object.keys(workflows), ...Object.keys(schedules)])
    t.true(guide[0]?.includes(`\`${workflow}\``), workflow)
  for (const { id } of Object.values(schedules)) t.true(guide[0]?.includes(`\`${id}\``), id)
  const pauses = namesIn(sources('activities/credentials/batches/*.ts'), /'(batch\.(?:\w+_gone|requested))'/g)
  t.true(pauses.length >= 3)
  for (const code of pauses) t.true(guide[0]?.includes(`\`${code}\``), code)
})

test('docs/architecture.md names folders and files that are there', (t) => {
  const named = namesIn(sources('docs/architecture.md'), /`((?:api|activities|workflows|entities|protocol)\/[^`]*)`/g)
  t.true(named.length > 20)
  const missing = named.filter((path = '') => globSync(path.replace('<area>', 'dids'), { cwd: root }).length === 0)
  t.deepEqual(missing, [])
})
