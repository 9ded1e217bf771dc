import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { buildConsole } from '../../stack/console.ts'

test('a start without changes builds no console, and a change builds it', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'console-'))
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  mkdirSync(join(root, 'build', 'console'), { recursive: true })
  mkdirSync(join(root, 'console'))
  writeFileSync(join(root, 'build', 'console', 'index.html'), 'as built before')
  writeFileSync(join(root, 'build', 'console.sha256'), 'same')
  const said: string[] = []
  await buildConsole(root, 'same', (line) => said.push(line))
  t.deepEqual(said, [])
  // there are no sources in this folder
  await t.throwsAsync(buildConsole(root, 'changed', (line) => said.push(line)))
  t.deepEqual(said, ['Building the console …'])
})
