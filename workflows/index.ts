// The bundle's entry: every export here is a workflow. One line per area, by name, so that a search finds its users.
export { purgeExpired, reconcileWork } from './administration.ts'
export { signBatch } from './credentials.batches.ts'
export { notifyStatus } from './credentials.notifications.ts'
export { revokeCredentials } from './credentials.revocations.ts'
export { publishStatusLists } from './credentials.ts'
export { deleteDid, reapKeys, registerWebDid } from './dids.ts'
export { rotateTokenKeys } from './tokens-logs.ts'
