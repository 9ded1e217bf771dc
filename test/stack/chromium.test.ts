import anyTest from 'ava'
import { openChromium } from '../support/parts/chromium.ts'
import { needs } from '../support/parts.ts'
import { descendants } from '../support/stack/stack.ts'

const test = needs('Chromium', anyTest.serial)

test('a Chromium that hangs is ended, with all of its processes, and a file of tests ends with it', async (t) => {
  t.timeout(60_000)
  const before = descendants(process.pid)
  const browser = await openChromium(1_000)
  await (await browser.newPage()).goto('about:blank')
  const started = descendants(process.pid).filter((pid) => !before.includes(pid))
  t.true(started.length > 1)
  for (const pid of started) process.kill(pid, 'SIGSTOP')
  await browser.close()
  t.deepEqual(
    descendants(process.pid).filter((pid) => started.includes(pid)),
    [],
  )
})
