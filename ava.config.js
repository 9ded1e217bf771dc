import { observeRun } from './stack/tests/observer.ts'

/** Of one file in its process; which files run, how many at a time and how long: stack/tests/suites.ts. */
export default {
  files: ['test/**/*.{test,heavy}.ts'],
  extensions: ['ts'],
  // processes, not threads: Temporal's native core does not survive the end of a thread
  workerThreads: false,
  nodeArguments: [`--import=${new URL('stack/tests/typescript.mjs', import.meta.url)}`],
  timeout: '5m',
  utilizeParallelBuilds: false,
  nonSemVerExperiments: { observeRunsFromConfig: true },
  observeRun,
}
