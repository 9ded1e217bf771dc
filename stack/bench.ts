import { buildAll } from './build.ts'
import { asCommand } from './command.ts'

/** `npm run bench`: bench/run.ts measures and writes bench/README.md. */
await asCommand(async () => {
  await buildAll(console.log)
  await import(new URL('../bench/run.ts', import.meta.url).href)
})
