import { EventEmitter, once } from 'node:events'
import test from 'ava'
import { createSequencer } from '../../../activities/frame/log-sequencer.ts'

/** Runs a sequencer whose statements fail so often in a row, and then work; returns what it logged. */
async function loggedWhere(failing: number): Promise<string[]> {
  const logged: string[] = []
  const statements = new EventEmitter()
  const to = (level: string) => (fields: unknown, message?: string) => {
    logged.push(`${level}: ${typeof fields === 'string' ? fields : message}`)
  }
  let asked = 0
  const sequencer = createSequencer({
    sql: {
      async query() {
        asked += 1
        if (asked <= failing) throw new Error('the connection broke')
        statements.emit('settled')
        return { rows: [], rowCount: 0 }
      },
    },
    log: { warn: to('warn'), info: to('info'), debug: to('debug') },
  })
  const settled = once(statements, 'settled')
  sequencer.start()
  await settled
  await sequencer.stop()
  return logged
}

test('a statement that fails now and then is no line of the log at its usual level (D-1014)', async (t) => {
  t.deepEqual(await loggedWhere(0), [])
  const waits = 'debug: the log waits to be chained'
  t.deepEqual(await loggedWhere(2), [waits, waits])
})

test('a log that goes on waiting to be chained is a warning once, and its end a line', async (t) => {
  const lines = await loggedWhere(4)
  t.deepEqual(
    lines.filter((line) => !line.startsWith('debug')),
    ['warn: the log waits to be chained', 'info: the log is chained again'],
  )
})
