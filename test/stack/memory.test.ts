import { setTimeout as wait } from 'node:timers/promises'
import test from 'ava'
import { giveMemoryBack } from '../../activities/frame/process/memory.ts'
import { run } from '../../stack/parts/run.ts'

const MB = 1024 * 1024

/** A process as the watch sees it. */
function watched() {
  const state = { workMs: 0, megabytes: 300, released: 0 }
  const stop = giveMemoryBack(
    {
      workMs: () => state.workMs,
      residentBytes: () => state.megabytes * MB,
      release() {
        state.released++
        state.megabytes = 150
      },
    },
    10,
  )
  return { state, stop }
}

test('memory is given back at the start, and again when an idle process has grown', async (t) => {
  const { state, stop } = watched()
  t.is(state.released, 1)
  await wait(50)
  t.is(state.released, 1, 'it has not grown')
  state.megabytes = 400
  await wait(50)
  t.is(state.released, 2)
  stop()
  state.megabytes = 400
  await wait(50)
  t.is(state.released, 2, 'it was stopped')
})

test('a process that works is not stopped for its memory', async (t) => {
  const { state, stop } = watched()
  const working = setInterval(() => {
    state.workMs += 50
  }, 2)
  state.megabytes = 400
  await wait(60)
  t.is(state.released, 1)
  clearInterval(working)
  await wait(60)
  t.is(state.released, 2)
  stop()
})

test('a process that has let go of 200 MB gives most of it back', async (t) => {
  const script = `import { giveMemoryBack } from './activities/frame/process/memory.ts'
let held = Array.from({ length: 2_000_000 }, (_, index) => ({ index, text: 'x' + index }))
const full = process.memoryUsage().heapTotal
held = []
giveMemoryBack()
console.log((process.memoryUsage().heapTotal / full).toFixed(3))`
  const { code, output } = await run(process.execPath, ['--import=tsx', '--input-type=module', '-e', script], {})
  t.is(code, 0, output)
  t.true(Number(output) < 0.5, output)
})
