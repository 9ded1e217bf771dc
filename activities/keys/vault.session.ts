import { Refusal, Unavailable } from '../../protocol/errors.ts'
import { type Fields, fields, text, understood, VaultRefusal } from './vault.answers.ts'

/** The two calls that a session makes; `token` is empty for a login. */
export interface SessionCalls {
  read(path: string, token: string): Promise<Fields>
  write(path: string, data: object, token: string): Promise<Fields>
}

export type Credentials = { token: string } | { roleId: string; secretId: string }

export interface VaultSession {
  /** The token to use now; logs in when there is none yet. */
  token(): Promise<string>
  /** Vault refused this token: a new one by AppRole, or undefined where there is nothing to log in with. */
  replace(refused: string): Promise<string | undefined>
  close(): void
}

interface Lease {
  token: string
  seconds: number
  renewable: boolean
}

const SHORTEST_WAIT_MS = 250
const RETRY_MS = 1_000
/** The longest delay a timer takes (2^31 - 1 ms). */
const LONGEST_WAIT_MS = 2_147_483_647

const lease = (auth: Fields): Lease => ({
  token: text(auth.client_token),
  seconds: Number(auth.lease_duration ?? 0),
  renewable: auth.renewable === true,
})

/**
 * Keeps one Vault token alive: renewed at two thirds of its life, and by AppRole replaced when it nears its last
 * (a renewal that grants less than half of the first life), when a renewal is refused, or when a call was.
 */
export function createVaultSession(calls: SessionCalls, credentials: Credentials): VaultSession {
  let current: Lease | undefined
  let fullSeconds = 0
  let pending: Promise<Lease> | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false

  const after = (ms: number, work: () => Promise<unknown>) => {
    clearTimeout(timer)
    if (closed) return
    const wait = Math.min(Math.max(ms, SHORTEST_WAIT_MS), LONGEST_WAIT_MS)
    timer = setTimeout(() => work().catch(() => after(RETRY_MS, work)), wait)
    timer.unref()
  }

  const keep = (kept: Lease): Lease => {
    current = kept
    if (kept.seconds > 0) after((kept.seconds * 2000) / 3, refresh)
    return kept
  }

  const first = async (): Promise<Lease> => {
    if ('roleId' in credentials) {
      const { roleId, secretId } = credentials
      const answer = await calls.write('auth/approle/login', { role_id: roleId, secret_id: secretId }, '')
      return lease(fields(answer.auth))
    }
    const { ttl, renewable } = fields((await calls.read('auth/token/lookup-self', credentials.token)).data)
    return { token: credentials.token, seconds: renewable === true ? Number(ttl) : 0, renewable: renewable === true }
  }

  /** One login at a time, however many callers wait for it. */
  const login = (): Promise<Lease> => {
    pending ??= first()
      .then(
        (made) => {
          fullSeconds = made.seconds
          return keep(made)
        },
        (error: unknown) => {
          const known = understood(error)
          throw known instanceof VaultRefusal ? lockedOut(known) : known
        },
      )
      .finally(() => {
        pending = undefined
      })
    return pending
  }

  const renewed = async (old: Lease): Promise<Lease> => {
    const answer = await calls.write('auth/token/renew-self', {}, old.token)
    return lease(fields(answer.auth))
  }

  const refresh = async (): Promise<unknown> => {
    if (!current?.renewable) return login()
    try {
      const next = await renewed(current)
      return 'roleId' in credentials && next.seconds * 2 <= fullSeconds ? login() : keep(next)
    } catch (error) {
      if (understood(error) instanceof VaultRefusal && 'roleId' in credentials) return login()
      throw error
    }
  }

  return {
    token: async () => (current ?? (await login())).token,
    async replace(refused) {
      if (!('roleId' in credentials)) return undefined
      return current && current.token !== refused ? current.token : (await login()).token
    },
    close() {
      closed = true
      clearTimeout(timer)
    },
  }
}

/** Throws `Refusal('key.store_refused')` on start where there is neither a token nor a whole AppRole. */
export function credentialsOf({
  token,
  roleId,
  secretId,
}: Record<'token' | 'roleId' | 'secretId', string>): Credentials {
  if (roleId && secretId) return { roleId, secretId }
  if (token) return { token }
  throw new Refusal(
    'key.store_refused',
    'VAULT_ADDR is set: set VAULT_ROLE_ID and VAULT_SECRET_ID as well, or VAULT_TOKEN.',
  )
}

/** A login or call that Vault refused although we tried again: an operator must act, callers may come back later. */
export const lockedOut = (refusal: VaultRefusal) =>
  new Unavailable('keys', `Vault refuses our token or its policy (${refusal.message}).`, 30)
