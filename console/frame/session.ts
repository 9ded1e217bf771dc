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

/** The token of the page, and every one that it has had of its tenant. */
let held: (Token & { renewAt: number; given: ReadonlySet<string> }) | undefined
let pending: Promise<string> | undefined
let whenEnded: () => void = () => undefined

function keep(token: Token): Token {
  const isOfSame = held?.tenant_id === token.tenant_id && held?.account_id === token.account_id
  const given = new Set(isOfSame ? held?.given : []).add(token.access_token)
  held = { ...token, given, renewAt: performance.now() + Math.max(token.expires_in * 1000 - RESERVE_MS, 1_000) }
  return token
}

/** As the platform says it of a session that has ended. */
const over = () =>
  new Problem(new Response(null, { status: 401 }), {
    type: '/problems#session.invalid',
    detail: 'The session of this page has ended: log in again.',
  })

async function asked(tenantId: string | undefined): Promise<Token> {
  for (const wait of [...OTHER_TAB_MS, undefined])
    try {
      return await asNobody.post('/v1/auth/refresh', { body: tenantId ? { tenantId } : {}, headers })
    } catch (error) {
      if (wait === undefined || !isLateTab(error)) throw error
      await pause(wait)
    }
  throw new Error('the last try has its answer')
}

/** Whoever the page shows is whom it goes on for: another tab may have ended that session, or begun one of somebody else. */
async function ofSamePerson<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  const whose = held?.account_id
  const answer = await ask()
  if (held?.account_id !== whose) throw over()
  return answer
}

/** A new token, which the page does not use yet. */
async function refresh(tenantId: string | undefined): Promise<Token> {
  const token = await ofSamePerson(() => asked(tenantId))
  if (held && held.account_id !== token.account_id) {
    end()
    throw over()
  }
  return token
}

let last: Promise<unknown> = Promise.resolve()

/**
 * One refresh at a time, in their order: of two the later one would find its cookie used, and the earlier one would bring
 * its tenant back.
 */
function inTurn<Answer>(act: () => Promise<Answer>): Promise<Answer> {
  const next = last.then(act)
  last = next.catch(() => undefined)
  return next
}

const heldTenant = () => held?.tenant_id ?? undefined

/** A new token of the same tenant: another tab may have chosen another one. Ends the page's session when it is refused. */
function renew(): Promise<string> {
  pending ??= inTurn(async () => keep(await refresh(heldTenant())))
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

/** What a page has begun is for its tenant: once another one is chosen, the rest of it is not sent. */
async function renewed(): Promise<string> {
  const tenant = heldTenant()
  const token = await renew()
  if (heldTenant() !== tenant) throw new Error('another tenant was chosen')
  return token
}

const tokens: TokenSource = {
  current: async () => {
    if (!held) throw over()
    return performance.now() < held.renewAt ? held.access_token : renewed()
  },
  discard(refused) {
    if (!held) throw over()
    if (!held.given.has(refused)) throw new Error('another tenant was chosen')
    if (held.access_token === refused) held = { ...held, renewAt: Number.NEGATIVE_INFINITY }
  },
}

/** The operations of the platform, as the person who has logged in. */
export const api = connectWith({ baseUrl: location.origin, tokens })

/** With a token that the page does not use yet. */
const connectBy = ({ access_token }: Token) =>
  connectWith({
    baseUrl: location.origin,
    tokens: { current: async () => access_token, discard: () => undefined },
  })

/** Until all is known of the new standing, the page goes on with the token of what it shows. */
async function standing(of: Token): Promise<Standing> {
  const account = await ofSamePerson(() => connectBy(of).get('/v1/account'))
  const [first] = account.organizations.flatMap(({ tenants }) => tenants)
  // a session is for no tenant at first
  const token = keep(of.tenant_id === null && first ? await refresh(first.id) : of)
  return { account, scopes: new Set(token.scope.split(' ')), tenantId: token.tenant_id ?? null }
}

/** The session of this browser, if it has one. */
export async function restore(): Promise<Standing | undefined> {
  try {
    return await inTurn(async () => standing(await refresh(undefined)))
  } catch (error) {
    if (!isOver(error)) throw error
    end()
    return undefined
  }
}

/** Which account the browser's session is of, for the other tabs: they have the same cookie. */
const tabs = new BroadcastChannel('session')
const tellTabs = (accountId: string | undefined) => tabs.postMessage(accountId)
tabs.onmessage = ({ data }) => {
  if (held && held.account_id !== data) end()
}

export async function logIn(body: Schemas['LoginIn']): Promise<Standing> {
  const token = await asNobody.post('/v1/auth/login', { body, headers })
  tellTabs(token.account_id)
  return inTurn(() => standing(token))
}

export function switchTenant(tenantId: string): Promise<Standing> {
  return inTurn(async () => standing(await refresh(tenantId)))
}

/** With the scopes of a membership that has begun: in a tenant of the organization, if it has one. */
export async function standingIn(organizationId: string): Promise<Standing> {
  const { organizations } = await api.get('/v1/account')
  const tenant = organizations.find(({ id }) => id === organizationId)?.tenants[0]
  return inTurn(async () => standing(await refresh(tenant?.id ?? heldTenant())))
}

export async function logOut(): Promise<void> {
  await asNobody.post('/v1/auth/logout', { headers })
  tellTabs(undefined)
  end()
}

/** Calls when the session ends: by its owner, or because the platform refuses it. */
export const onEnd = (listener: () => void): void => {
  whenEnded = listener
}
