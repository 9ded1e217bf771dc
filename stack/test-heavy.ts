import { runTests } from './test.run.ts'

/** Long runs, soak and crash tests: `test/*.heavy.ts`. */
await runTests(process.env, ['--config', 'ava.heavy.config.js', ...process.argv.slice(2)])
