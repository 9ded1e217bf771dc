const category = 'organization'

/** Operations of organizations, as protocol/operations.ts describes them. */
export const ORGANIZATION_OPERATIONS = {
  getOrganizations: { scope: 'accounts:read', name: 'ORGANIZATION_RETRIEVE_LIST', category },
  createOrganization: { scope: 'accounts:write', name: 'ORGANIZATION_CREATE', category, changes: true },
  getOrganization: { scope: 'accounts:read', name: 'ORGANIZATION_RETRIEVE', category },
  updateOrganization: { scope: 'accounts:write', name: 'ORGANIZATION_UPDATE', category, changes: true },
  listOrganizationMembers: { scope: 'accounts:read', name: 'ORGANIZATION_MEMBER_RETRIEVE_LIST', category },
  inviteOrganizationMember: { scope: 'accounts:write', name: 'ORGANIZATION_MEMBER_INVITE', category, changes: true },
  listOrganizationInvitations: { scope: 'accounts:read', name: 'ORGANIZATION_INVITATION_RETRIEVE_LIST', category },
  listOrganizationLegalAcceptances: {
    scope: 'accounts:read',
    name: 'ORGANIZATION_LEGAL_ACCEPTANCE_RETRIEVE_LIST',
    category,
  },
  withdrawOrganizationInvitation: {
    scope: 'accounts:write',
    name: 'ORGANIZATION_INVITATION_DELETE',
    category,
    changes: true,
  },
  updateOrganizationMember: { scope: 'accounts:write', name: 'ORGANIZATION_MEMBER_UPDATE', category, changes: true },
  removeOrganizationMember: { scope: 'accounts:write', name: 'ORGANIZATION_MEMBER_DELETE', category, changes: true },
} as const
