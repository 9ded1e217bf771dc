import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { Unavailable } from '../../../protocol/errors.ts'
import { Barred, because, understood, VaultRefusal } from './answers.ts'
import type { CredentialSource, Credentials } from './credentials.ts'
import type { LoginGate } from './gate.ts'
import { type Lease, logIn, renew, type SessionCalls } from './lease.ts'

export type LoginOutcome = 'done' | 'refused' | 'unavailable'

export interface SessionParts {
  calls: SessionCalls
  source: CredentialSource
  gate: LoginGate
  log?: Pick<Logger, 'info' | 'error'>
  now?: () => number
  /** Called after each login. */
  loggedIn?(outcome: LoginOutcome): void
  /** Called with the time of the next login (ms since 1970) after Vault refused one to us or another process. */
  refusedUntil?(nextAt: number): void
}

export interface VaultSession {
  /** Returns the token; logs in when there is none, unless Vault refused that and the pause has not ended. */
  token(): Promise<string>
  /** Like `token`, but starts no login: a frequent check must not log in often. */
  standing(): Promise<string>
  /** Throws while it is too early to log in again. */
  assertMayLogIn(): void
  /**
   * Returns another token in place of one that Vault refused, which goes on until the login succeeded: Vault may have
   * refused one path alone. Undefined where there is no other, or where it was replaced a moment ago.
   */
  replace(refused: string): Promise<string | undefined>
  close(): Promise<void>
}

const SHORTEST_WAIT_MS = 250
const RETRY_MS = 1_000
/** Another process may have logged in meanwhile. */
const LOOK_MS = 5_000
const BUSY_MS = 50
/** Shortest time between replacements: a policy without a path refuses every token, and each new one costs a lease. */
const REPLACE_MS = 30_000
/** The longest delay a timer takes (2^31 - 1 ms). */
const LONGEST_WAIT_MS = 2_147_483_647

/** Error of a login or call that Vault refused again: an operator must act, callers may retry later. */
export const refusedByVault = (reason: string, waitMs = 30_000) =>
  new Barred('Vault refuses our token or its policy.', Math.max(1, Math.ceil(waitMs / 1000)), because(reason))

/** Vault answers 403 to a role that is locked out or may not log in from this address, and 400 to a wrong secret. */
const isLockedOut = ({ status }: VaultRefusal, credentials: Credentials) => 'roleId' in credentials && status === 403

const reasonOf = ({ message }: VaultRefusal, locked: boolean) =>
  locked ? `${message}: the role is locked out, or may not log in from here` : message

/**
 * Keeps one Vault token alive by itself, from the start on: renewed at two thirds of its life, and by AppRole replaced
 * when it nears its last (a renewal that grants less than half of the first life), when a renewal is refused, or when a
 * call was.
 */
export function createVaultSession(parts: SessionParts): VaultSession {
  const { calls, source, gate, log, now = Date.now, loggedIn, refusedUntil } = parts
  let current: Lease | undefined
  let fullSeconds = 0
  let pending: Promise<Lease> | undefined
  let refusal: { reason: string; until: number } | undefined
  let failure: Unavailable | undefined
  let failures = 0
  let replacedAt = Number.NEGATIVE_INFINITY
  /** The current token, where Vault refused a call with it and no login has succeeded since. */
  let doubted: string | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false

  const after = (ms: number, work: () => Promise<unknown>) => {
    clearTimeout(timer)
    if (closed) return
    timer = setTimeout(() => tend(work), Math.min(Math.max(ms, SHORTEST_WAIT_MS), LONGEST_WAIT_MS))
    timer.unref()
  }

  /** Repeats `work` until it succeeds; `login` stores and logs failures. */
  const tend = (work: () => Promise<unknown>): void => {
    work().catch(() => {
      failures += 1
      const waitMs = refusal ? refusal.until - now() : RETRY_MS * 2 ** Math.min(failures - 1, 10)
      after(Math.min(waitMs, LOOK_MS), current ? refresh : login)
    })
  }

  const keep = (lease: Lease): Lease => {
    clearTimeout(timer)
    failures = 0
    current = lease
    if (lease.seconds > 0) after((lease.seconds * 2000) / 3, refresh)
    return lease
  }

  const refused = (reason: string, waitMs: number): Unavailable => {
    const isKnown = refusal?.reason === reason && refusal.until > now()
    refusal = { reason, until: now() + waitMs }
    refusedUntil?.(refusal.until)
    if (!isKnown)
      log?.error({ part: 'keys', reason, nextInSeconds: Math.ceil(waitMs / 1000) }, 'the key store refused our login')
    return refusedByVault(reason, waitMs)
  }

  const admitted = async (credentials: Credentials): Promise<void> => {
    for (;;) {
      const admission = await gate.enter(credentials)
      if (admission.state === 'admitted') return
      if (admission.state === 'refused') throw refused(admission.reason, admission.waitMs)
      if (closed) throw new Unavailable('keys', 'The key store is closed.')
      await pause(BUSY_MS)
    }
  }

  const attempt = async (): Promise<Lease> => {
    const credentials = await source.read()
    await admitted(credentials)
    const lease = await logIn(calls, credentials).catch(async (error: unknown) => {
      const fault = understood(error)
      if (!(fault instanceof VaultRefusal)) {
        loggedIn?.('unavailable')
        await gate.left(credentials)
        throw fault
      }
      const locked = isLockedOut(fault, credentials)
      const reason = reasonOf(fault, locked)
      const waitMs = await gate.refused(credentials, { reason, lockedOut: locked })
      loggedIn?.('refused')
      throw refused(reason, waitMs)
    })
    if (refusal) log?.info({ part: 'keys' }, 'the key store accepts our login again')
    refusal = undefined
    doubted = undefined
    refusedUntil?.(0)
    fullSeconds = lease.seconds
    keep(lease)
    loggedIn?.('done')
    await gate.succeeded(credentials)
    return lease
  }

  /** One login at a time, however many callers wait for it. */
  const login = (): Promise<Lease> => {
    pending ??= attempt()
      .catch((error: unknown) => {
        failure = error instanceof Unavailable ? error : undefined
        throw error
      })
      .finally(() => {
        pending = undefined
      })
    return pending
  }

  const refresh = async (): Promise<Lease> => {
    if (!current?.renewable) return login()
    try {
      const next = await renew(calls, current)
      return source.kind === 'role' && next.seconds * 2 <= fullSeconds ? await login() : keep(next)
    } catch (error) {
      if (understood(error) instanceof VaultRefusal) return login()
      throw error
    }
  }

  const assertNotRefused = () => {
    if (!pending && refusal && refusal.until > now()) throw refusedByVault(refusal.reason, refusal.until - now())
  }
  const assertMayLogIn = () => {
    if (!current) assertNotRefused()
  }

  // a token that works needs no new login because its AppRole has another secret
  const unwatch = source.watch(() => {
    if (!current || source.kind === 'token') tend(login)
    else if (current.token === doubted) login().catch(() => undefined) // was logged; the token goes on, and is renewed
  })
  tend(login)

  return {
    assertMayLogIn,
    async token() {
      assertMayLogIn()
      return (current ?? (await login())).token
    },
    async standing() {
      const lease = current ?? (await pending)
      if (lease) return lease.token
      assertMayLogIn()
      throw failure ?? new Unavailable('keys', 'There is no Vault token yet.')
    },
    async replace(token) {
      if (current && current.token !== token) return current.token
      if (now() - replacedAt < REPLACE_MS) return undefined
      doubted = token
      assertNotRefused()
      const { token: fresh } = await login()
      replacedAt = now()
      return fresh === token ? undefined : fresh
    },
    async close() {
      closed = true
      clearTimeout(timer)
      unwatch()
      await pending?.catch(() => undefined) // its callers got the error
    },
  }
}
