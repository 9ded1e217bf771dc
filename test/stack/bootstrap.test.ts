import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import test from 'ava'
import { holdsWhatTheLockSays, tooOld } from '../../stack/bootstrap.mjs'

/** A folder with our bootstrap.mjs, an `npm` that only notes that it was called, and a `node` that runs `script`. */
function checkout(t: { teardown(work: () => void): void }, script = 'echo "$@"', npmWork = '') {
  const root = mkdtempSync(join(tmpdir(), 'countersign-bootstrap-'))
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  for (const folder of ['stack', 'bin']) mkdirSync(join(root, folder))
  copyFileSync('stack/bootstrap.mjs', join(root, 'stack', 'bootstrap.mjs'))
  for (const command of ['start', 'test', 'test-heavy']) writeFileSync(join(root, 'stack', `${command}.ts`), '')
  const lock = { packages: { '': {}, 'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' } } }
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify(lock))
  const node = `mkdir -p node_modules/.bin; printf '#!/bin/sh\\n%s\\n' '${script}' > node_modules/.bin/node; chmod +x node_modules/.bin/node`
  writeFileSync(join(root, 'bin', 'npm'), `#!/bin/sh\necho "$@" >> npm.log\n${npmWork || node}\n`)
  chmodSync(join(root, 'bin', 'npm'), 0o755)
  return root
}

function start(root: string, ...args: string[]) {
  const { npm_execpath, npm_lifecycle_event, ...env } = process.env
  const child = spawn(process.execPath, [join(root, 'stack', 'bootstrap.mjs'), ...args], {
    env: { ...env, PATH: `${join(root, 'bin')}:${process.env.PATH}` },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, output }))
  return { child, ended, output: () => output }
}

const installs = (root: string) =>
  existsSync(join(root, 'npm.log')) ? readFileSync(join(root, 'npm.log'), 'utf8').trim().split('\n') : []

test('a fresh clone installs the locked packages, then runs the command on the pinned Node', async (t) => {
  const root = checkout(t)
  const { code, output } = await start(root, 'start', '--local', 'x').ended
  t.is(code, 0)
  t.regex(output, /Installing the locked packages \(1\)/)
  t.true(output.includes('--import=tsx stack/start.ts --local x'))
  t.is(installs(root).length, 1)
  t.regex(installs(root)[0] ?? '', /^ci /)
})

test('a second command installs nothing; a changed lock installs again', async (t) => {
  const root = checkout(t)
  await start(root, 'test').ended
  await start(root, 'test').ended
  t.is(installs(root).length, 1)
  writeFileSync(
    join(root, 'package-lock.json'),
    JSON.stringify({ packages: { '': {}, 'node_modules/a': { version: '2.0.0' } } }),
  )
  await start(root, 'test').ended
  t.is(installs(root).length, 2)
})

test('two commands at once in a fresh clone install once', async (t) => {
  const npm = `sleep 0.5; mkdir -p node_modules/.bin; printf '#!/bin/sh\\nexit 0\\n' > node_modules/.bin/node; chmod +x node_modules/.bin/node`
  const root = checkout(t, '', npm)
  const both = await Promise.all([start(root, 'start').ended, start(root, 'test').ended])
  t.deepEqual(
    both.map(({ code }) => code),
    [0, 0],
  )
  t.is(installs(root).length, 1)
})

test('the lock of an installation that was killed does not block the next one', async (t) => {
  const root = checkout(t)
  const gone = spawn(process.execPath, ['-e', ''])
  await once(gone, 'exit')
  mkdirSync(join(root, '.local'))
  writeFileSync(join(root, '.local', 'install.lock'), String(gone.pid))
  t.is((await start(root, 'test').ended).code, 0)
})

test('a lock without a number, and one with the number of the waiting process itself, hold nobody up', async (t) => {
  const root = checkout(t)
  mkdirSync(join(root, '.local'))
  writeFileSync(join(root, '.local', 'install.lock'), '')
  t.is((await start(root, 'test').ended).code, 0)
  const again = checkout(t)
  mkdirSync(join(again, '.local'))
  // as in a container, where the first process has the same number at each start
  const itself = `const { writeFileSync } = require('node:fs'); writeFileSync('.local/install.lock', String(process.pid));
    process.argv[1] = '${join(again, 'stack', 'bootstrap.mjs')}'; process.argv[2] = 'test'; import(process.argv[1])`
  const { npm_execpath, npm_lifecycle_event, ...env } = process.env
  const child = spawn(process.execPath, ['-e', itself], {
    cwd: again,
    env: { ...env, PATH: `${join(again, 'bin')}:${env.PATH}` },
  })
  const late = setTimeout(() => child.kill('SIGKILL'), 60_000)
  t.deepEqual(await once(child, 'exit'), [0, null])
  clearTimeout(late)
})

test('whoever waits for an installation says for which process', async (t) => {
  const root = checkout(t)
  mkdirSync(join(root, '.local'))
  const lock = join(root, '.local', 'install.lock')
  writeFileSync(lock, String(process.pid))
  const { ended, output } = start(root, 'test')
  while (!output().includes(`Waiting for process ${process.pid}`)) await wait(50)
  rmSync(lock)
  t.is((await ended).code, 0)
})

test('packages that npm has put there itself are used as they are', async (t) => {
  const root = checkout(t)
  mkdirSync(join(root, 'node_modules', '.bin'), { recursive: true })
  writeFileSync(join(root, 'node_modules', '.bin', 'node'), '#!/bin/sh\nexit 0\n', { mode: 0o755 })
  copyFileSync(join(root, 'package-lock.json'), join(root, 'node_modules', '.package-lock.json'))
  t.is((await start(root, 'test').ended).code, 0)
  t.deepEqual(installs(root), [])
  const stamp = readFileSync(join(root, 'node_modules', '.countersign-lock.sha256'), 'utf8')
  t.is(
    stamp,
    createHash('sha256')
      .update(readFileSync(join(root, 'package-lock.json')))
      .digest('hex'),
  )
})

test('a package that is absent or has another version is noticed; an optional one may be absent', (t) => {
  const root = checkout(t)
  const record = (packages: object) => {
    mkdirSync(join(root, 'node_modules'), { recursive: true })
    writeFileSync(join(root, 'node_modules', '.package-lock.json'), JSON.stringify({ packages }))
  }
  t.false(holdsWhatTheLockSays(root))
  record({})
  t.false(holdsWhatTheLockSays(root))
  record({ 'node_modules/a': { version: '1.0.1', integrity: 'sha512-a' } })
  t.false(holdsWhatTheLockSays(root))
  record({ 'node_modules/a': { version: '1.0.0', integrity: 'sha512-b' } })
  t.false(holdsWhatTheLockSays(root))
  const lock = { packages: { '': {}, 'node_modules/b': { version: '1.0.0', optional: true } } }
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify(lock))
  t.true(holdsWhatTheLockSays(root))
})

test('a failed installation shows what npm said, and exits with 1', async (t) => {
  const root = checkout(t, '', 'echo "npm error network" >&2; exit 7')
  const { code, output } = await start(root, 'start').ended
  t.is(code, 1)
  t.regex(output, /npm error network[\s\S]*npm ci ended with 7/)
})

test('an exit code passes through', async (t) => {
  t.is((await start(checkout(t, 'exit 42'), 'test').ended).code, 42)
})

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
  test(`${signal} reaches the command, and the end that it makes of it passes through`, async (t) => {
    const name = signal.slice(3)
    const handles = start(checkout(t, `trap "exit 9" ${name}; echo ready; while :; do sleep 0.05; done`), 'start')
    while (!handles.output().includes('ready')) await wait(20)
    handles.child.kill(signal)
    t.is((await handles.ended).code, 9)
  })

test('a command that a signal ended is reported as such', async (t) => {
  const { signal } = await start(checkout(t, 'kill -KILL $$'), 'start').ended
  t.is(signal, 'SIGKILL')
})

test('test:heavy is a file name as well; an unknown command is one sentence', async (t) => {
  const root = checkout(t)
  t.true((await start(root, 'test:heavy').ended).output.includes('stack/test-heavy.ts'))
  const { code, output } = await start(root, 'destroy').ended
  t.is(code, 1)
  t.is(output.trim().split('\n').length, 1)
})

test('a Node that is too old gets one sentence that says which is needed', (t) => {
  t.regex(tooOld('18.20.8') ?? '', /^Countersign needs Node 20 or newer .*18\.20\.8/)
  t.is(tooOld('20.0.0'), undefined)
  t.is(tooOld('24.21.0'), undefined)
})
