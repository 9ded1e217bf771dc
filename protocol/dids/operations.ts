const read = 'dids:read'
const write = 'dids:write'
const category = 'did'

/** Operations of DIDs, as protocol/operations.ts describes them. */
export const DID_OPERATIONS = {
  createDID: { scope: write, name: 'DID_CREATE', category, changes: true },
  deleteDID: { scope: write, name: 'DID_DELETE', category, changes: true },
  getDIDsList: { scope: read, name: 'DID_RETRIEVE_LIST', category },
  resolveDID: { scope: read, name: 'DID_RETRIEVE', category },
} as const
