const read = 'administration:read'
const write = 'administration:write'
const category = 'trust-list'

/** Operations of trust lists, as protocol/operations.ts describes them. */
export const TRUST_LIST_OPERATIONS = {
  listTrustLists: { scope: read, name: 'TRUST_LIST_RETRIEVE_LIST', category },
  createTrustList: { scope: write, name: 'TRUST_LIST_CREATE', category, changes: true },
  getTrustList: { scope: read, name: 'TRUST_LIST_RETRIEVE', category },
  updateTrustList: { scope: write, name: 'TRUST_LIST_UPDATE', category, changes: true },
  refreshTrustList: { scope: write, name: 'TRUST_LIST_REFRESH', category, changes: true },
  deleteTrustList: { scope: write, name: 'TRUST_LIST_DELETE', category, changes: true },
} as const
