import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { temporary } from '../support/stack/stack.ts'

interface Case {
  what: string
  /** What the two commands do, in the shell's language. */
  test?: string
  check?: string
  code: number
  last: string
}

const CASES: Case[] = [
  { what: 'everything passed', code: 0, last: '8 passed, 0 failed' },
  {
    what: 'a test failed',
    test: 'echo "7 passed, 1 failed, 2 skipped"; echo "npm error Lifecycle script"; exit 1',
    code: 1,
    last: '7 passed, 1 failed, 2 skipped',
  },
  { what: 'a failed test ended with 0', test: 'echo "7 passed, 1 failed"', code: 1, last: '7 passed, 1 failed' },
  { what: 'no test ran', test: 'echo "0 passed, 0 failed"', code: 1, last: '0 passed, 0 failed' },
  { what: 'the build broke', test: 'echo "tsoa ended with 1"; exit 1', code: 1, last: '0 passed, 0 failed' },
  { what: 'nothing was said', test: 'exit 0', code: 1, last: '0 passed, 0 failed' },
  {
    what: 'the check failed',
    test: 'echo "8 passed, 0 failed, 2 skipped"',
    check: 'echo "error TS2304"; exit 2',
    code: 1,
    last: '8 passed, 1 failed, 2 skipped',
  },
  { what: 'the check says counts', check: 'echo "9 passed, 0 failed"', code: 0, last: '8 passed, 0 failed' },
]

for (const { what, test: tests = 'echo "8 passed, 0 failed"; echo', check = 'exit 0', code, last } of CASES)
  test(`.ci/run ends with the counts and exit code ${code} when ${what}`, async (t) => {
    const root = temporary(t, 'ci')
    for (const folder of ['.ci', 'bin']) mkdirSync(join(root, folder))
    copyFileSync('.ci/run', join(root, '.ci', 'run'))
    const npm = `#!/bin/sh\ncase "$*" in\ntest) ${tests} ;;\n'run check') ${check} ;;\n*) exit 99 ;;\nesac\n`
    writeFileSync(join(root, 'bin', 'npm'), npm)
    chmodSync(join(root, 'bin', 'npm'), 0o755)
    const child = spawn(join(root, '.ci', 'run'), [], {
      env: { ...process.env, PATH: `${join(root, 'bin')}:${process.env.PATH}` },
    })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
    const [exit] = await once(child, 'close')
    t.is(exit, code)
    t.is(output.trimEnd().split('\n').at(-1), last)
  })
