// npm drops an optional package of another platform from the lock when the registry at hand does not have it, and
// `npm ci` then refuses the lock. This writes such entries back: `node stack/complete-lock.mjs`, after `npm install`.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32', 'aix']
const PROCESSORS = ['arm64', 'arm', 'ia32', 'x64', 'ppc64', 's390x', 'riscv64', 'loong64', 'mips64el']

/** `@swc/core-linux-arm64-musl` runs on linux, arm64, musl: the names of such packages say where they run. */
function platformOf(name) {
  const parts = name.split('/').pop().split('-')
  const os = SYSTEMS.find((system) => parts.includes(system))
  const cpu = PROCESSORS.find((processor) => parts.includes(processor))
  if (!os || !cpu) throw new Error(`${name} is missing in the lock and its name does not tell where it runs`)
  const libc = parts.includes('musl')
    ? ['musl']
    : parts.includes('gnu') || parts.includes('gnueabihf')
      ? ['glibc']
      : undefined
  return { cpu: [cpu], ...(os === 'linux' && libc ? { libc } : {}), os: [os] }
}

const isListed = (packages, from, name) => {
  for (let at = from; ; at = at.slice(0, at.lastIndexOf('/node_modules/'))) {
    if (packages[`${at}/node_modules/${name}`.replace(/^\//, '')]) return true
    if (!at.includes('/node_modules/')) return Boolean(packages[`node_modules/${name}`])
  }
}

/** Optional packages that a listed package names and the lock does not have. */
export const missingFrom = ({ packages }) =>
  Object.entries(packages).flatMap(([path, { optionalDependencies = {}, dev }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => path !== '' && !isListed(packages, path, name))
      .map(([name, version]) => ({ name, version, dev })),
  )

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const file = join(fileURLToPath(new URL('..', import.meta.url)), 'package-lock.json')
  const lock = JSON.parse(readFileSync(file, 'utf8'))
  for (const { name, version, dev } of missingFrom(lock))
    lock.packages[`node_modules/${name}`] = {
      version,
      ...platformOf(name),
      ...(dev ? { dev: true } : {}),
      optional: true,
    }
  const [[root, project], ...rest] = Object.entries(lock.packages)
  lock.packages = Object.fromEntries([[root, project], ...rest.sort(([a], [b]) => a.localeCompare(b, 'en'))])
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
}
