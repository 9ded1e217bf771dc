/** What a type of log entry is in a timeline; other types of events have their name already. */
const LOGGED: readonly (readonly [ending: string, type: string])[] = [
  ['_BATCH_CREATE_SUCCESS', 'batch.created'],
  ['_BATCH_PAUSE_SUCCESS', 'batch.paused'],
  ['_BATCH_RESUME_SUCCESS', 'batch.resumed'],
  ['_BATCH_CANCEL_SUCCESS', 'batch.cancelled'],
  ['_BATCH_COMPLETE_SUCCESS', 'batch.completed'],
  ['_QRCODE_CREATE_SUCCESS', 'qr_code.created'],
  ['_PDF_CREATE_SUCCESS', 'pdf.created'],
  ['_FAIL', 'operation.failed'],
]

export const eventType = (name: string): string => LOGGED.find(([ending]) => name.endsWith(ending))?.[1] ?? name

/** Log name of an operation, without its outcome. */
export const operationOf = (entry: string): string => entry.replace(/_(SUCCESS|FAIL)$/, '')
