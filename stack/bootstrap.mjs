// Runs on whatever Node the machine has: installs the locked packages, among them the pinned Node 24, and hands over.
// Plain JavaScript without packages, because none are there yet.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'

const OLDEST_NODE = 20
const projectRoot = join(dirname(fileURLToPath(import.meta.url)), '..')

/** One sentence when this Node is too old to go on; undefined when it will do. */
export const tooOld = (version) =>
  Number(version.split('.')[0]) < OLDEST_NODE
    ? `Countersign needs Node ${OLDEST_NODE} or newer to start (this is ${version}); it then brings its own Node 24.`
    : undefined

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'))

/** Whether node_modules, by npm's own record of it, holds what the lock says; packages of other machines may be absent. */
export function holdsWhatTheLockSays(root) {
  const record = join(root, 'node_modules', '.package-lock.json')
  if (!existsSync(record)) return false
  const installed = readJson(record).packages
  return Object.entries(readJson(join(root, 'package-lock.json')).packages).every(([path, wanted]) => {
    if (path === '') return true
    const found = installed[path]
    if (!found) return wanted.optional === true
    return found.version === wanted.version && found.integrity === wanted.integrity
  })
}

const stampFile = (root) => join(root, 'node_modules', '.countersign-lock.sha256')
const lockHash = (root) =>
  createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
const nodeProgram = (root) => join(root, 'node_modules', '.bin', 'node')

export function isInstalled(root) {
  if (!existsSync(nodeProgram(root))) return false
  if (existsSync(stampFile(root)) && readFileSync(stampFile(root), 'utf8') === lockHash(root)) return true
  if (!holdsWhatTheLockSays(root)) return false
  writeFileSync(stampFile(root), lockHash(root))
  return true
}

const isAlive = (pid) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** The process that an installation's lock names; undefined where the lock is gone. */
function holderOf(lock) {
  try {
    return Number(readFileSync(lock, 'utf8'))
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
    return undefined
  }
}

/** Two commands at once in a fresh clone: one installs, the other waits for it. */
async function alone(root, work) {
  const lock = join(root, '.local', 'install.lock')
  const own = `${lock}.${process.pid}`
  mkdirSync(dirname(lock), { recursive: true, mode: 0o700 })
  writeFileSync(own, String(process.pid))
  let isTold = false
  try {
    for (;;) {
      try {
        linkSync(own, lock)
        break
      } catch (error) {
        if (error.code !== 'EEXIST') throw error
        const holder = holderOf(lock)
        if (holder === undefined) continue
        // a number of our own is that of a process before us, as in containers; none is left by a machine that went off
        if (!(holder > 0) || holder === process.pid || !isAlive(holder)) rmSync(lock, { force: true })
        else {
          if (!isTold) console.log(`Waiting for process ${holder}, which installs the packages (${lock}) …`)
          isTold = true
          await wait(200)
        }
      }
    }
    return await work()
  } finally {
    rmSync(own, { force: true })
    if (existsSync(lock) && readFileSync(lock, 'utf8') === String(process.pid)) rmSync(lock)
  }
}

/** `npm ci`, with one line that shows it goes on; what npm says is shown when it fails. */
async function install(root) {
  const npm = process.env.npm_execpath?.endsWith('.js') ? [process.execPath, process.env.npm_execpath] : ['npm']
  const args = [
    ...npm.slice(1),
    'ci',
    '--include=dev',
    '--include=optional',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]
  const begun = Date.now()
  const packages = Object.keys(readJson(join(root, 'package-lock.json')).packages).length - 1
  const text = () => `Installing the locked packages (${packages}) … ${Math.round((Date.now() - begun) / 1000)} s`
  const terminal = process.stdout.isTTY
  if (!terminal) console.log(text())
  const show = () => (terminal ? process.stdout.write(`\r\x1b[K${text()}`) : console.log(text()))
  const timer = setInterval(show, terminal ? 500 : 15_000)
  const child = spawn(npm[0], args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  const stop = (signal) => {
    child.kill(signal)
    process.exit(1)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, stop)
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk))
  const code = await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', resolve)
  })
  clearInterval(timer)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(signal, stop)
  if (terminal) process.stdout.write('\r\x1b[K')
  if (code !== 0) throw new Error(`${said.trim()}\nThe packages could not be installed: npm ci ended with ${code}.`)
  if (!existsSync(nodeProgram(root)))
    throw new Error(
      'The package `node` has no program for this machine: its install script did not run, or its optional package is missing.',
    )
  writeFileSync(stampFile(root), lockHash(root))
  console.log(`Installed ${packages} packages in ${Math.round((Date.now() - begun) / 1000)} s`)
}

/** `stack/<name>.ts`, or of a command with parts of its own `stack/<name>/command.ts`; undefined for no command. */
function scriptOf(root, command) {
  const name = command.replaceAll(':', '-')
  return [`${name}.ts`, join(name, 'command.ts')]
    .map((path) => join('stack', path))
    .find((path) => existsSync(join(root, path)))
}

/** Replaces this process as far as Node lets it: same terminal, same signals, same end. */
function handOver(root, command, script, args) {
  const binaries = join(root, 'node_modules', '.bin')
  const node = nodeProgram(root)
  // a test run is the same for everybody: these alone take a .env file
  const configured =
    ['start', 'backup', 'restore', 'restored', 'tenants', 'logs', 'keys'].includes(command) &&
    existsSync(join(root, '.env'))
  const flags = ['--import=tsx', ...(configured ? ['--env-file=.env'] : [])]
  // what V8 compiled once is kept: a process of ours then starts in three quarters of the time
  const NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules', '.cache', 'compiled')
  const env = { ...process.env, PATH: `${binaries}:${process.env.PATH ?? ''}`, NODE_COMPILE_CACHE }
  let child
  // before the command runs, so that none is lost in between
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child?.kill(signal))
  child = spawn(node, [...flags, script, ...args], { cwd: root, stdio: 'inherit', env })
  // npm that was killed outright cannot pass a signal on
  const parent = process.ppid
  if (process.env.npm_lifecycle_event) setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 500).unref()
  child.once('error', (error) => {
    console.error(`${node} cannot be started: ${error.message}`)
    process.exit(1)
  })
  child.once('exit', (code, signal) => {
    if (!signal) process.exit(code ?? 1)
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(name)
    process.kill(process.pid, signal)
  })
}

async function main(root, [command, ...args]) {
  const problem = tooOld(process.versions.node)
  if (problem) throw new Error(problem)
  const script = command && scriptOf(root, command)
  if (!script)
    throw new Error(
      `There is no command ${command ?? '(none given)'}: use npm start, npm test, npm run build or npm run bench.`,
    )
  if (!isInstalled(root)) await alone(root, async () => isInstalled(root) || install(root))
  handOver(root, command, script, args)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  main(projectRoot, process.argv.slice(2)).catch((error) => {
    console.error(error.message)
    process.exitCode = 1
  })
