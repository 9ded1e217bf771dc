import { Refusal } from '../../../protocol/errors.ts'
import type { Presented } from '../../../protocol/openid/dcql/token.ts'
import type { Stated } from '../../../protocol/openid/verifiers/claims.ts'
import type { PresentationChecks, PresentationSession } from '../presentations/verify.ts'

/** A presentation that verified. */
export interface Verified {
  /** Of the credential of the request that it answers. */
  id: string
  /** Who presented it: a DID, or the thumbprint of a device key. */
  holder: string
  stated: Stated
}

/** The log has the check alone: what it found may name people. */
const refused = (check: string, evidence: string) =>
  new Refusal('sign_in.presentation_refused', `The presentation was not accepted. ${check}: ${evidence}`, [
    { path: 'vp_token', code: check, message: evidence },
  ])

/** Signs people in by what they present: all of it has to verify, and to be of one holder. */
export const createSignInChecks = ({ presentationChecks }: { presentationChecks: PresentationChecks }) => ({
  /** Throws `Refusal('sign_in.presentation_refused')` with the first check that failed. */
  async verifyAll(
    tenantId: string,
    presented: readonly Presented[],
    session: PresentationSession,
  ): Promise<Verified[]> {
    const checked = await presentationChecks.verifyAll(tenantId, presented, session)
    const verified = checked.map(({ verdict: { id, reason, holder }, stated }) => {
      const [failure] = reason
      if (failure) throw refused(failure.type, failure.message)
      if (holder === undefined) throw refused('holder', 'Nobody proved to be the holder of the credential.')
      return { id, holder, stated }
    })
    const dids = new Set(verified.map(({ holder }) => holder).filter((holder) => holder.startsWith('did:')))
    if (dids.size > 1) throw refused('holder', 'The presentations are of different holders.')
    return verified
  },
})

export type SignInChecks = ReturnType<typeof createSignInChecks>
