import { HEAVY, runSuite } from './tests/suites.ts'

await runSuite(HEAVY)
