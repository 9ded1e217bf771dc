import base from './ava.config.js'

export default { ...base, files: ['test/**/*.heavy.ts'], timeout: '60m', concurrency: 1 }
