import type { Frame } from '../../frame/index.ts'
import { createSealer } from '../../frame/sealing.ts'
import { createPeople } from '../accounts/people.ts'
import { createMailQueue } from '../mails/queue.ts'
import { createInvitations } from './invitations.ts'
import { createOrganizations } from './lifecycle.ts'
import { createMembers } from './members.ts'

/** Operations of organizations. */
export function composeOrganizations(frame: Frame) {
  const parts = { ...frame, sealer: createSealer(frame.config.masterKey, 'organizations') }
  const people = createPeople(frame.config.masterKey)
  return {
    organizations: createOrganizations(parts),
    organizationMembers: createMembers({ ...parts, people }),
    organizationInvitations: createInvitations({ ...parts, people, mails: createMailQueue(frame) }),
  }
}
