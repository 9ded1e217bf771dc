const read = 'administration:read'
const write = 'administration:write'
const category = 'claim-source'

/** Operations of claim sources, as protocol/operations.ts describes them. */
export const CLAIM_SOURCE_OPERATIONS = {
  getClaimSourceList: { scope: read, name: 'CLAIM_SOURCE_RETRIEVE_LIST', category },
  createClaimSource: { scope: write, name: 'CLAIM_SOURCE_CREATE', category, changes: true },
  getClaimSource: { scope: read, name: 'CLAIM_SOURCE_RETRIEVE', category },
  updateClaimSource: { scope: write, name: 'CLAIM_SOURCE_UPDATE', category, changes: true },
  deleteClaimSource: { scope: write, name: 'CLAIM_SOURCE_DELETE', category, changes: true },
} as const
