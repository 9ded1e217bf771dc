/** Position of a row in the order of the tables of work. */
export interface ReconcileCursor {
  work: number
  after?: string
}

export interface ReconcileRun {
  looked?: number
  started?: number
  left?: number
  /** Start of the run; absent for the first row. */
  next?: ReconcileCursor
}
