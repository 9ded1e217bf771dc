// What the workflows of the engine take and answer; protocol/workflows.ts says which.

export interface BatchSubject {
  tenantId: string
  batchId: string
}

export interface BatchRun extends BatchSubject {
  total: number
  /** First row that may be unfinished; finished rows after it are skipped. */
  next?: number
  signed?: number
  failed?: number
  chunkRows?: number
  /** Chunks until the workflow continues as a new run, to keep its history short. */
  chunksPerRun?: number
}

export interface BatchProgress {
  state: string
  total: number
  signed: number
  failed: number
}

export interface RevocationSubject {
  tenantId: string
  revocationId: string
}

export interface RevocationRun extends RevocationSubject {
  /** Slices until the workflow continues as a new run, to keep its history short. */
  slicesPerRun?: number
}

export interface RevocationProgress {
  /** `wait`: the last pass starts after every statement from before the request has ended. */
  phase: 'more' | 'wait' | 'done' | 'gone'
  checked: number
  revoked: number
}

export interface NotificationSubject {
  tenantId: string
  notificationId: string
}

export interface NotificationRun extends NotificationSubject {
  waits?: readonly ('1m' | '10m' | '1h' | '3h' | '8h' | '1s')[]
}
