import { isAbsolute, relative } from 'node:path'
import type { FirstTenant } from './first-tenant.ts'

/** A path as a person in the project's folder would write it. */
const shown = (path: string): string => {
  const near = relative(process.cwd(), path)
  return near.startsWith('..') ? path : near
}

/** Works when pasted in the project's folder; the secret comes from the file, so that no shell history keeps it. */
function tokenCommand(first: FirstTenant, file: string): string {
  const path = shown(file)
  const from = isAbsolute(path) ? path : `./${path}`
  const body = `const t=require('${from}');JSON.stringify({clientId:t.clientId,clientSecret:t.clientSecret,grantType:'client_credentials'})`
  return `curl -s ${first.baseUrl}/v1/auth/token -H 'content-type: application/json' -d "$(node -p "${body}")"`
}

export interface Summary {
  first: FirstTenant
  file: string
  /** Empty for a Temporal that was there before. */
  temporalCommand: string
  seconds: number
  logDirectory: string
  notes: string[]
}

/** What a newcomer needs next. */
export function summary({ first, file, temporalCommand, seconds, logDirectory, notes }: Summary): string {
  const cli: [string, string][] = temporalCommand ? [['Temporal CLI', temporalCommand]] : []
  const rows: [string, string][] = [
    ['API', first.baseUrl],
    ['Docs', first.docsUrl],
    ['Console', `${first.baseUrl}/console (docs/console.md)`],
    ['Temporal UI', first.temporalUiUrl || 'not known: set TEMPORAL_UI_URL'],
    ...cli,
    ['First client', `id and secret are in ${shown(file)}`],
    ['Logs', `${shown(logDirectory)}/`],
  ]
  const lines = rows.map(([name, value]) => `  ${name.padEnd(14)}${value}`)
  const title = `Countersign is ready (${seconds.toFixed(1)} s)`
  return [
    '',
    title,
    '',
    ...lines,
    ...notes.map((note) => `  ${note}`),
    '',
    '  To get an access token, paste this command:',
    '',
    tokenCommand(first, file),
    '',
    '  Ctrl-C stops everything.',
    '',
  ].join('\n')
}
