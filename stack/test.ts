import { runTests } from './test.run.ts'

await runTests(process.env, process.argv.slice(2))
