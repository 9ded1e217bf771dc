const category = 'privacy'

/** Operations that erase what is stored about persons, and that say how long it is kept. */
export const PRIVACY_OPERATIONS = {
  createErasure: { scope: 'administration:write', name: 'PRIVACY_ERASURE_CREATE', category, changes: true },
  listErasures: { scope: 'administration:read', name: 'PRIVACY_ERASURE_RETRIEVE_LIST', category },
  getErasure: { scope: 'administration:read', name: 'PRIVACY_ERASURE_RETRIEVE', category },
  getPrivacyRetention: { scope: 'administration:read', name: 'PRIVACY_RETENTION_RETRIEVE', category },
  updatePrivacyRetention: {
    scope: 'administration:write',
    name: 'PRIVACY_RETENTION_UPDATE',
    category,
    changes: true,
  },
} as const
