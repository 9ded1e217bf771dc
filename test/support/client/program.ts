import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { World } from '../world.ts'

const PROGRAM = fileURLToPath(new URL('../../../stack/countersign.mjs', import.meta.url))

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

export interface Start {
  env?: Record<string, string | undefined>
  /** Given on standard input. */
  input?: string | Uint8Array
  cwd?: string
}

/** The command line as a process of its own, in an environment that names no platform but the one given. */
export function start(args: string[], { env = {}, cwd }: Start = {}) {
  const { COUNTERSIGN_URL, COUNTERSIGN_CLIENT_ID, COUNTERSIGN_CLIENT_SECRET, ...rest } = process.env
  return spawn(process.execPath, [PROGRAM, ...args], { cwd, env: { ...rest, ...env }, stdio: 'pipe' })
}

export function run(args: string[], { input = '', ...options }: Start = {}): Promise<Ended> {
  const child = start(args, options)
  const parts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      parts[name] += text
    })
  child.stdin.on('error', () => undefined) // it may end before it reads
  child.stdin.end(input)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, ...parts }))
  })
}

export const environmentOf = ({ url, first }: World) => ({
  COUNTERSIGN_URL: url,
  COUNTERSIGN_CLIENT_ID: first.clientId,
  COUNTERSIGN_CLIENT_SECRET: first.clientSecret,
})
