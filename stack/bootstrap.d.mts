/** One sentence when this Node is too old to go on; undefined when it will do. */
export function tooOld(version: string): string | undefined
/** Whether node_modules, by npm's own record of it, holds what the lock in `root` says. */
export function holdsWhatTheLockSays(root: string): boolean
export function isInstalled(root: string): boolean
