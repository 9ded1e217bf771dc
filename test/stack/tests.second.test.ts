import test from 'ava'
import { createProject } from '../support/stack/runner.ts'

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
    const { code, last, failed, flaky } = await createProject(t, { a: text, b: FINE }, { silenceMs: 4_000 }).run()
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
