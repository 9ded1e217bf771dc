import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { OpenIdPresentation } from '../../../entities/openid/presentations.ts'
import { inTenant } from '../../../entities/orm.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { isObject, type Json } from '../../../protocol/json.ts'
import { parseAnswer, readVpToken } from '../../../protocol/openid/dcql/token.ts'
import { decryptAnswer, thumbprintOf } from '../../../protocol/openid/presentations/encryption.ts'
import { audienceOf, needsState } from '../../../protocol/openid/presentations/requests.ts'
import type { WalletAbilities } from '../../../protocol/openid/verifiers/abilities.ts'
import { invalidAnswer } from '../../../protocol/openid/verifiers/answers.ts'
import { rulesOf } from '../../../protocol/openid/verifiers/dcql.ts'
import { browserTranscript, sessionTranscript } from '../../../protocol/openid/verifiers/transcript.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Call, Operations } from '../../frame/operations.ts'
import { isSame } from '../../frame/secrets.ts'
import type { Tenants } from '../../frame/tenants/index.ts'
import { DECLINED, type WalletSays } from '../verifiers/answering.ts'
import type { SignInRequests } from '../verifiers/asking.ts'
import { answerDigest, asAttempt, MAX_FAILURES } from '../verifiers/attempts.ts'
import type { SignInSecrets, WalletWay } from '../verifiers/secrets.ts'
import type { Links } from './links.ts'
import { over, type PageOfBrowser, type RequestContent, type RequestRows } from './rows.ts'
import type { PresentationChecks, PresentationSession, PresentationVerdict } from './verify.ts'
import { signedBy, walletRequestOf } from './wallet-requests.ts'

interface Parts extends Pick<Dependencies, 'database' | 'now'> {
  operations: Operations
  tenants: Pick<Tenants, 'byHost'>
  rows: RequestRows
  links: Links
  secrets: SignInSecrets
  signInRequests: SignInRequests
  presentationChecks: PresentationChecks
}

/** Checks of a W3C presentation whose messages name who presented. */
const OF_HOLDERS = new Set(['holderProof', 'holder', 'holderBinding'])
const NOT_KEPT = 'What this check found names a person, and is not kept.'

/** What a refused presentation says of a person is not kept. */
const withoutClaims = ({ claims: _, holder: __, ...verdict }: PresentationVerdict): PresentationVerdict => ({
  ...verdict,
  reason: verdict.reason.map((each) => (OF_HOLDERS.has(each.type) ? { ...each, message: NOT_KEPT } : each)),
})

const isOver = (error: unknown): boolean => error instanceof Refusal && error.code === 'openid_presentation.over'

/** An answer that cannot be read is the client's problem by a code of requests; that of sign-ins is for their log. */
const inOwnWords = (error: Refusal): Refusal =>
  error.code === 'sign_in.answer_malformed'
    ? new Refusal('openid_presentation.answer_malformed', error.message, error.errors)
    : error

const refused = (verdicts: readonly PresentationVerdict[]): Refusal => {
  const [failure] = verdicts.flatMap(({ reason }) => reason)
  const [check, message] = failure ? [failure.type, failure.message] : ['holder', 'of different holders']
  return new Refusal('openid_presentation.refused', `The presentation was not accepted. ${check}: ${message}`, [
    { path: 'vp_token', code: check, message },
  ])
}

/** Finds the request that an answer is for, and how its wallet is reached. Throws `openid_presentation.over`. */
type Find = (em: SqlEntityManager, lock?: boolean) => Promise<{ row: OpenIdPresentation; way: WalletWay }>

/** What the holder's signatures have to be bound to beside the nonce. */
type BindingOf = (
  found: { row: OpenIdPresentation; nonce: string },
  keyThumbprint: { keyThumbprint?: Uint8Array },
) => Promise<Pick<PresentationSession, 'audience' | 'transcript'>>

/** To the page whose browser asked, by its origin (OpenID4VP 1.0, appendices A.4 and B.2.6.2). */
const boundToPage =
  (origin: string): BindingOf =>
  async ({ nonce }, key) => ({
    audience: audienceOf(origin),
    transcript: browserTranscript({ origin, nonce, ...key }),
  })

interface Answer {
  find: Find
  /** The members of the answer, in clear. */
  open(content: RequestContent): Promise<Json>
  bindingOf: BindingOf
  /** By which the same answer is known again. */
  digest?: string
}

type Accept<Result> = (work: (em: SqlEntityManager) => Promise<OpenIdPresentation>) => Promise<Result>

/** What wallets are asked in requests of the API, and what they answer. */
export function createRequestAnswers(parts: Parts) {
  const { database, now, operations, tenants, rows, links, secrets, signInRequests, presentationChecks } = parts

  function asked({ row, way }: Awaited<ReturnType<Find>>) {
    const content = rows.opened(row)
    const state = way !== 'browser' && needsState(content.query) ? secrets.state(row.id, way) : undefined
    return { row, way, content, state, nonce: secrets.nonce(row.id, way) }
  }

  const read = (tenantId: string, find: Find) =>
    inTenant(database.tenants, tenantId, async (em) => asked(await find(em)))

  /** Counts a wrong answer, until there were too many. */
  const fail = (tenantId: string, find: Find, code: string, isFinal: boolean, verdicts?: PresentationVerdict[]) =>
    inTenant(database.tenants, tenantId, async (em) => {
      const { row } = await find(em, true)
      const credentials = verdicts?.map(withoutClaims)
      const content = { ...rows.opened(row), ...(credentials && { credentials }) }
      Object.assign(row, { failures: row.failures + 1, failureCode: code, updatedAt: now() })
      const reason = credentials?.flatMap((each) => each.reason)[0]?.type
      if (isFinal || row.failures >= MAX_FAILURES)
        await rows.end(em, row, content, { state: 'REFUSED', code, ...(reason !== undefined && { reason }) })
      else row.content = rows.sealed(row, content)
    })

  async function decrypted(jwe: string, { encryption }: RequestContent): Promise<Json> {
    if (!encryption) throw invalidAnswer('answer_malformed', 'The answer is encrypted, and the request has no key.')
    return decryptAnswer(jwe, encryption)
  }

  function assertInClear({ encryption }: RequestContent): void {
    if (encryption) throw invalidAnswer('answer_malformed', 'The answer is not encrypted, as the request asks for.')
  }

  async function ofForm(says: WalletSays, content: RequestContent): Promise<Json> {
    if ('response' in says) return decrypted(says.response, content)
    if ('error' in says) return { error: says.error }
    assertInClear(content)
    const { vpToken, state } = says
    return { vp_token: parseAnswer(vpToken, 'vp_token'), ...(state !== undefined && { state }) }
  }

  async function ofBrowser(data: Json, content: RequestContent): Promise<Json> {
    const { response, vp_token: vpToken, error } = data
    if (typeof response === 'string' && vpToken === undefined) return decrypted(response, content)
    if (error === undefined || vpToken !== undefined) assertInClear(content)
    return data
  }

  /**
   * Verifies an answer, and counts it where it is not accepted. `accept` is called for one that is; undefined: the wallet
   * has not presented. Throws `openid_presentation.*`.
   */
  function take<Result>(tenantId: string, answer: Answer, accept: Accept<Result>): Promise<Result | undefined> {
    const inOne = <Done>(work: (em: SqlEntityManager) => Promise<Done>) => inTenant(database.tenants, tenantId, work)
    const attempt = { over, find: (em: SqlEntityManager) => answer.find(em, true), inOne }
    return asAttempt(attempt, (found) => verify(tenantId, asked(found), answer, accept))
  }

  async function verify<Result>(
    tenantId: string,
    { row: begun, way, content, nonce, state }: ReturnType<typeof asked>,
    { find, open, bindingOf, digest }: Answer,
    accept: Accept<Result>,
  ): Promise<Result | undefined> {
    const { query, template, transactionData, encryption } = content
    const { trustedContexts } = template ?? content
    let verdicts: PresentationVerdict[] | undefined
    try {
      const answer = await open(content)
      if (typeof answer.error === 'string' && answer.vp_token === undefined) {
        const isDeclined = answer.error === DECLINED
        await fail(tenantId, find, `openid_presentation.${isDeclined ? 'declined' : 'wallet_error'}`, isDeclined)
        return undefined
      }
      if (state !== undefined && !(typeof answer.state === 'string' && isSame(answer.state, state)))
        throw invalidAnswer('answer_malformed', 'The answer has not the state of the request.')
      const { presented } = readVpToken(answer.vp_token, query)
      const wanted = template ? signInRequests.wantedBy(template.query) : []
      const key = encryption ? { keyThumbprint: await thumbprintOf(encryption) } : {}
      const checked = await presentationChecks.verifyAll(tenantId, presented, {
        nonce,
        ...(await bindingOf({ row: begun, nonce }, key)),
        ...(transactionData && { transactionData }),
        ...rulesOf(wanted),
        ...(trustedContexts && { trustedContexts }),
      })
      const found = checked.map(({ verdict }) => verdict)
      verdicts = found
      if (!found.every(({ verified }) => verified)) throw refused(found)
      return await accept(async (em) => {
        const { row } = await find(em, true)
        row.answeredBy = way
        const answered = digest === undefined ? {} : { answerDigest: digest }
        await rows.end(em, row, { ...content, ...answered, credentials: found }, { state: 'VERIFIED' })
        return row
      })
    } catch (error) {
      if (!(error instanceof Refusal) || isOver(error)) throw error
      const refusal = inOwnWords(error)
      await fail(tenantId, find, refusal.code, false, verdicts)
      throw refusal
    }
  }

  return {
    /** The tenant of a public address. Throws `openid_presentation.over` where there is none. */
    async tenantAt(host: string): Promise<string> {
      const tenant = await tenants.byHost(host)
      if (!tenant) throw new Refusal('openid_presentation.over', 'This request is not known.')
      return tenant.id
    },

    /**
     * The signed request that a wallet fetches. `wallet`: what it says of itself. Throws `openid_presentation.over`,
     * `oidc_verifier.*`, `wallet_request.unsupported`.
     */
    async requestObject(tenantId: string, name: string, wallet?: WalletAbilities): Promise<string> {
      const find: Find = (em, lock) => rows.byName(em, name, lock)
      const { row, content, nonce, state } = await read(tenantId, find)
      const responseUri = await links.responseUriOf(tenantId, name)
      const request = walletRequestOf(row, content, { nonce, responseUri, issuedAt: now(), ...(state && { state }) })
      const jwt = await signInRequests.sign(tenantId, signedBy(row, content), request, wallet)
      await inTenant(database.tenants, tenantId, async (em) => {
        const { row: current } = await find(em, true)
        if (current.state === 'PENDING')
          Object.assign(current, { state: 'FETCHED', fetchedAt: now(), updatedAt: now() })
      })
      return jwt
    },

    /**
     * Takes the answer of a wallet, once. Returns where the wallet leads its holder. A presentation that is not accepted
     * may be tried again, a few times; the accepted answer sent again has the same result, since its wallet may not have
     * learned of it. Throws `openid_presentation.*`.
     */
    async answerRequest(tenantId: string, name: string, says: WalletSays): Promise<{ redirectUri?: string }> {
      const digest = answerDigest(says)
      const answer: Answer = {
        digest,
        find: (em, lock) => rows.byName(em, name, lock),
        open: (content) => ofForm(says, content),
        async bindingOf({ row: { clientIdentifier: clientId }, nonce }, key) {
          const responseUri = await links.responseUriOf(tenantId, name)
          return { audience: clientId, transcript: sessionTranscript({ clientId, nonce, responseUri, ...key }) }
        },
      }
      const taken = take(tenantId, answer, (work) => inTenant(database.tenants, tenantId, work))
      const row = await taken.catch(async (error: unknown) => {
        if (!isOver(error)) throw error
        const before = await inTenant(database.tenants, tenantId, (em) => rows.answeredWith(em, name, digest))
        if (!before) throw error
        return before
      })
      return row?.answeredBy === 'same' ? { redirectUri: await links.returnUriOf(row) } : {}
    },

    /**
     * Takes the answer that a wallet gave the browser (Digital Credentials API). `origin`: of the page that asked; the
     * wallet has bound its answer to it. Throws `openid_presentation.*`.
     */
    async answerInBrowser(call: Call, id: string, { origin, data }: { origin: string; data: Json }): Promise<void> {
      const { tenantId, idempotency } = call
      if (idempotency && 'effect' in idempotency) return
      const answer: Answer = {
        find: (em, lock) => rows.ofBrowser(em, id, lock),
        async open(content) {
          if (!content.expectedOrigins?.includes(origin))
            throw new Refusal('openid_presentation.answer_malformed', 'The request is not of a page of this origin.', [
              { path: 'origin', code: 'origin', message: 'expected one of expectedOrigins of the request' },
            ])
          return ofBrowser(data, content)
        },
        bindingOf: boundToPage(origin),
      }
      await take(tenantId, answer, (work) =>
        operations.change(call, 'answerOpenId4VpRequest', { id }, async (em) => {
          await work(em)
          return null
        }),
      )
    },

    /**
     * Takes the answer that a wallet gave the browser of a page of the platform. `text`: JSON of the page's script. Throws
     * `openid_presentation.*`.
     */
    async answerOnPage(tenantId: string, of: PageOfBrowser, origin: string, text: string): Promise<void> {
      const answer: Answer = {
        async find(em, lock) {
          const row = await rows.ofPage(em, of, lock)
          rows.assertOpen(row)
          return { row, way: 'browser' }
        },
        async open(content) {
          const data = parseAnswer(text, 'answer')
          if (!isObject(data)) throw invalidAnswer('answer_malformed', 'The answer is no JSON object.')
          return ofBrowser(data, content)
        },
        bindingOf: boundToPage(origin),
      }
      await take(tenantId, answer, (work) => inTenant(database.tenants, tenantId, work))
    },
  }
}

export type RequestAnswers = ReturnType<typeof createRequestAnswers>
