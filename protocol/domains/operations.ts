const read = 'domains:read'
const write = 'domains:write'
const category = 'config-custom-domain'

/** Operations of custom domains, as protocol/operations.ts describes them. */
export const DOMAIN_OPERATIONS = {
  getListOfDomains: { scope: read, name: 'CONFIG_CUSTOM_DOMAIN_RETRIEVE_LIST', category },
  createDomain: { scope: write, name: 'CONFIG_CUSTOM_DOMAIN_CREATE', category, changes: true },
  getDomain: { scope: read, name: 'CONFIG_CUSTOM_DOMAIN_RETRIEVE', category },
  updateDomain: { scope: write, name: 'CONFIG_CUSTOM_DOMAIN_UPDATE', category, changes: true },
  verifyDomain: { scope: write, name: 'CONFIG_CUSTOM_DOMAIN_VERIFY', category },
  invalidateDomain: { scope: write, name: 'CONFIG_CUSTOM_DOMAIN_INVALIDATE', category, changes: true },
  deleteDomain: { scope: write, name: 'CONFIG_CUSTOM_DOMAIN_DELETE', category, changes: true },
} as const
