import type { World } from './world.ts'

export const ORGANIZATIONS = '/v1/organizations'

/** The operations on members and invitations, as an administrator unless `asker` is the token of somebody else. */
export const membershipsOf = (admin: () => Pick<World, 'ask' | 'token'>) => ({
  invite: (id: string, email: string, role = 'issuer', asker = admin().token) =>
    admin().ask(`${ORGANIZATIONS}/${id}/invitations`, { token: asker, body: { email, role } }),
  accept: (asker: string, secret: string) =>
    admin().ask('/v1/account/invitations', { token: asker, body: { token: secret } }),
  member: (id: string, accountId: string, method: string, body?: object, asker = admin().token) =>
    admin().ask(`${ORGANIZATIONS}/${id}/members/${accountId}`, { method, token: asker, body }),
})
