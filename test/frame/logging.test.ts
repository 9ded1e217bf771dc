import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { gathered } from '../../activities/frame/logging.ts'
import { eventually, script, temporary } from '../support/stack/stack.ts'

const logging = fileURLToPath(new URL('../../activities/frame/logging.ts', import.meta.url))

/** A process that logs as `text` says, and stays unless it ends itself. */
function logs(t: import('ava').ExecutionContext, text: string) {
  const file = join(temporary(t, 'logs'), 'logs.ts')
  writeFileSync(
    file,
    `import { createLogger } from ${JSON.stringify(logging)}\nconst log = createLogger('info')\n${text}`,
  )
  const { child, ended, lines } = script([file])
  t.teardown(() => child.kill('SIGKILL'))
  const messages = () =>
    lines.flatMap((line) => (line.startsWith('{') ? [(JSON.parse(line) as { msg: string }).msg] : []))
  return { child, ended, messages }
}

const STAYS = 'setInterval(() => undefined, 1_000)'

test('a line of information is written within a moment, without another one after it', async (t) => {
  const { messages } = logs(t, `log.info('one'); ${STAYS}`)
  t.true(await eventually(() => messages().join() === 'one', 20_000))
})

test('a warning is written at once, and what waited before it', async (t) => {
  const text = `log.info('one'); log.child({ a: 1 }).warn('two'); for (;;);`
  const { messages } = logs(t, text)
  t.true(await eventually(() => messages().join() === 'one,two', 20_000))
})

const ENDS = [
  ['ends', ''],
  ['calls process.exit()', 'process.exit(3)'],
  ['fails', `setImmediate(() => { throw new Error('on purpose') })`],
]

for (const [how, text] of ENDS)
  test(`a process that ${how} has written all of its lines, in their order`, async (t) => {
    const several = `const other = createLogger('info'); log.info('one'); other.info('two'); log.info('three');`
    const { ended, messages } = logs(t, `${several} ${text}`)
    await ended
    await wait(100)
    t.deepEqual(
      messages().filter((message) => /^(one|two|three)$/.test(message)),
      ['one', 'two', 'three'],
    )
  })

test('a process whose log nobody reads any more goes on, and ends when it is told', async (t) => {
  const file = `${join(temporary(t, 'logs'), 'went-on')}`
  const text = `import { writeFileSync } from 'node:fs'
    const say = (n) => { log.info('line'); log.warn('line'); if (n === 0) writeFileSync('${file}', 'yes'); else setTimeout(say, 50, n - 1) }
    process.on('SIGTERM', () => { log.error('told'); process.exit(7) })
    say(20); ${STAYS}`
  const { child, ended, messages } = logs(t, text)
  t.true(await eventually(() => messages().length > 0, 20_000))
  child.stdout?.destroy()
  t.true(await eventually(() => existsSync(file), 20_000), 'no line holds it up')
  child.kill('SIGTERM')
  t.is((await ended).code, 7)
})

test('lines share writes of at most 4,000 characters, in their order; a longer one is a write of its own', (t) => {
  const writes: string[] = []
  const { write, flushSync } = gathered({ write: (text) => writes.push(text) })
  const lines = [900, 900, 900, 900, 900, 3_900, 200, 9_000, 10].map((length, place) => `${place}`.repeat(length))
  for (const line of lines) write(line)
  t.deepEqual(
    writes.map(({ length }) => length),
    [3_600, 900, 3_900, 200, 9_000],
  )
  flushSync()
  flushSync()
  t.is(writes.length, 6)
  t.is(writes.join(''), lines.join(''))
})

test('many lines of one process come in their order', async (t) => {
  const { ended, messages } = logs(t, `for (let n = 0; n < 2_000; n++) log.info(String(n))`)
  await ended
  await wait(100)
  t.deepEqual(
    messages(),
    Array.from({ length: 2_000 }, (_, n) => String(n)),
  )
})
