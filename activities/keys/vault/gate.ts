import { createHmac } from 'node:crypto'
import type { Credentials } from './credentials.ts'

/** Logins with one AppRole or token since the last successful one. Times in ms since 1970. */
export interface PastLogins {
  refusals: number
  reason: string
  /** Digests of the secrets that were refused. */
  tried: string[]
  nextAt: number
  /** Until then another process is logging in; after that it has died. */
  tryingUntil: number
}

export const NO_LOGINS: PastLogins = { refusals: 0, reason: '', tried: [], nextAt: 0, tryingUntil: 0 }

/** Storage of past logins: in the database, so that all processes share them (vault/logins.ts). */
export interface LoginRecords {
  /** Changes a record; one change at a time over all processes. `undefined` deletes the record. */
  change<Result>(
    login: string,
    decide: (past: PastLogins, now: number) => readonly [kept: PastLogins | undefined, result: Result],
  ): Promise<Result>
}

/** Records of a single process. */
export function ownRecords(now: () => number): LoginRecords {
  const records = new Map<string, PastLogins>()
  return {
    async change(login, decide) {
      const [kept, result] = decide(records.get(login) ?? NO_LOGINS, now())
      if (kept) records.set(login, kept)
      else records.delete(login)
      return result
    },
  }
}

export type Admission =
  | { state: 'admitted' }
  /** Another process is logging in, and will have an outcome soon. */
  | { state: 'busy' }
  | { state: 'refused'; reason: string; waitMs: number }

export interface LoginGate {
  /** Call it before each login; an admitted caller reports the outcome by one of the other three. */
  enter(credentials: Credentials): Promise<Admission>
  succeeded(credentials: Credentials): Promise<void>
  /** Vault refused the credentials, or has locked the role out; returns the milliseconds until the next login. */
  refused(credentials: Credentials, refusal: { reason: string; lockedOut: boolean }): Promise<number>
  /** Vault did not answer, so the outcome is unknown. */
  left(credentials: Credentials): Promise<void>
}

/** Pauses after the first, second, … refusal, in milliseconds; the last one repeats. */
export interface LoginPauses {
  role: readonly number[]
  token: readonly number[]
  /** After an answer that the role is locked out; such a login does not count. */
  lockedOut: number
}

const MINUTE_MS = 60_000

/**
 * Vault locks a role out for 15 minutes after 5 refusals without 15 minutes between two of them (Vault, User lockout).
 * So a secret is tried at once, after 1 s, after 5 minutes, and then every 16 minutes, when Vault has reset its count:
 * a new wrong secret in between does not lock the role out either (D-210).
 */
export const LOGIN_PAUSES: LoginPauses = {
  role: [1_000, 5 * MINUTE_MS, 16 * MINUTE_MS],
  token: [...Array.from({ length: 9 }, (_, nth) => 1_000 * 2 ** nth), 5 * MINUTE_MS],
  lockedOut: 5 * MINUTE_MS,
}

/** Pauses are up to a fifth longer, so that installations that share a Vault do not ask in step. */
const JITTER = 0.2
/** Stored digests; every new one means that an operator changed the secret. */
const MOST_TRIED = 20

export interface LoginGateOptions {
  address: string
  records: LoginRecords
  /** Key of the digests, so that nobody can guess a secret from a record. */
  masterKey: Uint8Array
  /** Milliseconds until a call of Vault counts as failed; after twice that, a process that logs in counts as dead. */
  timeoutMs: number
  random?: () => number
  pauses?: LoginPauses
}

/** Lets one process at a time log in, and after a refusal none for a while, unless it has another secret. */
export function createLoginGate(options: LoginGateOptions): LoginGate {
  const { address, records, masterKey, timeoutMs, random = Math.random, pauses = LOGIN_PAUSES } = options
  const digest = (...parts: string[]) =>
    createHmac('sha256', masterKey).update(JSON.stringify(parts)).digest('base64url')
  const loginOf = (credentials: Credentials) =>
    digest('login', address, 'roleId' in credentials ? credentials.roleId : 'token')
  const secretOf = (credentials: Credentials) =>
    digest('secret', address, 'roleId' in credentials ? credentials.secretId : credentials.token)

  return {
    enter(credentials) {
      const secret = secretOf(credentials)
      return records.change<Admission>(loginOf(credentials), (past, now) => {
        if (past.tryingUntil > now) return [past, { state: 'busy' }]
        if (past.nextAt > now && past.tried.includes(secret))
          return [past, { state: 'refused', reason: past.reason, waitMs: past.nextAt - now }]
        return [{ ...past, tryingUntil: now + 2 * timeoutMs }, { state: 'admitted' }]
      })
    },

    succeeded: (credentials) => records.change(loginOf(credentials), () => [undefined, undefined]),

    refused(credentials, { reason, lockedOut }) {
      const secret = secretOf(credentials)
      const list = 'roleId' in credentials ? pauses.role : pauses.token
      return records.change(loginOf(credentials), (past, now) => {
        const refusals = lockedOut ? past.refusals : past.refusals + 1
        const pause = lockedOut ? pauses.lockedOut : (list[refusals - 1] ?? list.at(-1) ?? 0)
        const waitMs = Math.round(pause * (1 + JITTER * random()))
        const others = past.tried.filter((known) => known !== secret).slice(1 - MOST_TRIED)
        const kept = { refusals, reason, tried: [...others, secret], nextAt: now + waitMs, tryingUntil: 0 }
        return [kept, waitMs]
      })
    },

    left: (credentials) =>
      records.change(loginOf(credentials), (past) => [
        past.refusals > 0 || past.nextAt > 0 ? { ...past, tryingUntil: 0 } : undefined,
        undefined,
      ]),
  }
}
