import { SchemaMismatch } from '../../../entities/schema.ts'

/**
 * Exit codes of a program that does not fit its database's schema (D-141), as sysexits(3) has them: EX_CONFIG,
 * EX_TEMPFAIL.
 */
export const SCHEMA_EXIT = { newer: 78, older: 75 } as const

/** Returns exit code and reason for a schema error; undefined for any other. */
export const schemaExit = (error: unknown): { code: number; reason: string } | undefined =>
  error instanceof SchemaMismatch ? { code: SCHEMA_EXIT[error.schema], reason: error.message } : undefined
