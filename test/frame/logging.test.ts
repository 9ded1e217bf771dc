import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import test from 'ava'
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
  return { ended, messages }
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

test('lines that come together share writes that a pipe takes in one piece', async (t) => {
  const { ended, messages } = logs(t, `for (let n = 0; n < 2_000; n++) log.info(String(n))`)
  await ended
  await wait(100)
  t.deepEqual(
    messages(),
    Array.from({ length: 2_000 }, (_, n) => String(n)),
  )
})
