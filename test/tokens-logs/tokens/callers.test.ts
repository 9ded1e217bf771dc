import { randomUUID } from 'node:crypto'
import test from 'ava'
import type { Request, Response } from 'express'
import type { Call } from '../../../activities/frame/operations.ts'
import type { Caller } from '../../../activities/tokens-logs/tokens.ts'
import { expressAuthentication, readBearer, refuseBadBearer } from '../../../api/frame/authentication.ts'
import { Refusal, Unavailable } from '../../../protocol/errors.ts'
import {
  ALL_SCOPES,
  AREAS,
  describedAs,
  OPERATOR_SCOPES,
  parseScopes,
  SCOPES,
  type Scope,
} from '../../../protocol/tokens-logs/index.ts'

const callerWith = (...scopes: Scope[]): Caller => ({
  tenantId: randomUUID(),
  clientId: randomUUID(),
  scopes,
  expires: 0,
})

const OPEN = callerWith('dids:read', 'semantic-credentials:write')

interface Asked extends Partial<Pick<Request, 'caller' | 'forwarded' | 'isOfWallet' | 'method' | 'path'>> {
  headers?: Record<string, string>
  /** Whether the variable VC_API is set. */
  openVcApi?: boolean
  /** Undefined: on. */
  vcApiOff?: true
  /** The request stands alone, as in a test of a controller. */
  withoutResponse?: true
}

/** A request before a platform that answers at once, with what the platform was asked for. */
function requestOf({ headers = {}, openVcApi = false, vcApiOff, withoutResponse, ...more }: Asked = {}) {
  const sent = new Map<string, string>()
  const asked: unknown[][] = []
  const claim = { key: 'k', since: '2026-01-01' }
  const response = {
    locals: { requestId: 'the-request' } as Record<string, unknown>,
    set: (name: string, value: string) => void sent.set(name, value),
    end: () => undefined,
  }
  const platform = {
    vcApi: {
      async openCaller(host: string) {
        asked.push(['open', host])
        return openVcApi ? OPEN : undefined
      },
      async assertOn(tenantId: string) {
        asked.push(['on', tenantId])
        if (vcApiOff) throw new Refusal('vc_api.off', 'off')
      },
    },
    idempotency: {
      async claim(tenantId: string, key: string) {
        asked.push(['key', tenantId, key])
        return claim
      },
    },
  }
  const request = {
    method: 'GET',
    path: '/v1/dids',
    originalUrl: '/v1/dids',
    rawBody: Buffer.alloc(0),
    forwarded: false,
    headers,
    app: { locals: { platform } },
    ...(withoutResponse ? {} : { res: response }),
    ...more,
  } as unknown as Request
  return { request, response, sent, asked, claim }
}

interface Outcome extends ReturnType<typeof requestOf> {
  challenge: string | undefined
  /** Of the refusal. */
  code?: string
  detail?: string
  call?: Call
}

/** Asks as an operation with these scopes. */
async function authorise(asked: Asked, scheme = 'bearer', scopes?: Scope[]): Promise<Outcome> {
  const seen = requestOf(asked)
  const outcome = await expressAuthentication(seen.request, scheme, scopes).catch((error: unknown) => {
    if (error instanceof Refusal) return error
    throw error
  })
  const all = { ...seen, challenge: seen.sent.get('WWW-Authenticate') }
  return outcome instanceof Refusal
    ? { ...all, code: outcome.code, detail: outcome.message }
    : { ...all, call: outcome }
}

const CHALLENGE = 'Bearer realm="countersign"'

test('without a caller the answer is a challenge that names no error (RFC 6750, section 3.1)', async (t) => {
  const refused = await authorise({}, 'bearer', ['dids:read'])
  t.is(refused.code, 'token.missing')
  t.is(refused.challenge, CHALLENGE)
  t.deepEqual(refused.asked, [], 'nothing was asked of the platform')
  t.is((await authorise({ withoutResponse: true })).code, 'token.missing')
})

test('each scope of an operation is needed, and the refusal names the missing ones (RFC 6750, section 3.1)', async (t) => {
  const caller = callerWith('dids:read', 'logs:read')
  const call = { tenantId: caller.tenantId, clientId: caller.clientId, requestId: 'the-request' }
  for (const scopes of [undefined, [], ['dids:read'], ['dids:read', 'logs:read']] as (Scope[] | undefined)[]) {
    const allowed = await authorise({ caller }, 'bearer', scopes)
    t.deepEqual(allowed.call, call)
    t.is(allowed.challenge, undefined)
  }
  for (const [scopes, missing] of [
    [['dids:write'], 'dids:write'],
    [['dids:read', 'dids:write'], 'dids:write'],
    [['dids:write', 'logs:read', 'logs:write'], 'dids:write logs:write'],
  ] as [Scope[], string][]) {
    const refused = await authorise({ caller, method: 'POST', headers: { 'idempotency-key': 'k' } }, 'bearer', scopes)
    t.is(refused.code, 'token.insufficient_scope')
    t.true(refused.detail?.endsWith(` ${missing}.`), refused.detail)
    t.is(refused.challenge, `${CHALLENGE}, error="insufficient_scope", scope="${scopes.join(' ')}"`)
    t.deepEqual(refused.asked, [], 'a key is claimed after the scope is checked')
  }
  t.is((await authorise({ caller, withoutResponse: true }, 'bearer', ['dids:write'])).code, 'token.insufficient_scope')
})

test('a call carries the claim of its Idempotency-Key, and none where none was claimed (D-004)', async (t) => {
  const caller = callerWith('dids:write')
  const write = { caller, method: 'POST', headers: { 'idempotency-key': 'k' } }
  const { call, asked, claim } = await authorise(write, 'bearer', ['dids:write'])
  t.deepEqual(asked, [['key', caller.tenantId, `${caller.clientId} k`]])
  t.deepEqual(call?.idempotency, claim)
  t.false('idempotency' in ((await authorise({ ...write, headers: {} })).call ?? {}))
})

test('VC_API opens its operations to requests of this machine without a token, and no others', async (t) => {
  const scopes: Scope[] = ['semantic-credentials:write']
  const local = { openVcApi: true, headers: { host: 'localhost:1' } }
  const open = await authorise(local, 'vcApi', scopes)
  t.like(open.call, { tenantId: OPEN.tenantId, clientId: OPEN.clientId })
  t.deepEqual(open.asked, [
    ['open', 'localhost:1'],
    ['on', OPEN.tenantId],
  ])
  t.like(open.response.locals, { tenantId: OPEN.tenantId, clientId: OPEN.clientId }, 'for the log')
  t.deepEqual((await authorise({ openVcApi: true }, 'vcApi', scopes)).asked[0], ['open', ''], 'HTTP/1.0 has no Host')
  t.is((await authorise({ ...local, withoutResponse: true }, 'vcApi', scopes)).call?.tenantId, OPEN.tenantId)
  for (const [name, asked, scheme] of [
    ['another scheme', local, 'bearer'],
    ['through a proxy', { ...local, forwarded: true }, 'vcApi'],
    ['with a header', { ...local, headers: { ...local.headers, authorization: 'Basic x' } }, 'vcApi'],
    ['the variable is not set', { ...local, openVcApi: false }, 'vcApi'],
  ] as [string, Asked, string][])
    t.is((await authorise(asked, scheme, scopes)).code, 'token.missing', name)
  t.is((await authorise(local, 'vcApi', ['dids:write'])).code, 'token.insufficient_scope', 'its scopes hold too')
})

test('who has a token calls the VC API as himself, where his tenant has it on', async (t) => {
  const caller = callerWith('semantic-credentials:write')
  const asked = { caller, openVcApi: true, headers: { authorization: 'Bearer x' } }
  const called = await authorise(asked, 'vcApi', ['semantic-credentials:write'])
  t.is(called.call?.tenantId, caller.tenantId)
  t.deepEqual(called.asked, [['on', caller.tenantId]])
  t.deepEqual(called.response.locals, { requestId: 'the-request' }, 'readBearer has noted him')
  t.is((await authorise({ ...asked, vcApiOff: true }, 'vcApi')).code, 'vc_api.off')
  t.is((await authorise({ ...asked, vcApiOff: true }, 'bearer')).code, undefined, 'other operations stay')
})

/** What `readBearer` made of a request. */
async function read(asked: Asked, verify: (token: string) => Promise<Caller> = async () => OPEN) {
  const { request, response, sent } = requestOf(asked)
  const tokens: string[] = []
  const passed: unknown[][] = []
  const verifyToken = (token: string) => {
    tokens.push(token)
    return verify(token)
  }
  await readBearer({ verifyToken })(request, response as unknown as Response, (...error: unknown[]) => {
    passed.push(error)
  })
  return { caller: request.caller, refused: request.refused, challenge: sent.get('WWW-Authenticate'), tokens, passed }
}

const bearer = (authorization: string, more: Asked = {}): Asked => ({ headers: { authorization }, ...more })
const BAD = `${CHALLENGE}, error="invalid_token"`

test('the token of the header, with every character that it may have, is verified as it is (RFC 6750, section 2.1)', async (t) => {
  for (const token of ['abc', 'A.b-c_d~e+f/g==', '0'])
    for (const scheme of ['Bearer ', 'bearer ', 'BEARER    ']) {
      const { caller, refused, challenge, tokens, passed } = await read(bearer(scheme + token))
      t.deepEqual([tokens, passed], [[token], [[]]])
      t.is(caller, OPEN)
      t.deepEqual([refused, challenge], [undefined, undefined])
    }
})

test('a header that is no bearer token is refused later, and no text of it is verified', async (t) => {
  for (const header of ['', 'Bearer', 'Bearer ', 'Bearer a b', 'xBearer a', 'Bearer a;', 'Bearera', 'Basic a', 'a']) {
    const { caller, refused, challenge, tokens, passed } = await read(bearer(header))
    t.is(refused?.code, 'token.invalid', header)
    t.deepEqual([tokens, passed, challenge, caller], [[], [[]], BAD, undefined], header)
  }
})

test('a refused token is noted for after the limit, and what else goes wrong is an error at once', async (t) => {
  const refusal = new Refusal('token.invalid', 'expired')
  const late = await read(bearer('Bearer a'), () => Promise.reject(refusal))
  t.deepEqual([late.passed, late.refused, late.challenge, late.caller], [[[]], refusal, BAD, undefined])
  const gone = new Unavailable('database', 'gone')
  const broken = await read(bearer('Bearer a'), () => Promise.reject(gone))
  t.deepEqual([broken.passed, broken.refused, broken.challenge], [[[gone]], undefined, undefined])
})

test('without the header, on a path of wallets, and for Basic at the token endpoint nothing is read', async (t) => {
  const token = { method: 'POST', path: '/v1/auth/token' }
  for (const [name, asked] of [
    ['no header', {}],
    ['a wallet', bearer('DPoP a', { isOfWallet: true })],
    ['a client that authenticates', bearer('Basic a', token)],
  ] as [string, Asked][]) {
    const { caller, refused, challenge, tokens, passed } = await read(asked)
    t.deepEqual([tokens, passed, caller, refused, challenge], [[], [[]], undefined, undefined, undefined], name)
  }
  t.is((await read(bearer('Basic a', { ...token, path: '/v1/dids' }))).refused?.code, 'token.invalid')
})

test('what was noted ends the request, and nothing noted lets it pass', (t) => {
  const passed: unknown[] = []
  const pass = (refused?: Refusal) =>
    refuseBadBearer({ refused } as Request, {} as Response, (error?: unknown) => void passed.push(error))
  const refusal = new Refusal('token.invalid', 'x')
  pass(refusal)
  pass()
  t.deepEqual(passed, [refusal, undefined])
})

test('each area has a scope to read and one to write, and a tenant grants none of the platform (D-590)', (t) => {
  t.deepEqual([...SCOPES].sort(), AREAS.flatMap((area) => [`${area}:read`, `${area}:write`] as Scope[]).sort())
  t.deepEqual(
    [...AREAS].sort(),
    [
      'administration',
      'compact-credentials',
      'dids',
      'domains',
      'logs',
      'messaging',
      'mobile-credentials',
      'openid',
      'sd-jwt-credentials',
      'semantic-credentials',
      'webhooks',
    ],
    'specification, What the service does',
  )
  t.deepEqual(OPERATOR_SCOPES, ['platform:read', 'platform:write'])
  const others: Scope[] = ['accounts:read', 'accounts:write', 'platform:read', 'platform:write']
  t.deepEqual([...ALL_SCOPES].sort(), [...SCOPES, ...others].sort())
  for (const scope of ALL_SCOPES) t.deepEqual(parseScopes(scope), [scope])
})

test('a scope parameter has known scopes alone, each once, in its order (RFC 6749, section 3.3)', (t) => {
  t.deepEqual(parseScopes('  logs:read dids:read  logs:read '), ['logs:read', 'dids:read'])
  t.deepEqual(parseScopes(''), [])
  for (const text of ['dids:read x', 'x dids:read', 'x', 'DIDS:READ', 'dids:read,logs:read', 'dids:readlogs:read'])
    t.is(parseScopes(text), undefined, text)
})

test('an error_description has printable ASCII without quotes and backslashes (RFC 6749, section 5.2)', (t) => {
  const printable = Array.from({ length: 0x5f }, (_, nth) => String.fromCharCode(0x20 + nth)).join('')
  t.is(describedAs(printable), printable.replace('"', "'").replace('\\', '?'))
  t.is(describedAs('"a" "b"'), "'a' 'b'")
  t.is(describedAs('é\n\t\x1f\x7f€'), '??????')
})
