import { runSuite, TESTS } from './tests/suites.ts'

await runSuite(TESTS)
