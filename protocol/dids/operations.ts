const category = 'did'

/** Operations of DIDs, as protocol/operations.ts describes them. */
export const DID_OPERATIONS = {
  createDID: { name: 'DID_CREATE', category, changes: true },
  deleteDID: { name: 'DID_DELETE', category, changes: true },
  getDIDsList: { name: 'DID_RETRIEVE_LIST', category },
  resolveDID: { name: 'DID_RETRIEVE', category },
} as const
