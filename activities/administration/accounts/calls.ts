import { Refusal } from '../../../protocol/errors.ts'
import { PLATFORM } from '../../frame/log-entries.ts'
import type { Call } from '../../frame/operations.ts'

/** A request of somebody who has not logged in. */
export interface StrangerCall {
  requestId: string
  /** As limits count it. */
  address: string
}

/** As a call of the first tenant, whose log has what strangers do. */
export const asCall = ({ requestId }: StrangerCall, tenantId: string): Call => ({
  tenantId,
  requestId,
  clientId: PLATFORM,
})

/** The account of a session's call. Throws `account.session_required` for the token of a program. */
export function accountOf({ clientId, sessionId }: Call): string {
  if (sessionId !== undefined) return clientId
  throw new Refusal(
    'account.session_required',
    'The operation is for people who have logged in, and the access token is of a program.',
  )
}

/** One for every reason, so that nobody learns who has an account. */
export const loginRefused = () => new Refusal('login.refused', 'The e-mail address or the password is wrong.')
