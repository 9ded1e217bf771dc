import { randomUUID } from 'node:crypto'
import { AuthenticationProvider } from '../../../entities/openid/providers.ts'
import { inTenant } from '../../../entities/orm.ts'
import type { World } from '../world.ts'

type Parts = Pick<World['dependencies'], 'database'>

/** A provider in its row, for tests that call none. */
export async function saveProvider({ database }: Parts, tenantId: string, claimsToPersist: string[] = ['email']) {
  const id = randomUUID()
  await inTenant(database.tenants, tenantId, async (em) => {
    em.create(AuthenticationProvider, {
      ...{ id, tenantId, url: 'https://login.university.example', clientId: 'countersign', scope: ['openid'] },
      ...{ claimsToPersist, forwardedParameters: [], staticParameters: {}, authMethod: 'client_secret_basic' },
      ...{ clientSecret: Buffer.from('sealed'), createdAt: new Date(), updatedAt: new Date() },
    })
  })
  return id
}
