import { connectWith, Problem, type Schemas, type TokenSource } from '../../client/index.ts'

type Token = Schemas['SessionTokenOut']
export type Account = Schemas['AccountOut']

/** Somebody who has logged in. The token is only in memory: no script of another page, and no storage, has it. */
export interface Standing {
  account: Account
  scopes: ReadonlySet<string>
  tenantId: string | null
}

/** Before its end a token is renewed, so that none ends on the way. */
const RESERVE_MS = 60_000
/** Another tab refreshes the same session: its new cookie is there after a moment. */
const OTHER_TAB_MS = [300, 1_000, 3_000]
/** Requests with the cookie need it: no other site can set it (docs/accounts.md). */
const headers = { 'X-Requested-With': 'console' }

/** The operations of the platform, as somebody without a session. */
export const asNobody = connectWith({ baseUrl: location.origin })
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const isLateTab = (error: unknown) => error instanceof Problem && error.code === 'session.refreshed'
/** The session is over, or may not be used from here; anything else passes. */
const isOver = (error: unknown) => error instanceof Problem && [401, 403].includes(error.status)

let held: (Token & { renewAt: number }) | undefined
let pending: Promise<string> | undefined
let whenEnded: () => void = () => undefined

function keep(token: Token): Token {
  held = { ...token, renewAt: performance.now() + Math.max(token.expires_in * 1000 - RESERVE_MS, 1_000) }
  return token
}

async function refresh(tenantId: string | undefined): Promise<Token> {
  for (const wait of [...OTHER_TAB_MS, undefined])
    try {
      return keep(await asNobody.post('/v1/auth/refresh', { body: tenantId ? { tenantId } : {}, headers }))
    } catch (error) {
      if (wait === undefined || !isLateTab(error)) throw error
      await pause(wait)
    }
  throw new Error('the last try has its answer')
}

let last: Promise<unknown> = Promise.resolve()

/**
 * One refresh at a time, in their order: of two the later one would find its cookie used, and the earlier one would bring
 * its tenant back. `tenantOf` is asked when it is its turn.
 */
function refreshed(tenantOf: () => string | undefined): Promise<Token> {
  const next = last.then(() => refresh(tenantOf()))
  last = next.catch(() => undefined)
  return next
}

const heldTenant = () => held?.tenant_id ?? undefined

/** A new token of the same tenant: another tab may have chosen another one. Ends the page's session when it is refused. */
function renew(): Promise<string> {
  pending ??= refreshed(heldTenant)
    .then(({ access_token }) => access_token)
    .catch((error: unknown) => {
      if (isOver(error)) end()
      throw error
    })
    .finally(() => {
      pending = undefined
    })
  return pending
}

function end(): void {
  held = undefined
  whenEnded()
}

const tokens: TokenSource = {
  current: async () => (held && performance.now() < held.renewAt ? held.access_token : renew()),
  instead: async (refused) => (held && held.access_token !== refused ? held.access_token : renew()),
}

/** The operations of the platform, as the person who has logged in. */
export const api = connectWith({ baseUrl: location.origin, tokens })

async function standing(): Promise<Standing> {
  const account = await api.get('/v1/account')
  const [first] = account.organizations.flatMap(({ tenants }) => tenants)
  // a session is for no tenant at first
  if (held?.tenant_id == null && first) await refreshed(() => first.id)
  return { account, scopes: new Set(held?.scope.split(' ')), tenantId: held?.tenant_id ?? null }
}

/** The session of this browser, if it has one. */
export async function restore(): Promise<Standing | undefined> {
  try {
    await refreshed(() => undefined)
  } catch (error) {
    if (isOver(error)) return undefined
    throw error
  }
  return standing()
}

export async function logIn(body: Schemas['LoginIn']): Promise<Standing> {
  keep(await asNobody.post('/v1/auth/login', { body, headers }))
  return standing()
}

export async function switchTenant(tenantId: string): Promise<Standing> {
  await refreshed(() => tenantId)
  return standing()
}

/** With the scopes of a membership that has begun: in a tenant of the organization, if it has one. */
export async function standingIn(organizationId: string): Promise<Standing> {
  const { organizations } = await api.get('/v1/account')
  const tenant = organizations.find(({ id }) => id === organizationId)?.tenants[0]
  await refreshed(() => tenant?.id ?? heldTenant())
  return standing()
}

export async function logOut(): Promise<void> {
  await asNobody.post('/v1/auth/logout', { headers })
  end()
}

/** Calls when the session ends: by its owner, or because the platform refuses it. */
export const onEnd = (listener: () => void): void => {
  whenEnded = listener
}
