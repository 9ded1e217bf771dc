import { createRequire } from 'node:module'

/** Of this program, which the header of a file names. */
export const platformVersion: string = createRequire(import.meta.url)('../../../package.json').version
