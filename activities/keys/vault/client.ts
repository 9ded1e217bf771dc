import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import createNodeVault from 'node-vault'
import type { Logger } from 'pino'
import type { VaultConfig } from '../../../config.ts'
import { Unavailable } from '../../../protocol/errors.ts'
import { type Fields, fields, understood, VaultRefusal } from './answers.ts'
import { type Breaker, createBreaker } from './breaker.ts'
import { credentialSource } from './credentials.ts'
import type { LoginGate } from './gate.ts'
import type { SessionCalls } from './lease.ts'
import { createVaultSession, type LoginOutcome, refusedByVault } from './session.ts'
import { transport } from './transport.ts'

/**
 * An engine of Vault over HTTP, with a breaker of its own. Paths are below its mount, and never contain a caller's text.
 * Throws `VaultRefusal` for 400 and 404, else `Unavailable('keys')`.
 */
export interface VaultEngine {
  read(path: string): Promise<Fields>
  write(path: string, data: object): Promise<Fields>
  remove(path: string): Promise<void>
  /** Returns the names below a path. */
  list(path: string): Promise<string[]>
}

export interface VaultClient {
  engine(mount: string): VaultEngine
  /** Throws `Unavailable('keys')` unless Vault is unsealed and knows our token. A good answer closes the breakers. */
  ready(): Promise<void>
  close(): Promise<void>
}

/** Observer of a client. */
export interface VaultObserver {
  loggedIn(outcome: LoginOutcome): void
  /**
   * The time of the next login (ms since 1970) after one that Vault refused to us or another process; 0 after a good
   * one.
   */
  refusedUntil(nextAt: number): void
  /** Whether calls of an engine are refused for now because Vault did not answer the last ones. */
  broken(open: boolean): void
}

export interface VaultClientParts {
  gate: LoginGate
  now?: () => number
  log?: Pick<Logger, 'info' | 'error'>
  observer?: VaultObserver
}

const SOCKETS = 32

/** Rejects after `ms`, even if the library still waits. */
async function within<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  const timeout = Promise.withResolvers<never>()
  const timer = setTimeout(() => timeout.reject(new Unavailable('keys', `Vault does not answer within ${ms} ms.`)), ms)
  try {
    return await Promise.race([work, timeout.promise])
  } finally {
    clearTimeout(timer)
  }
}

export function createVaultClient(config: VaultConfig, parts: VaultClientParts): VaultClient {
  const { now = Date.now, observer } = parts
  const source = credentialSource(config)
  const httpAgent = new HttpAgent({ keepAlive: true, maxSockets: SOCKETS })
  const httpsAgent = new HttpsAgent({ keepAlive: true, maxSockets: SOCKETS })
  const vault = createNodeVault({
    endpoint: config.address,
    requestOptions: { timeout: config.timeoutMs, httpAgent, httpsAgent },
    debug: () => undefined, // the library's own debug output prints secrets
    'request-promise': transport,
  })
  vault.token = ''
  const options = (token: string) => ({ headers: token === '' ? {} : { 'X-Vault-Token': token } })
  const calls: SessionCalls & Record<'remove' | 'list', (path: string, token: string) => Promise<Fields>> = {
    read: async (path, token) => fields(await vault.read(path, options(token))),
    write: async (path, data, token) => fields(await vault.write(path, data, options(token))),
    remove: async (path, token) => fields(await vault.delete(path, options(token))),
    list: async (path, token) => fields(await vault.list(path, options(token))),
  }
  const breakers: Breaker[] = []
  let open = 0
  const breakerOfEngine = (): Breaker => {
    const changed = (isOpen: boolean) => {
      open += isOpen ? 1 : -1
      observer?.broken(open > 0)
    }
    const breaker = createBreaker({ now, changed })
    breakers.push(breaker)
    return breaker
  }
  const answered = () => {
    for (const breaker of breakers) breaker.reset()
  }
  const loggedIn = (outcome: LoginOutcome) => {
    if (outcome === 'done') answered()
    observer?.loggedIn(outcome)
  }
  const session = createVaultSession({ ...parts, calls, source, loggedIn, refusedUntil: observer?.refusedUntil })

  const refusedToken = (error: unknown): VaultRefusal | undefined => {
    const failure = understood(error)
    return failure instanceof VaultRefusal && failure.status === 403 ? failure : undefined
  }

  /** Logs in again once after 403. */
  const authorised = async (work: (token: string) => Promise<Fields>): Promise<Fields> => {
    const token = await session.token()
    try {
      return await work(token)
    } catch (error) {
      const fresh = refusedToken(error) && (await session.replace(token))
      if (!fresh) throw error
      return work(fresh)
    }
  }

  const bounded = async (work: (token: string) => Promise<Fields>): Promise<Fields> => {
    try {
      return await within(config.timeoutMs, authorised(work))
    } catch (error) {
      const refusal = refusedToken(error)
      throw refusal ? refusedByVault(refusal.message) : understood(error)
    }
  }

  function engine(mount: string): VaultEngine {
    const breaker = breakerOfEngine()
    /** Throws for a refused login before the breaker, because that error has its own retry time. */
    const call = async (work: (token: string) => Promise<Fields>): Promise<Fields> => {
      session.assertMayLogIn()
      return breaker.run(() => bounded(work))
    }
    const at = (path: string) => `${mount}/${path}`
    return {
      read: (path) => call((token) => calls.read(at(path), token)),
      write: (path, data) => call((token) => calls.write(at(path), data, token)),
      async remove(path) {
        await call((token) => calls.remove(at(path), token))
      },
      async list(path) {
        try {
          const { data } = await call((token) => calls.list(at(path), token))
          const { keys } = fields(data)
          return Array.isArray(keys) ? keys.map(String) : []
        } catch (error) {
          if (error instanceof VaultRefusal && error.status === 404) return []
          throw error
        }
      },
    }
  }

  return {
    engine,
    async ready() {
      const health = await within(config.timeoutMs, calls.read('sys/health', '')).catch((error: unknown) => {
        throw understood(error)
      })
      // a standby passes requests on to the active node; a disaster-recovery secondary does not
      if (health.initialized !== true) throw new Unavailable('keys', 'Vault is not initialised.')
      if (health.sealed !== false) throw new Unavailable('keys', 'Vault is sealed.')
      if (health.replication_dr_mode === 'secondary') throw new Unavailable('keys', 'This Vault is a DR secondary.')
      const token = await within(config.timeoutMs, session.standing())
      try {
        await within(config.timeoutMs, calls.read('auth/token/lookup-self', token))
      } catch (error) {
        const refusal = refusedToken(error)
        if (!refusal) throw understood(error)
        session.replace(token).catch(() => undefined) // the next check shows the outcome
        throw refusedByVault(refusal.message)
      }
      answered()
    },
    async close() {
      await session.close()
      httpAgent.destroy()
      httpsAgent.destroy()
    },
  }
}
