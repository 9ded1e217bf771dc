const read = 'administration:read'
const write = 'administration:write'
const category = 'tenant-client'

/** Operations of a tenant's OAuth 2.0 clients. */
export const CLIENT_OPERATIONS = {
  getOAuth2Clients: { scope: read, name: 'TENANT_CLIENT_RETRIEVE_LIST', category },
  createOAuth2Client: { scope: write, name: 'TENANT_CLIENT_CREATE', category, changes: true },
  getOAuth2Client: { scope: read, name: 'TENANT_CLIENT_RETRIEVE', category },
  updateOAuth2Client: { scope: write, name: 'TENANT_CLIENT_UPDATE', category, changes: true },
  deleteOAuth2Client: { scope: write, name: 'TENANT_CLIENT_DELETE', category, changes: true },
} as const
