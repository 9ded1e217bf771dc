import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { countsLine, tapReader } from '../stack/tap.ts'
import { filesOf } from '../stack/test.run.ts'

const read = (text: string) => {
  const failures: [string, string[]][] = []
  const reader = tapReader({ failed: (title, why) => failures.push([title, why]), counted: () => undefined })
  for (const line of text.split('\n')) reader.line(line)
  reader.end()
  return { counts: reader.counts, failures }
}

test('tests are counted as AVA reports them: passed, failed, skipped and announced ones', (t) => {
  const { counts } = read('TAP version 13\nok 1 - a › x\nnot ok 2 - a › y\nok 3 - b # SKIP\nnot ok 4 - c # TODO\n1..4')
  t.deepEqual(counts, { passed: 1, failed: 1, skipped: 2 })
})

test('what a test prints does not count, however it looks', (t) => {
  const { counts } = read('ok 1 - a\n#   not ok 2 - fake\n  ok 3 - fake\n    at: not ok 9\n# tests 1\n# pass 1')
  t.deepEqual(counts, { passed: 1, failed: 0, skipped: 0 })
})

test('a file that crashes or holds no test is a failure', (t) => {
  const { counts, failures } = read('not ok 1 - test/b.test.ts exited with a non-zero exit code: 3')
  t.is(counts.failed, 1)
  t.is(failures[0]?.[0], 'test/b.test.ts exited with a non-zero exit code: 3')
})

test('a failure is told with its reasons, up to the next test', (t) => {
  const { failures } = read('not ok 1 - y\n  ---\n    name: AssertionError\n    at: here\n  ...\nok 2 - z')
  t.deepEqual(failures, [['y', ['    name: AssertionError', '    at: here']]])
})

test('the last line is plain, and tells of skipped tests when there are any', (t) => {
  t.is(countsLine({ passed: 12, failed: 0, skipped: 0 }), '12 passed, 0 failed')
  t.is(countsLine({ passed: 12, failed: 3, skipped: 1 }), '12 passed, 3 failed, 1 skipped')
})

const CASES: [what: string, npm: string, code: number, last: string][] = [
  ['everything passed', 'echo "8 passed, 0 failed"; echo', 0, '8 passed, 0 failed'],
  [
    'a test failed',
    'echo "7 passed, 1 failed, 2 skipped"; echo "npm error Lifecycle script"; exit 1',
    1,
    '7 passed, 1 failed, 2 skipped',
  ],
  ['no test ran', 'echo "0 passed, 0 failed"', 1, '0 passed, 0 failed'],
  ['the build broke', 'echo "tsoa ended with 1"; exit 1', 1, '0 passed, 0 failed'],
  ['nothing was said', 'exit 0', 1, '0 passed, 0 failed'],
]

for (const [what, npm, code, last] of CASES)
  test(`.ci/run ends with the counts and exit code ${code} when ${what}`, async (t) => {
    const root = mkdtempSync(join(tmpdir(), 'countersign-ci-'))
    t.teardown(() => rmSync(root, { recursive: true, force: true }))
    for (const folder of ['.ci', 'bin']) mkdirSync(join(root, folder))
    copyFileSync('.ci/run', join(root, '.ci', 'run'))
    writeFileSync(join(root, 'bin', 'npm'), `#!/bin/sh\n[ "$*" = test ] || exit 99\n${npm}\n`)
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

test('a failure leads to its file; one that names none has no second chance', (t) => {
  const ended = 'test/stack.test.ts exited with a non-zero exit code: 1'
  t.deepEqual(filesOf(['stack.tap › a title', 'stack.tap › another › part', ended]), [
    'test/stack.tap.test.ts',
    'test/stack.test.ts',
  ])
  t.is(filesOf(['stack.tap › a title', 'activities/index.ts:15']), undefined)
  t.is(filesOf(['nowhere › a title']), undefined)
})
