import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { OidcSignIn } from '../../../entities/openid/verifiers.ts'
import { SIGN_IN_ENTRY } from '../../../protocol/openid/entries.ts'
import { invalidAnswer } from '../../../protocol/openid/verifiers/answers.ts'
import type { Dependencies } from '../../dependencies.ts'
import { addLogEntry } from '../../frame/log-entries.ts'
import type { Sealer } from '../../frame/sealing.ts'
import { digestOf } from '../../frame/secrets.ts'
import type { WalletDevice } from './secrets.ts'

export interface Place {
  tenantId: string
  verifierId: string
}

/** Who signed in, and what the client gets to know. */
export interface Account {
  subject: string
  claims: Record<string, unknown>
}

interface Content {
  /** Names the interaction of the browser. */
  interaction: string
  account?: Account
  /** SHA-256 of the accepted answer. */
  answerDigest?: string
}

const boundTo = ({ tenantId, id }: Pick<OidcSignIn, 'tenantId' | 'id'>) => `${tenantId}/openid/sign-ins/${id}`

export const over = () =>
  invalidAnswer('request_over', 'This request is not known, has ended, or was answered already. Begin a new sign-in.')

/** The rows of sign-ins. */
export function createSignInRows({ now, uuid, sealer }: Pick<Dependencies, 'now' | 'uuid'> & { sealer: Sealer }) {
  /** In any state. */
  async function find(em: SqlEntityManager, { verifierId }: Place, name: string, lock = false) {
    const digest = digestOf(name)
    const where = { verifierId, $or: [{ otherDeviceDigest: digest }, { sameDeviceDigest: digest }] }
    const row = await em.findOne(OidcSignIn, where, lock ? { lockMode: LockMode.PESSIMISTIC_WRITE } : {})
    if (!row) return undefined
    const device: WalletDevice = Buffer.from(row.sameDeviceDigest).equals(digest) ? 'same' : 'other'
    return { row, device }
  }

  return {
    sealed: (row: Pick<OidcSignIn, 'tenantId' | 'id'>, content: Content): Buffer =>
      sealer.seal(Buffer.from(JSON.stringify(content)), boundTo(row)),

    opened: (row: OidcSignIn): Content =>
      JSON.parse(sealer.open(row.content, boundTo(row)).toString('utf8')) as Content,

    byInteraction: (em: SqlEntityManager, { verifierId }: Place, interaction: string) =>
      em.findOne(OidcSignIn, { verifierId, interactionDigest: digestOf(interaction) }),

    /** The sign-in of a wallet's request, and on which device that is. Throws `sign_in.request_over`. */
    async byRequest(em: SqlEntityManager, place: Place, name: string, lock = false) {
      const found = await find(em, place, name, lock)
      if (found?.row.state !== 'WAITING' || found.row.expiresAt <= now()) throw over()
      return found
    },

    /** The sign-in that was accepted by the same answer to the same request, and may still be finished. */
    async answeredWith(em: SqlEntityManager, place: Place, name: string, answer: string) {
      const found = await find(em, place, name)
      if (found?.row.state !== 'PRESENTED' || found.row.expiresAt <= now() || found.row.answeredBy !== found.device)
        return undefined
      const { interaction, answerDigest } = this.opened(found.row)
      return answerDigest === answer ? { ...found, interaction } : undefined
    },

    /** `reason`: the check of the presentation that failed. */
    note(
      em: SqlEntityManager,
      row: OidcSignIn,
      outcome: 'SUCCESS' | 'FAIL',
      why: { code?: string; reason?: string } = {},
    ) {
      const { id, tenantId, requestId, verifierId, clientId } = row
      const metadata = { id, verifierId, oidcClientId: clientId, ...why }
      addLogEntry(em, { now, uuid }, { tenantId, requestId, ...SIGN_IN_ENTRY, outcome, metadata })
    },
  }
}

export type SignInRows = ReturnType<typeof createSignInRows>
