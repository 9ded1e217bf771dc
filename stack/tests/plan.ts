import { existsSync, globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Parts } from './parts.ts'

/** Variable of the environment: files of which `npm test` runs some cases run all of them. */
export const THOROUGH = 'COUNTERSIGN_TEST_THOROUGH'

/** A kind of test run. */
export interface Suite {
  root: string
  /** Which files, from the root. */
  files: string | string[]
  /** Files that hold the platform to times: they run after the others, one at a time. */
  timed: RegExp
  /** Files that need a process of their own; the others share a few. */
  apart: RegExp
  /** Files at a time. */
  concurrency: number
  /** So long may no test of a file end, unless one asked for more with t.timeout(). */
  silenceMs: number
  /** Fewer tests in a whole run are a failure; skipped ones count. */
  floor: number
  /** What a machine may lack, and tests may therefore be skipped. */
  parts: Parts
}

export interface PlannedFile {
  path: string
  /** As AVA takes it: with the lines that were asked for. */
  argument: string
}

export interface Plan {
  /** Nothing was left out. */
  whole: boolean
  /** Tests are chosen by title. */
  matching: string[]
  together: PlannedFile[]
  alone: PlannedFile[]
}

function read(args: string[]): { matching: string[]; patterns: string[] } {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { match: { type: 'string', short: 'm', multiple: true } },
    })
    return { matching: values.match ?? [], patterns: positionals }
  } catch (error) {
    throw new Error(`${(error as Error).message}. Use: npm test -- [FILE[:LINES]]… [--match '*TITLE*']…`)
  }
}

const slashes = (path: string): string => path.replaceAll('\\', '/')

/** The suite's files that a pattern means: a file with or without lines, a folder, or a glob. */
function selected(root: string, files: string[], pattern: string): PlannedFile[] {
  const lines = /:[\d,-]+$/.exec(pattern)?.[0] ?? ''
  const path = lines === '' ? pattern : pattern.slice(0, -lines.length)
  const isFolder = existsSync(join(root, path)) && statSync(join(root, path)).isDirectory()
  const found = new Set(globSync(isFolder ? `${path}/**` : path, { cwd: root }).map(slashes))
  const planned = files.filter((file) => found.has(file)).map((file) => ({ path: file, argument: `${file}${lines}` }))
  if (planned.length === 0) throw new Error(`No test file matches ${pattern}.`)
  return planned
}

/** Throws a sentence on arguments that mean nothing. */
export function planRun({ root, files: glob, timed }: Suite, args: string[]): Plan {
  const { matching, patterns } = read(args)
  const files = globSync(glob, { cwd: root }).map(slashes).sort()
  const chosen =
    patterns.length === 0
      ? files.map((path) => ({ path, argument: path }))
      : patterns.flatMap((pattern) => selected(root, files, pattern))
  const planned = [...new Map(chosen.map((file) => [file.argument, file])).values()]
  return {
    whole: args.length === 0,
    matching,
    together: planned.filter(({ path }) => !timed.test(path)),
    alone: planned.filter(({ path }) => timed.test(path)),
  }
}
