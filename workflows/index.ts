// The bundle's entry. What the files of the areas export are the workflows of the contract (protocol/workflows.ts).
export * from './administration.ts'
export * from './credentials.batches.ts'
export * from './credentials.notifications.ts'
export * from './credentials.revocations.ts'
export * from './credentials.ts'
export * from './dids.ts'
export * from './mobile-credentials.ts'
export * from './tokens-logs.ts'
