import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import test from 'ava'
import { prepareData } from '../../stack/tests/data.ts'
import { createProject } from '../support/stack/runner.ts'
import { temporary } from '../support/stack/stack.ts'

const FINE = `test('is fine', (t) => t.pass())\n`

const FLAKY = `test('passes later', (t) => { const again = existsSync('again'); appendFileSync('again', 'x'); t.true(again) })\n`

test('a file with a failed test has a second chance, alone; a test that passes then is named as flaky', async (t) => {
  const { code, last, failed, flaky, lines } = await createProject(t, { a: FLAKY + FINE, b: FINE }).run()
  t.is(code, 0)
  t.is(last, '3 passed, 0 failed')
  t.deepEqual(failed, [])
  t.deepEqual(flaky, ['a › passes later'])
  t.true(lines.includes('Once more, alone: test/a.test.ts'))
})

test('what fails twice has failed, and beside it a flaky test is still named', async (t) => {
  const { code, last, failed, flaky } = await createProject(t, { a: `${FLAKY}test('fails', (t) => t.fail())` }).run()
  t.is(code, 1)
  t.is(last, '1 passed, 1 failed')
  t.deepEqual(failed, ['a › fails'])
  t.deepEqual(flaky, ['a › passes later'])
})

test('a second run that ends badly without a failed test is a failure', async (t) => {
  const second = `if (existsSync('again')) process.on('exit', () => { process.exitCode = 7 })\n`
  const { code, last, failed } = await createProject(t, { a: second + FLAKY }).run()
  t.is(code, 1)
  t.is(last, '1 passed, 1 failed')
  t.deepEqual(failed, ['test/a.test.ts ended with exit code 7 before it reported'])
})

const ONCE: [how: string, text: string][] = [
  ['fails beside its tests', `void Promise.reject(new Error('late'))`],
  ['calls process.exit()', 'process.exit(0)'],
  ['hangs', 'for (;;);'],
]

for (const [how, does] of ONCE)
  test(`a file that ${how} once has a second chance like any other (D-963)`, async (t) => {
    const text = `test('ends', (t) => { if (!existsSync('again')) { appendFileSync('again', 'x'); ${does} } t.pass() })`
    const { code, last, failed, flaky } = await createProject(t, { a: text, b: FINE }, { silenceMs: 12_000 }).run()
    t.is(code, 0)
    t.is(last, '2 passed, 0 failed')
    t.deepEqual(failed, [])
    t.true(flaky.length > 0)
  })

test('a second run that has fewer tests is a failure', async (t) => {
  const twice = `const again = existsSync('again')
    if (!again) test('only at first', (t) => { appendFileSync('again', 'x'); t.fail() })
    test('always', (t) => t.pass())`
  const { code, failed } = await createProject(t, { a: twice, b: FINE }).run()
  t.is(code, 1)
  t.deepEqual(failed, ['test/a.test.ts: 1 tests did not run a second time'])
})

test('nobody has a second chance when only some tests were asked for', async (t) => {
  const { code, last, lines } = await createProject(t, { a: FLAKY, b: FINE }).run(['test/a.test.ts'])
  t.is(code, 1)
  t.is(last, '0 passed, 1 failed')
  t.false(lines.some((line) => line.startsWith('Once more')))
})

test('parts keep their data in memory where there is room, and elsewhere on disk; all of it goes with the run (D-893)', async (t) => {
  const memory = temporary(t, 'memory')
  const where = async (inMemory: boolean, directory: string, bytes: number) => {
    const data = prepareData(inMemory, { directory, bytes })
    writeFileSync(join(data.directory, 'left-behind'), '')
    await data.remove()
    t.false(existsSync(data.directory))
    return dirname(data.directory)
  }
  t.is(await where(true, memory, 1), memory)
  t.is(await where(true, memory, Number.MAX_SAFE_INTEGER), tmpdir(), 'no room')
  t.is(await where(true, join(memory, 'missing'), 1), tmpdir())
  t.is(await where(false, memory, 1), tmpdir(), 'heavy tests need more than that')
})

test('what a run left in memory that was killed goes with the next one; of a run that goes on, nothing', async (t) => {
  const directory = temporary(t, 'memory')
  const name = basename(prepareData(true, { directory, bytes: 1 }).directory)
  mkdirSync(join(directory, 'countersign-tests-4194305-1-abcdef', 'cluster'), { recursive: true }) // no system has that process
  mkdirSync(join(directory, `countersign-tests-${process.pid}-1-abcdef`)) // the number is somebody else's now
  mkdirSync(join(directory, 'others'))
  const another = basename(prepareData(true, { directory, bytes: 1 }).directory)
  t.not(another, name, 'no directory that is there is taken over')
  t.deepEqual(readdirSync(directory).sort(), [name, another, 'others'].sort())
})
