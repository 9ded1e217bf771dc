/** An export of a tenant. Operators’ work is the first tenant's. */
export interface ExportSubject {
  tenantId: string
  exportId: string
}

/** An import of a tenant. */
export interface ImportSubject {
  tenantId: string
  importId: string
}

/** `RUNNING`: its rows are being written. */
export type ExportState = 'RUNNING' | 'DONE' | 'FAILED'

/**
 * `RECEIVING`: an unfinished upload, which nobody sees. `CHECKING`: each line is compared with the rules; `WRITING`: rows are
 * written into a tenant that nobody finds yet. Of a failed one nothing stays but the row.
 */
export type ImportState = 'RECEIVING' | 'CHECKING' | 'WRITING' | 'DONE' | 'FAILED'
