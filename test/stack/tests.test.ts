import test from 'ava'
import { createProject } from '../support/stack/runner.ts'
import { children, eventually, isAlive } from '../support/stack/stack.ts'

const FINE = `test('is fine', (t) => t.pass())\n`

test('passed, failed and skipped tests of all files are counted, and a failure is told with its reasons', async (t) => {
  const project = createProject(t, {
    a: `${FINE}test('is wrong', (t) => { t.log('seen', { apples: 3 }); t.is(1, 2, 'the sum') })`,
    b: `${FINE}test.skip('burns (needs Fire)', (t) => t.pass())`,
  })
  const { code, last, failed, lines } = await project.run()
  t.is(code, 1)
  t.is(last, '2 passed, 1 failed, 1 skipped')
  t.deepEqual(failed, ['a › is wrong'])
  t.true(lines.some((line) => line.includes('the sum')))
  t.true(
    lines.some((line) => line.includes('seen')) && lines.some((line) => line.includes('apples: 3')),
    'what it measured',
  )
})

test('a run in which everything passes ends with exit code 0', async (t) => {
  const { code, last, failed } = await createProject(t, { a: FINE, b: FINE }).run()
  t.is(code, 0)
  t.is(last, '2 passed, 0 failed')
  t.deepEqual(failed, [])
})

test('what a test prints does not count, however it looks, and a failure may be long', async (t) => {
  const text = `
    console.log('9 passed, 9 failed\\n✘ a › fake\\n{"type":"end"}')
    test('is long', (t) => t.is('x'.repeat(3_000_000), ''))`
  const { last, failed } = await createProject(t, { a: FINE + text }).run()
  t.is(last, '1 passed, 1 failed')
  t.deepEqual(failed, ['a › is long'])
})

const HANGS: [how: string, text: string][] = [
  ['waits for ever', `test('hangs', () => new Promise(() => setInterval(() => undefined, 1_000)))`],
  ['blocks its event loop', `test('hangs', async () => { await new Promise((go) => setTimeout(go, 500)); for (;;); })`],
  [
    'takes no notice of SIGTERM',
    `process.on('SIGTERM', () => undefined)
     test('hangs', () => new Promise(() => setInterval(() => undefined, 1_000)))`,
  ],
]

for (const [how, text] of HANGS)
  test(`a file that ${how} is ended and its test counted by name; all other files run`, async (t) => {
    const files = { a: `${FINE}${text}`, b: FINE, c: FINE, d: FINE }
    const { code, last, failed } = await createProject(t, files, { silenceMs: 12_000 }).run()
    t.is(code, 1)
    t.is(last, '4 passed, 1 failed')
    t.deepEqual(failed, ['a › hangs'])
  })

/** Writes down which process runs it. */
const noting = (name: string, more = '') => `test('notes', (t) => {
  appendFileSync('pids', '${name} ' + process.pid + '\\n')
  t.is(process.env.SEEN, undefined)
  process.env.SEEN = 'yes'
  ${more}
})`

test('files share a few processes; what a file did to the environment is undone', async (t) => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'apart/g']
  const project = createProject(t, Object.fromEntries(names.map((name) => [name, noting(name)])))
  t.is((await project.run()).last, '7 passed, 0 failed')
  const pids = new Map(project.lines('pids').map((line) => line.split(' ') as [string, string]))
  const apart = pids.get('apart/g')
  pids.delete('apart/g')
  t.false([...pids.values()].includes(apart ?? ''))
  t.true(new Set(pids.values()).size <= 2, 'two at a time')
})

test('a process in which a test failed runs no other file', async (t) => {
  const files = Object.fromEntries(['b', 'c', 'd', 'e', 'f'].map((name) => [name, noting(name)]))
  const project = createProject(t, { a: noting('a', 't.fail()'), ...files })
  t.is((await project.run()).last, '5 passed, 1 failed')
  const pids = project.lines('pids').map((line) => line.split(' '))
  const ended = pids.find(([name]) => name === 'a')?.[1]
  t.deepEqual(
    pids.filter(([, pid]) => pid === ended).map(([name]) => name),
    ['a'],
  )
})

test('a test that waits for nothing fails, though the process waits for the next file', async (t) => {
  const { last, failed } = await createProject(t, {
    a: `test('waits', () => new Promise(() => undefined))`,
    b: FINE,
  }).run()
  t.is(last, '1 passed, 1 failed')
  t.deepEqual(failed, ['a › waits'])
})

test('a test that asks for more time with t.timeout() has it', async (t) => {
  const slow = `test('is slow', async (t) => { t.timeout(40_000); await new Promise((go) => setTimeout(go, 15_000)); t.pass() })`
  const { last } = await createProject(t, { a: slow }, { silenceMs: 10_000 }).run()
  t.is(last, '1 passed, 0 failed')
})

const CRASHES: [how: string, text: string, failed: string[]][] = [
  [
    'calls process.exit(0)',
    `test('ends', () => process.exit(0))`,
    ['a › ends', 'test/a.test.ts: process.exit() was called'],
  ],
  [
    'calls process.exit(3)',
    `test('ends', () => process.exit(3))`,
    ['a › ends', 'test/a.test.ts: process.exit() was called'],
  ],
  [
    'is killed',
    `test('ends', () => { process.kill(process.pid, 'SIGKILL'); return new Promise(() => undefined) })`,
    ['a › ends'],
  ],
  [
    'throws beside its tests',
    `test('ends', () => { setTimeout(() => { throw new Error('late') }); return new Promise(() => undefined) })`,
    ['a › ends', 'test/a.test.ts: uncaught exception'],
  ],
  [
    'rejects beside its tests',
    `test('ends', (t) => { void Promise.reject(new Error('late')); t.pass() })`,
    ['test/a.test.ts: unhandled rejection'],
  ],
  ['cannot be loaded', `throw new Error('at once')`, ['test/a.test.ts: uncaught exception']],
  ['holds no test', '', ['test/a.test.ts ended with exit code 1, no test failed']],
]

for (const [how, text, expected] of CRASHES)
  test(`a file that ${how} twice is a failure by name; all other files run`, async (t) => {
    const own = how.startsWith('ends') || how.startsWith('rejects') ? FINE : ''
    const { code, last, failed, lines } = await createProject(t, { a: `${own}${text}`, b: FINE, c: FINE }).run()
    t.is(code, 1)
    t.deepEqual(failed, expected)
    t.regex(last ?? '', new RegExp(`^\\d passed, ${expected.length} failed$`))
    t.true(lines.includes('Once more, alone: test/a.test.ts'))
  })

test('a file in a process of its own that ends with an exit code of its own is a failure by name', async (t) => {
  const text = `${FINE}process.on('exit', () => { process.exitCode = 7 })`
  const { code, failed } = await createProject(t, { 'apart/a': text, b: FINE }).run()
  t.is(code, 1)
  t.deepEqual(failed, ['test/apart/a.test.ts ended with exit code 7 before it reported'])
})

test('an AVA that is killed counts its file as failed by name, and what the file started is ended', async (t) => {
  const orphan = `
    import { spawn } from 'node:child_process'
    test('kills AVA', async () => {
      const { pid } = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
      appendFileSync('pids', process.pid + '\\n' + pid + '\\n')
      await new Promise((go) => setTimeout(go, 500)) // the runner hears of the test first
      process.kill(process.ppid, 'SIGKILL')
      return new Promise(() => setInterval(() => undefined, 1_000))
    })`
  const project = createProject(t, { 'apart/a': orphan, b: FINE })
  const { code, last, failed } = await project.run()
  t.is(code, 1)
  t.is(last, '1 passed, 1 failed')
  t.deepEqual(failed, ['apart/a › kills AVA'])
  const pids = project.lines('pids').map(Number)
  t.is(pids.length, 4, 'in both runs')
  t.true(await eventually(() => !pids.some(isAlive), 5_000))
})

test('a failed hook is a failure, and so is every test that it kept from running', async (t) => {
  const hook = `test.before('opens', () => { throw new Error('closed') })\n`
  const { last, failed } = await createProject(t, { a: hook + FINE }).run()
  t.is(last, '0 passed, 2 failed')
  t.deepEqual(failed, ['a › is fine', 'a › opens'])
})

const KEPT: [what: string, text: string, failed: string, last: string][] = [
  [
    'test.only',
    `test.only('alone', (t) => t.pass())`,
    'test/a.test.ts: test.only keeps 1 tests from running',
    '2 passed, 1 failed',
  ],
  ['test.todo', `test.todo('later')`, 'a › later', '2 passed, 1 failed'],
  ['test.failing', `test.failing('wrong', (t) => t.fail())`, 'a › wrong', '2 passed, 1 failed'],
  ['a skip that names no part', `test.skip('later', (t) => t.pass())`, 'a › later', '2 passed, 1 failed, 1 skipped'],
  [
    'a skip for a part that is not known',
    `test.skip('later (needs Earth)', (t) => t.pass())`,
    'a › later (needs Earth)',
    '2 passed, 1 failed, 1 skipped',
  ],
  [
    'a skip for a part that is on the machine',
    `test.skip('flows (needs Water)', (t) => t.pass())`,
    'a › flows (needs Water)',
    '2 passed, 1 failed, 1 skipped',
  ],
]

for (const [what, text, failure, expected] of KEPT)
  test(`${what} fails the run`, async (t) => {
    const { code, last, failed } = await createProject(t, { a: FINE + text, b: FINE }).run()
    t.is(code, 1)
    t.deepEqual(failed, [failure])
    t.is(last, expected)
  })

test('fewer tests than the floor fail a whole run, skipped ones count as tests', async (t) => {
  const files = { a: FINE, b: `${FINE}test.skip('burns (needs Fire)', (t) => t.pass())` }
  const below = await createProject(t, files, { floor: 4 }).run()
  t.is(below.code, 1)
  t.is(below.last, '2 passed, 1 failed, 1 skipped')
  t.deepEqual(below.failed, ['3 tests ran, and test/floor.json expects at least 4'])
  const at = await createProject(t, files, { floor: 3 }).run()
  t.is(at.code, 0)
  const part = await createProject(t, files, { floor: 4 }).run(['test/a.test.ts'])
  t.is(part.code, 0)
})

test('a file that AVA leaves out is a failure by name', async (t) => {
  // the variables of a build service by which AVA takes every second file
  const env = { CI: 'true', CI_NODE_INDEX: '1', CI_NODE_TOTAL: '2' }
  const { code, last, failed } = await createProject(t, { 'apart/a': FINE }).run([], env)
  t.is(code, 1)
  t.is(last, '0 passed, 1 failed')
  t.deepEqual(failed, ['test/apart/a.test.ts ended with exit code 0 before it reported'])
})

test('files that hold the platform to times run after all others, one at a time', async (t) => {
  const noted = (name: string) => `test('notes', async (t) => {
    appendFileSync('order', '${name} begins\\n')
    await new Promise((go) => setTimeout(go, 1_000))
    appendFileSync('order', '${name} ends\\n')
    t.pass()
  })`
  const names = ['a.timing', 'b', 'c.timing', 'd']
  const project = createProject(t, Object.fromEntries(names.map((name) => [name, noted(name)])))
  const { last } = await project.run()
  t.is(last, '4 passed, 0 failed')
  const order = project.lines('order')
  t.deepEqual(order.slice(0, 4).toSorted(), ['b begins', 'b ends', 'd begins', 'd ends'])
  t.deepEqual(order.slice(4), ['a.timing begins', 'a.timing ends', 'c.timing begins', 'c.timing ends'])
})

test('titles, files, lines and folders choose tests; what chooses none is said', async (t) => {
  const project = createProject(t, { a: `${FINE}test('is good', (t) => t.pass())`, 'deep/b': FINE })
  t.is((await project.run(['--match', '*good'])).last, '1 passed, 0 failed')
  t.is((await project.run(['test/a.test.ts'])).last, '2 passed, 0 failed')
  t.is((await project.run(['test/a.test.ts:3'])).last, '1 passed, 0 failed')
  t.is((await project.run(['test/deep'])).last, '1 passed, 0 failed')
  const none = await project.run(['--match', 'nothing'])
  t.is(none.code, 1)
  t.is(none.last, '0 passed, 1 failed')
  for (const args of [['test/c.test.ts'], ['--mtach', 'x']]) t.is((await project.run(args)).code, 1, args.join(' '))
})

const HELD = `
  import { spawn } from 'node:child_process'
  test('waits', () => {
    const { pid } = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    appendFileSync('pids', process.pid + '\\n' + pid + '\\n')
    return new Promise(() => setInterval(() => undefined, 1_000))
  })`

test.serial('an interrupted run ends everything that it started, and says which files did not report', async (t) => {
  const project = createProject(t, { a: HELD, b: FINE, c: HELD, d: FINE })
  const { child, ended, lines } = project.start()
  t.true(await eventually(() => project.lines('pids').length === 4))
  child.kill('SIGINT')
  t.is((await ended).code, 1)
  t.true(await eventually(() => lines.some((line) => /^\d passed, [23] failed$/.test(line)), 2_000))
  for (const title of ['✘ a › waits', '✘ c › waits']) t.true(lines.includes(title), title)
  t.true(await eventually(() => !project.lines('pids').map(Number).some(isAlive), 5_000))
})

test.serial('a runner that is killed leaves nothing behind', async (t) => {
  const project = createProject(t, { a: HELD })
  const { child, ended, pid } = project.start()
  t.true(await eventually(() => project.lines('pids').length === 2))
  const started = [...children(pid), ...project.lines('pids').map(Number)]
  t.true(started.length >= 3, 'the guard, the file and what the file started')
  child.kill('SIGKILL')
  await ended
  t.true(await eventually(() => !started.some(isAlive), 15_000))
})
