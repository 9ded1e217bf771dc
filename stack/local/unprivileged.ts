import { execFileSync } from 'node:child_process'
import { accessSync, constants, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** PostgreSQL refuses to run as root; this is whom it runs as then. */
export interface Owner {
  name: string
  uid: number
  gid: number
}

const idOf = (flag: '-u' | '-g', name: string): number | undefined => {
  try {
    return Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim())
  } catch {
    return undefined // no such user
  }
}

/** Undefined unless we are root. No user is made for it: `postgres` where a package made one, else `nobody`. */
export function unprivilegedOwner(): Owner | undefined {
  if (process.getuid?.() !== 0) return undefined
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = [idOf('-u', name), idOf('-g', name)]
    if (uid && gid) return { name, uid, gid }
  }
  throw new Error('PostgreSQL cannot run as root, and there is no user postgres or nobody. Set DATABASE_URL instead.')
}

const may = (path: string, { uid, gid }: Owner, bits: number): boolean => {
  const { mode, uid: owner, gid: group } = statSync(path)
  const shift = owner === uid ? 6 : group === gid ? 3 : 0
  return ((mode >> shift) & bits) === bits
}

/** The first directory on the way to `path`, or `path` itself, that `owner` may not enter or run. */
export function barrier(path: string, owner: Owner): string | undefined {
  const parent = dirname(path)
  const above = parent === path ? undefined : barrier(parent, owner)
  return above ?? (may(path, owner, 0o1) ? undefined : path)
}

const CAP_DAC_OVERRIDE = 1n << 1n // capabilities(7)

function setpriv(): string | undefined {
  const held = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
  if (!held || !(BigInt(`0x${held}`) & CAP_DAC_OVERRIDE)) return undefined
  for (const path of ['/usr/bin/setpriv', '/bin/setpriv']) {
    try {
      accessSync(path, constants.X_OK)
      return path
    } catch {
      // the next place
    }
  }
  return undefined
}

export interface Invocation {
  command: string
  args: string[]
  uid?: number
  gid?: number
}

/**
 * How to run `command` as `owner`. A checkout below a private directory (root's home, a `mktemp -d`) cannot be
 * entered by anybody else; there the process keeps the one capability that lets it, given by setpriv(1).
 */
export function runAs(owner: Owner | undefined, command: string, args: string[], reaches: string[]): Invocation {
  if (!owner) return { command, args }
  const closed = [command, ...reaches].map((path) => barrier(path, owner)).find((path) => path !== undefined)
  if (closed === undefined) return { command, args, uid: owner.uid, gid: owner.gid }
  const through = process.platform === 'linux' ? setpriv() : undefined
  if (!through)
    throw new Error(
      `As root, PostgreSQL runs as the user ${owner.name}, who may not enter ${closed}. ` +
        'Move the project, start it as another user, or set DATABASE_URL.',
    )
  const identity = [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups']
  const capability = [
    '--inh-caps=-all,+dac_override',
    '--ambient-caps=-all,+dac_override',
    '--bounding-set=-all,+dac_override',
  ]
  return { command: through, args: [...identity, ...capability, '--', command, ...args] }
}
