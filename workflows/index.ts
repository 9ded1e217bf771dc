// The bundle's entry: every export here is a workflow. One line per area, by name, so that a search finds its users.
export { purgeExpired, reconcileWork } from './administration.ts'
export { deleteDid, reapKeys, registerWebDid } from './dids.ts'
export { signBatch } from './semantic-credentials.batches.ts'
export { notifyStatus } from './semantic-credentials.notifications.ts'
export { revokeCredentials } from './semantic-credentials.revocations.ts'
export { publishStatusLists } from './semantic-credentials.ts'
export { rotateTokenKeys } from './tokens-logs.ts'
