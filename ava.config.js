export default {
  files: ['test/**/*.test.ts'],
  extensions: ['ts'],
  nodeArguments: ['--import=tsx'],
  timeout: '5m',
  concurrency: 2,
}
