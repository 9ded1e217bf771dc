import { randomBytes, randomUUID } from 'node:crypto'
import { noteGiven } from '../../../../activities/openid/reissuances/records.ts'
import { OpenIdReissuance } from '../../../../entities/openid/reissuances.ts'
import { inTenant } from '../../../../entities/orm.ts'
import { DAY_MS } from '../../../../protocol/time.ts'
import type { World } from '../../world.ts'

interface Given {
  sessionId: string
  credentialId: string
  template: string
}

/** What a wallet may get anew, in its row, and in a policy that lets it; no token leads to it. */
export async function saveReissuance(world: World, { sessionId, credentialId, template }: Given): Promise<string> {
  const { first, dependencies, ask, token } = world
  await ask('/v1/openid/wallet-policy', { method: 'PUT', token, body: { reissueDays: 30 } })
  const [id, now] = [randomUUID(), new Date()]
  const row = { tenantId: first.tenantId, id }
  await inTenant(dependencies.database.tenants, first.tenantId, async (em) => {
    em.create(OpenIdReissuance, {
      ...{ ...row, sessionId, userId: null, grantType: 'pre-authorized_code', clientId: 'client' },
      ...{ tokenDigest: randomBytes(32), walletClientId: '<b>wallet</b>', boundTo: 'dpop', keyThumbprint: 'key' },
      ...{ scope: null, grantedIds: [template], usesIdentifiers: false, content: Buffer.from('sealed') },
      ...{ templateIds: [template], credentialIds: [credentialId], uses: 3, usedAt: now },
      ...{ endsAt: new Date(now.getTime() + 20 * DAY_MS), createdAt: now, updatedAt: now },
    })
    await em.flush()
    await noteGiven(em, row, [credentialId])
  })
  return id
}
