export default {
  files: ['test/**/*.test.ts'],
  extensions: ['ts'],
  // processes, not threads: Temporal's native core does not survive the end of a thread
  workerThreads: false,
  nodeArguments: ['--import=tsx'],
  timeout: '5m',
  concurrency: 2,
}
