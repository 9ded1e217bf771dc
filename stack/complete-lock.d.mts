export interface Lock {
  packages: Record<string, { optionalDependencies?: Record<string, string>; dev?: boolean }>
}

/** Optional packages that a listed package names and the lock does not have. */
export function missingFrom(lock: Lock): { name: string; version: string; dev?: boolean }[]
