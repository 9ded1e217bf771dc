import { benchCommand } from '../bench/run.ts'
import { asCommand } from './command.ts'

/** `npm run bench [-- --only <format> --seconds <n>]`: see bench/README.md. */
await asCommand(() => benchCommand(process.env, process.argv.slice(2)))
process.exit()
