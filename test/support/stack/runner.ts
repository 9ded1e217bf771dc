import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pLimit from 'p-limit'
import { eventually, script, temporary } from './stack.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** AVA begins all tests of a file at once. */
const atATime = pLimit(3)

interface Settings {
  silenceMs?: number
  floor?: number
  /** Other files, from the project's root. */
  more?: Record<string, string>
}

const entry = (directory: string, { silenceMs = 20_000, floor = 0 }: Settings) => `
import { asCommand } from '${root}stack/command.ts'
import { runTests } from '${root}stack/tests/run.ts'

const suite = {
  root: '${directory}',
  files: 'test/**/*.test.ts',
  timed: /\\.timing\\.test\\.ts$/,
  apart: /^test\\/apart/,
  concurrency: 2,
  silenceMs: ${silenceMs},
  floor: ${floor},
  parts: { Water: () => true, Fire: () => false },
}
await asCommand(() => runTests(suite, process.env, process.argv.slice(2)))
`

const CONFIG = `
import { observeRun } from '${root}stack/tests/observer.ts'

export default {
  files: ['test/**/*.test.ts'],
  extensions: ['ts'],
  workerThreads: false,
  nonSemVerExperiments: { observeRunsFromConfig: true },
  observeRun,
}
`

/** A project of AVA tests in a folder of its own, and the platform's own runner on it. */
export function createProject(
  t: Parameters<typeof temporary>[0],
  files: Record<string, string>,
  settings: Settings = {},
) {
  const directory = temporary(t, 'project')
  mkdirSync(join(directory, 'node_modules'))
  for (const name of readdirSync(join(root, 'node_modules')))
    symlinkSync(join(root, 'node_modules', name), join(directory, 'node_modules', name))
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(directory, name)), { recursive: true })
    writeFileSync(join(directory, name), text)
  }
  write('package.json', '{ "type": "module" }')
  write('ava.config.js', CONFIG)
  write('run.ts', entry(directory, settings))
  for (const [name, text] of Object.entries(files))
    write(
      `test/${name}.test.ts`,
      `import { appendFileSync, existsSync } from 'node:fs'\nimport test from 'ava'\n${text}`,
    )

  for (const [name, text] of Object.entries(settings.more ?? {})) write(name, text)

  const start = (args: string[] = [], env: Record<string, string> = {}) =>
    script([join(directory, 'run.ts'), ...args], env)
  return {
    directory,
    /** One of its files in a process of its own, with the project as its working directory. */
    script: (name: string) => script([join(directory, name)], {}, { cwd: directory }),
    start,
    /** Lines that tests appended to `file`; empty before the first. */
    lines: (file: string): string[] => {
      try {
        return readFileSync(join(directory, file), 'utf8').trim().split('\n')
      } catch {
        return []
      }
    },
    run: (args: string[] = [], env: Record<string, string> = {}) =>
      atATime(async () => {
        const { ended, lines } = start(args, env)
        const { code } = await ended
        await eventually(() => lines.some((line) => / passed, /.test(line)), 2_000) // the last lines come after the end
        const after = (heading: string): string[] => {
          const begin = lines.indexOf(heading)
          const rest = begin < 0 ? [] : lines.slice(begin + 1)
          const listed = rest.slice(0, rest.indexOf('')).filter((line) => !line.startsWith(' '))
          return listed.map((line) => line.slice(2))
        }
        return {
          code,
          lines,
          last: lines.findLast((line) => line !== ''),
          failed: after('Failed:').toSorted(),
          flaky: after('Failed once and passed alone:'),
        }
      }),
  }
}
