#!/usr/bin/env node
// The command line of the API in this project, from its sources; the published package has it compiled.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

if (!existsSync(fileURLToPath(new URL('../node_modules/tsx', import.meta.url)))) {
  console.error('The packages are not installed: run npm start or npm ci once.')
  process.exit(2)
}
const { register } = await import('tsx/esm/api')
register()
await import('../client/cli/main.ts')
