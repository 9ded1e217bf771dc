const read = 'openid:read'
const write = 'openid:write'
const category = 'user'
const hook = 'credential-provider'

/** Operations of authentication providers, users and the interaction hook, as protocol/operations.ts describes them. */
export const OPENID_OPERATIONS = {
  listAuthenticationProvider: { scope: read, name: 'USER_AUTHENTICATION_PROVIDER_RETRIEVE_LIST', category },
  createAuthenticationProvider: { scope: write, name: 'USER_AUTHENTICATION_PROVIDER_CREATE', category, changes: true },
  getAuthenticationProvider: { scope: read, name: 'USER_AUTHENTICATION_PROVIDER_RETRIEVE', category },
  updateAuthenticationProvider: { scope: write, name: 'USER_AUTHENTICATION_PROVIDER_UPDATE', category, changes: true },
  retrieveListOfUsers: { scope: read, name: 'USER_RETRIEVE_LIST', category },
  searchUsers: { scope: read, name: 'USER_SEARCH', category },
  deleteUser: { scope: write, name: 'USER_DELETE', category, changes: true },
  getOpenIDConfiguration: { scope: read, name: 'CREDENTIAL_PROVIDER_OPENID_CONFIGURATION_RETRIEVE', category: hook },
  updateOpenIDConfiguration: {
    scope: write,
    name: 'CREDENTIAL_PROVIDER_OPENID_CONFIGURATION_UPDATE',
    category: hook,
    changes: true,
  },
} as const
