import { createHmac } from 'node:crypto'
import { isUuid } from '../../../protocol/uuid.ts'
import { isSame, keyFor } from '../../frame/secrets.ts'

export interface RefreshToken {
  sessionId: string
  /** How many the session had before this one. */
  generation: number
}

const FORM = /^([0-9a-f-]{36})\.(\d{1,9})\.([\w-]{43})$/

/**
 * Refresh tokens name their session and generation, under a code that only we can make: rows have no secret of them, and
 * one that was used before is told from one that was never ours (D-626).
 */
export function createRefreshTokens(masterKey: Uint8Array) {
  const key = keyFor(masterKey, 'account-refresh-tokens')
  const mac = ({ sessionId, generation }: RefreshToken) =>
    createHmac('sha256', key).update(`${sessionId} ${generation}`).digest('base64url')
  return {
    write: (token: RefreshToken): string => `${token.sessionId}.${token.generation}.${mac(token)}`,

    /** undefined: we did not make it. */
    read(text: string | undefined): RefreshToken | undefined {
      const [, sessionId = '', generation = '', digest = ''] = FORM.exec(text ?? '') ?? []
      const token = { sessionId, generation: Number(generation) }
      return isUuid(sessionId) && isSame(digest, mac(token)) ? token : undefined
    },
  }
}

export type RefreshTokens = ReturnType<typeof createRefreshTokens>
