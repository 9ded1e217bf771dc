import { writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { VARIABLES } from '../config.ts'

const HEADER = `# Every variable that Countersign reads, with its default. Copy this file to .env and change what you need: npm start
# and docker compose read .env. A variable that is set elsewhere wins; an empty one counts as not set.
# Written by stack/env-example.ts from config.ts.
`

/** Contents of .env.example: what a variable is for, with its unit, then the variable with its default, commented out. */
export const renderExample = (variables: Readonly<Record<string, { default: string; about: string }>>): string =>
  HEADER +
  Object.entries(variables)
    .map(([name, { about, default: value }]) => `\n# ${about}\n# ${name}=${value}\n`)
    .join('')

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  writeFileSync(fileURLToPath(new URL('../.env.example', import.meta.url)), renderExample(VARIABLES))
