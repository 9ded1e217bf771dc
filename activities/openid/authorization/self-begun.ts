import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { OpenIdSession } from '../../../entities/openid/sessions.ts'
import type { LoginContent } from '../../../protocol/openid/oid4vci/authorization/types.ts'
import { walletRefusal } from '../../../protocol/openid/oid4vci/refusals.ts'
import type { Dependencies } from '../../dependencies.ts'
import { PLATFORM } from '../../frame/log-entries.ts'
import type { Sealer } from '../../frame/sealing.ts'
import type { Configurations } from '../sessions/configurations.ts'
import { addIssuances } from '../sessions/offers.ts'
import { sealContent } from '../sessions/records.ts'
import type { BrowserCall } from './begin.ts'

/** A session without an offer lasts this long, until its hook or its token gives it more. */
const SECONDS = 300

interface Parts extends Pick<Dependencies, 'outbox' | 'now' | 'uuid'> {
  sealer: Sealer
  configurations: Configurations
}

/** Sessions of wallets that began by themselves: from the login on, so that a stranger's requests start no workflows. */
export const createSelfBegun = ({ outbox, now, uuid, sealer, configurations }: Parts) => ({
  /** Returns the id of the new session. */
  async createSession(em: SqlEntityManager, call: BrowserCall, content: LoginContent): Promise<string> {
    const { tenantId, requestId } = call
    const { granted = [], providerId } = content
    const templates = await configurations.findTemplates(em, granted)
    if (templates.length < granted.length || !providerId)
      throw walletRefusal('access_denied', 'The issuer has deleted a credential configuration of the request.')
    const of = { id: uuid(), tenantId }
    const at = now()
    em.create(OpenIdSession, {
      ...of,
      ...{ grantType: 'authorization_code', state: 'OFFERED', providerId, requestId, clientId: PLATFORM },
      content: sealContent(sealer, of, { claims: {} }),
      steps: [{ step: 'LOGIN_BEGUN', at: at.toISOString() }],
      endsAt: new Date(at.getTime() + SECONDS * 1000),
      createdAt: at,
      updatedAt: at,
    })
    await em.flush()
    await addIssuances(em, { now, uuid }, of, templates)
    await outbox.start(em, 'issueOpenIdCredentials', { tenantId, sessionId: of.id }, { templateIds: granted })
    return of.id
  },
})

export type SelfBegun = ReturnType<typeof createSelfBegun>
