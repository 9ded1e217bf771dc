import type { Revocations } from '../credentials/revocations.ts'
import type { Frame } from '../frame/index.ts'
import { createSealer } from '../frame/sealing.ts'
import { createConfiguration } from './configuration.ts'
import { createAuthentication } from './providers/authentication.ts'
import { createClients } from './providers/clients.ts'
import { createProviders } from './providers/lifecycle.ts'
import { createReach } from './sessions/reach.ts'
import { createUserErasure } from './users/erase.ts'
import { createUserIndex } from './users/user-index.ts'
import { createUsers } from './users/users.ts'

/** Authentication providers, the users that they identify, and the interaction hook. */
export function composeOpenId(frame: Frame & { revocations: Pick<Revocations, 'beginHolder'> }) {
  const { masterKey } = frame.config
  const sealer = createSealer(masterKey, 'openid')
  const parts = { ...frame, sealer, index: createUserIndex(masterKey) }
  const clients = createClients(parts)
  const users = createUsers(parts)
  return {
    authenticationProviders: createProviders({ ...parts, clients }),
    authentication: createAuthentication({ ...parts, clients, users }),
    users,
    userErasure: createUserErasure({ ...parts, ...createReach(frame) }),
    openIdConfiguration: createConfiguration(parts),
  }
}
