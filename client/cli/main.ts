#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { connect, Problem } from '../index.ts'
import { batch } from './commands/batch.ts'
import { sign, status, verify } from './commands/credentials.ts'
import { didCreate, didList, didResolve, token } from './commands/dids.ts'
import { logs } from './commands/logs.ts'
import { isBrokenPipe, openOutput, showable } from './output.ts'
import { settingsFrom } from './settings.ts'
import { type Command, Usage } from './usage.ts'

const COMMANDS = new Map<string, Command>(
  Object.entries({
    token,
    'did create': didCreate,
    'did list': didList,
    'did resolve': didResolve,
    sign,
    verify,
    status,
    batch,
    logs,
  }),
)

const HELP = `countersign calls a platform as one of its clients.

${[...COMMANDS.values()].map(({ usage, about }) => `  countersign ${usage}\n      ${about}`).join('\n')}

FILE may be - for standard input. --json prints the answers as JSON, one a line. --scope takes a token with these scopes alone.
The platform and the client come from COUNTERSIGN_URL, COUNTERSIGN_CLIENT_ID and COUNTERSIGN_CLIENT_SECRET, or in the folder of
the project from .local/first-tenant.json.
Exit codes: 0 done, 1 refused or not verified, 2 wrong use.`

/** The command that the words name, and the words after it. */
function find(args: readonly string[]): { command: Command; rest: string[] } {
  const [first = '', second = ''] = args
  const two = COMMANDS.get(`${first} ${second}`)
  if (two) return { command: two, rest: args.slice(2) }
  const one = COMMANDS.get(first)
  if (one) return { command: one, rest: args.slice(1) }
  throw new Usage(first === '' ? HELP : `There is no command ${first}.\n\n${HELP}`)
}

function parse({ usage, options = {}, words, least = words }: Command, args: string[]) {
  const known = { ...options, json: { type: 'boolean' }, scope: { type: 'string' } } as const
  try {
    const { values, positionals } = parseArgs({ args, options: known, allowPositionals: true })
    if (positionals.length < least || positionals.length > words) throw new Usage(`Use: countersign ${usage}`)
    return { values: values as Record<string, string | boolean | string[] | undefined>, positionals }
  } catch (error) {
    if (error instanceof Usage) throw error
    // parseArgs names the option that it does not know
    throw new Usage(`${error instanceof Error ? error.message : String(error)}\nUse: countersign ${usage}`)
  }
}

async function run(args: string[]): Promise<number> {
  if (args.some((word) => word === '--help' || word === '-h')) {
    process.stdout.write(`${HELP}\n`)
    return 0
  }
  const { command, rest } = find(args)
  const { values, positionals } = parse(command, rest)
  const text = (name: string) => (typeof values[name] === 'string' ? values[name] : undefined)
  const scope = text('scope')
  const client = connect({ ...settingsFrom(process.env, process.cwd()), ...(scope ? { scope } : {}) })
  return command.run({
    words: positionals,
    text,
    texts: (name) => (Array.isArray(values[name]) ? values[name] : []),
    is: (name) => values[name] === true,
    client,
    output: openOutput(process, values.json === true, () => performance.now()),
  })
}

/** What to tell of a failure, and the exit code. */
function failure(error: unknown): { code: number; message: string } {
  if (error instanceof Usage) return { code: 2, message: error.message }
  if (error instanceof Problem) {
    const place = error.instance ? `\n(${error.code || 'no code'}, request ${error.instance})` : ''
    return { code: 1, message: `${error.message}${place}` }
  }
  const { message, cause } = error instanceof Error ? error : new Error(String(error))
  if (cause instanceof Error && cause.message === 'unexpected redirect')
    return {
      code: 1,
      message: 'The platform answers with a redirect, which is not followed. Is COUNTERSIGN_URL right?',
    }
  const reason =
    cause instanceof Error ? `: ${cause.message || ('code' in cause ? String(cause.code) : cause.name)}` : ''
  return {
    code: 1,
    message: message === 'fetch failed' ? `The platform does not answer${reason}` : `${message}${reason}`,
  }
}

// whoever reads may stop reading; then there is nothing left to do
process.stdout.on('error', (error) => {
  if (isBrokenPipe(error)) process.exit(0)
  throw error
})
process.exitCode = await run(process.argv.slice(2)).catch((error: unknown) => {
  if (isBrokenPipe(error)) return 0
  const { code, message } = failure(error)
  process.stderr.write(`${showable(message)}\n`)
  return code
})
