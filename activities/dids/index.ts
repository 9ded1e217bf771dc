import type { Frame } from '../frame/index.ts'
import { createAgreers } from './agreers.ts'
import { createDids } from './lifecycle.ts'
import { createLinkedDids } from './linked.ts'
import { createPublicDids, type ServicesOf } from './public.ts'
import { createDidRegistration } from './registration.ts'
import { createDidResolver } from './resolver.ts'
import { createSigners } from './signers.ts'
import { createDidStanding } from './standing.ts'

/** Operations of DIDs; `signers` and `agreers` are for the areas that sign or agree with a DID. */
export function composeDids(frame: Frame & { servicesOf: ServicesOf }) {
  const publicDids = createPublicDids(frame)
  const didResolver = createDidResolver({ ...frame, local: publicDids.hostedDocument })
  const registration = createDidRegistration({ ...frame, didResolver })
  const didStanding = createDidStanding({ ...frame, didResolver })
  const signers = createSigners({ ...frame, didStanding })
  const agreers = createAgreers({ ...frame, didStanding })
  const parts = { ...frame, didResolver, didStanding, registration, signers, agreers }
  return {
    didResolver,
    didStanding,
    registration,
    publicDids,
    signers,
    agreers,
    dids: createDids(parts),
    linkedDids: createLinkedDids(parts),
  }
}

export type DidArea = ReturnType<typeof composeDids>

/** Activities of the workflows of DIDs. */
export const didActivities = ({ registration }: Pick<DidArea, 'registration'>) => registration
