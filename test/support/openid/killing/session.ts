import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { jwtVerify, SignJWT } from 'jose'
import { until } from '../../credentials/dids.ts'
import type { Reply } from '../../world.ts'
import { CALLBACK, parametersFor, pkce } from '../authorization.ts'
import { formIn, type Shown } from '../browser.ts'
import { createWalletKey, offerIn } from '../wallet.ts'
import { HOOK, type Killable, type Killed } from './platform.ts'

/** Steps of a session with a login, and the one of a pre-authorized code that differs. */
export const STEPS = {
  authorization_code: [
    ...['offer', 'authorize', 'login callback', 'hook', 'token', 'nonce', 'credential', 'deferred', 'notification'],
  ],
  'pre-authorized_code': ['token'],
} as const

export type GrantType = keyof typeof STEPS

const PATIENCE_MS = 90_000

/** What a retry cannot mend: the holder begins again from the wallet, with the same offer. */
class BeginAgain extends Error {}
/** The code was used, and its answer is lost: it gives nothing to anybody (RFC 6749, section 4.1.2), and a new offer is needed. */
class CodeLost extends Error {}

const isGood = ({ status }: Reply): boolean => status >= 200 && status < 300
/** 409: the request that was cut off has its idempotency key for a while. */
const isAway = (status: number): boolean => status >= 500 || status === 429 || status === 409

interface Asked {
  killable: Killable
  part: Killed
  grantType: GrantType
  /** The step at which the part is killed while the request is under way. */
  at: string
}

/** Does a session as a wallet and its holder do it; returns the sessions that it took, and how long the part was waited for. */
export async function collect({ killable, part, grantType, at }: Asked) {
  const { ask, base, browser, template, tokenOf, worker } = killable
  const key = await createWalletKey()
  let killed = false
  const sessions: string[] = []

  /** Asks until there is an answer other than "away", as whoever loses a connection does. */
  async function repeated<Answer extends { status: number }>(what: string, request: () => Promise<Answer>) {
    let last: Answer | undefined
    return until(
      what,
      async () => {
        last = await request().catch(() => undefined)
        return last !== undefined && !isAway(last.status) && last
      },
      PATIENCE_MS,
    ).catch((error: unknown) => {
      throw new Error(`${error} ${last?.status}`)
    })
  }

  async function during<Answer extends { status: number }>(step: string, request: () => Promise<Answer>) {
    if (step !== at || killed) return repeated(step, request)
    killed = true
    const first = request().catch(() => undefined)
    await wait(Math.random() * 30) // most requests take as long
    await part.kill()
    await wait(500)
    await part.start()
    const answer = await first
    return answer && !isAway(answer.status) ? answer : repeated(`${step} again`, request)
  }

  const good = (what: string, reply: Reply): Reply => {
    if (!isGood(reply)) throw new Error(`${what} answered ${reply.status} ${reply.text.slice(0, 300)}`)
    return reply
  }

  /** Where a page leads; a page that says that the login is over, or an error for the wallet, has the holder begin again. */
  function next(shown: Shown): string {
    const { location } = shown
    if (location === undefined || (location.startsWith(CALLBACK) && new URL(location).searchParams.has('error')))
      throw new BeginAgain(`${shown.status} ${location ?? shown.text.slice(0, 200)}`)
    return location
  }

  async function answerOfHook(token: string) {
    const rules = { algorithms: ['HS256'], typ: 'interaction+jwt', issuer: base, audience: HOOK }
    const { payload } = await jwtVerify(token, killable.hookKey, rules)
    const answer = await new SignJWT({ claims: { given_name: 'Ada' } })
      .setProtectedHeader({ alg: 'HS256', typ: 'interaction-answer+jwt' })
      .setIssuer(HOOK)
      .setAudience(base)
      .setJti(String(payload.jti))
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(killable.hookKey)
    return { to: String(payload.redirect_url), answer, login: String(payload.jti) }
  }

  /** From the browser's first request to the code. */
  async function logIn(issuerState: string): Promise<Record<string, string>> {
    const holder = browser()
    const { verifier, challenge } = pkce()
    const given = parametersFor(challenge, issuerState) as Record<string, string>
    const begin = `${base}/v1/oauth/authorize?${new URLSearchParams(given)}`
    const callback = `${base}/v1/oauth/authentication/callback`
    const atProvider = next(await during('authorize', () => holder.open(begin)))
    const back = next(await repeated('the login', () => holder.follow(atProvider, callback)))
    const page = await during('login callback', () => holder.open(back))
    if (page.status !== 200) throw new BeginAgain(`${page.status} ${page.location}`)
    const { to, answer, login } = await answerOfHook(formIn(page.text).fields.session_token ?? '')
    const form = { session_token: answer }
    const received = await during('hook', () => holder.open(to, { form, crossSite: true }))
    // an answer that was taken, and whose redirect is lost, is refused as a repetition: the browser goes where it leads
    const end = received.location ?? `${to}?login=${login}`
    const code = new URL(next(await repeated('the return', () => holder.open(end)))).searchParams.get('code') ?? ''
    return { code, code_verifier: verifier, redirect_uri: CALLBACK, client_id: 'wallet' }
  }

  async function logInAgain(issuerState: string): Promise<Record<string, string>> {
    for (let tries = 0; tries < 20; tries += 1)
      try {
        return await logIn(issuerState)
      } catch (error) {
        if (!(error instanceof BeginAgain)) throw error
        await wait(1_000)
      }
    throw new Error('the login never ended')
  }

  async function tokenFor(uri: string): Promise<{ token: string; aud: string }> {
    const { credential_issuer: aud, grants } = offerIn(uri)
    const [grant_type = '', grant = {}] = Object.entries(grants)[0] ?? []
    const members = grantType === 'authorization_code' ? await logInAgain(grant.issuer_state ?? '') : grant
    const reply = await during('token', () => ask('/v1/oauth/token', { body: { grant_type, ...members } }))
    if (reply.status === 400 && reply.json<{ error: string }>().error === 'invalid_grant')
      throw new CodeLost(reply.text)
    return { token: good('token', reply).json<{ access_token: string }>().access_token, aud }
  }

  async function run(): Promise<void> {
    const token = await tokenOf()
    const headers = { 'idempotency-key': randomUUID() }
    const own = grantType === 'authorization_code' ? {} : { claims: { given_name: 'Ada' } }
    const body = { credentials: [template], grantType, ...own }
    const offered = await during('offer', () => ask('/v1/openid/sessions', { token, headers, body }))
    const { id, uri } = good('offer', offered).json<{ id: string; uri: string }>()
    sessions.push(id)
    const { token: accessToken, aud } = await tokenFor(uri)
    const nonce = () => ask('/v1/openid/nonce', { method: 'POST' })
    await during('nonce', nonce)
    const request = async () => {
      const { c_nonce } = (await repeated('nonce', nonce)).json<{ c_nonce: string }>()
      const iat = Math.floor(Date.now() / 1000)
      const header = { typ: 'openid4vci-proof+jwt', jwk: key.publicJwk }
      const jwt = await key.sign(header, { aud, nonce: c_nonce, iat })
      const wanted = { credential_configuration_id: template, proofs: { jwt: [jwt] } }
      return ask('/v1/openid/credential', { token: accessToken, body: wanted })
    }
    if (at === 'deferred') worker.pause() // so that there is something to wait for
    const first = good('credential', await during('credential', request))
    const { transaction_id } = first.json<{ transaction_id?: string }>()
    if (at === 'deferred' && transaction_id === undefined) throw new Error('nothing was deferred')
    worker.resume()
    const deferred = () =>
      ask('/v1/openid/deferred-credential', { token: accessToken, body: { transaction_id: transaction_id ?? '' } })
    let delivered = transaction_id === undefined ? first : good('deferred', await during('deferred', deferred))
    await until(
      'the credential',
      async () => {
        if (delivered.status !== 202) return true
        delivered = good('deferred', await repeated('deferred', deferred))
        return false
      },
      PATIENCE_MS,
    )
    const { notification_id, credentials } = delivered.json<{ notification_id: string; credentials: object[] }>()
    if (credentials.length !== 1) throw new Error(`${credentials.length} credentials`)
    const told = { notification_id, event: 'credential_accepted' }
    const notify = () => ask('/v1/openid/notification', { token: accessToken, body: told })
    good('notification', await during('notification', notify))
  }

  try {
    await run()
    return { sessions, lost: false }
  } catch (error) {
    if (!(error instanceof CodeLost) || at !== 'token') throw error
    await run() // from a new offer
    return { sessions, lost: true }
  } finally {
    worker.resume()
  }
}
