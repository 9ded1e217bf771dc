import { inTenant } from '../../../entities/orm.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { Json } from '../../../protocol/json.ts'
import { parseAnswer, readVpToken } from '../../../protocol/openid/dcql/token.ts'
import { decryptAnswer, thumbprintOf } from '../../../protocol/openid/presentations/encryption.ts'
import { needsState } from '../../../protocol/openid/presentations/requests.ts'
import { invalidAnswer } from '../../../protocol/openid/verifiers/answers.ts'
import { exampleOf } from '../../../protocol/openid/verifiers/dcql.ts'
import { sessionTranscript } from '../../../protocol/openid/verifiers/transcript.ts'
import type { Dependencies } from '../../dependencies.ts'
import { isSame } from '../../frame/secrets.ts'
import type { Tenants } from '../../frame/tenants/index.ts'
import { MAX_FAILURES, type WalletSays } from '../verifiers/answering.ts'
import type { SignInRequests } from '../verifiers/asking.ts'
import type { SignInSecrets } from '../verifiers/secrets.ts'
import { WALLET_PATH } from './requests.ts'
import type { RequestContent, RequestRows } from './rows.ts'
import type { PresentationChecks, PresentationVerdict } from './verify.ts'

interface Parts extends Pick<Dependencies, 'database' | 'now'> {
  tenants: Pick<Tenants, 'byId' | 'byHost'>
  rows: RequestRows
  secrets: SignInSecrets
  signInRequests: SignInRequests
  presentationChecks: PresentationChecks
}

/** What a refused presentation says of a person is not kept. */
const withoutClaims = ({ claims: _, holder: __, ...verdict }: PresentationVerdict): PresentationVerdict => verdict

/** What is wrong with a wallet's answer, by the code that the client of the API reads. */
const codeOf = ({ code }: Refusal): string => code.replace(/^sign_in\./, 'openid_presentation.')

const refused = (verdicts: readonly PresentationVerdict[]): Refusal => {
  const [failure] = verdicts.flatMap(({ reason }) => reason)
  const [check, message] = failure ? [failure.type, failure.message] : ['holder', 'of different holders']
  return new Refusal('openid_presentation.refused', `The presentation was not accepted. ${check}: ${message}`, [
    { path: 'vp_token', code: check, message },
  ])
}

/** What wallets are asked in requests of the API, and what they answer. */
export function createRequestAnswers(parts: Parts) {
  const { database, now, tenants, rows, secrets, signInRequests, presentationChecks } = parts

  const read = (tenantId: string, name: string) =>
    inTenant(database.tenants, tenantId, async (em) => {
      const { row, device } = await rows.byName(em, name)
      const content = rows.opened(row)
      const { baseUrl } = await tenants.byId(tenantId)
      const handover = {
        clientId: row.clientIdentifier,
        nonce: secrets.nonce(row.id, device),
        responseUri: `${baseUrl}${WALLET_PATH}/answers/${name}`,
      }
      const state = needsState(content.query) ? secrets.state(row.id, device) : undefined
      return { row, device, content, handover, state }
    })

  /** Counts a wrong answer, until there were too many. */
  const fail = (tenantId: string, name: string, code: string, isFinal: boolean, verdicts?: PresentationVerdict[]) =>
    inTenant(database.tenants, tenantId, async (em) => {
      const { row } = await rows.byName(em, name, true)
      const credentials = verdicts?.map(withoutClaims)
      const content = { ...rows.opened(row), ...(credentials && { credentials }) }
      Object.assign(row, { failures: row.failures + 1, failureCode: code, updatedAt: now() })
      const reason = credentials?.flatMap((each) => each.reason)[0]?.type
      if (isFinal || row.failures >= MAX_FAILURES)
        rows.end(em, row, content, { state: 'REFUSED', code, ...(reason !== undefined && { reason }) })
      else row.content = rows.sealed(row, content)
    })

  /** The members of an answer, in clear. */
  async function opened(says: WalletSays, { encryption }: RequestContent): Promise<Json> {
    if ('response' in says) {
      if (!encryption) throw invalidAnswer('answer_malformed', 'The answer is encrypted, and the request has no key.')
      return decryptAnswer(says.response, encryption)
    }
    if ('error' in says) return { error: says.error }
    if (encryption)
      throw invalidAnswer('answer_malformed', 'The answer is not encrypted: the request has direct_post.jwt.')
    const { vpToken, state } = says
    return { vp_token: parseAnswer(vpToken, 'vp_token'), ...(state !== undefined && { state }) }
  }

  return {
    /** The tenant of a public address. Throws `openid_presentation.over` where there is none. */
    async tenantAt(host: string): Promise<string> {
      const tenant = await tenants.byHost(host)
      if (!tenant) throw new Refusal('openid_presentation.over', 'This request is not known.')
      return tenant.id
    },

    /** The signed request that a wallet fetches. Throws `openid_presentation.over`, `oidc_verifier.*`. */
    async requestObject(tenantId: string, name: string): Promise<string> {
      const { row, content, handover, state } = await read(tenantId, name)
      const { query, transactionData, encryption } = content
      const jwt = await signInRequests.sign(tenantId, row, {
        ...handover,
        query,
        ...(state !== undefined && { state }),
        ...(encryption && { encryption }),
        ...(transactionData && { transactionData: transactionData.map(({ encoded }) => encoded) }),
        issuedAt: now(),
        expiresAt: row.expiresAt,
        ...(row.clientName && !row.certificateChain && { shown: { clientName: row.clientName, logoUri: null } }),
      })
      await inTenant(database.tenants, tenantId, async (em) => {
        const { row: current } = await rows.byName(em, name, true)
        if (current.state === 'PENDING')
          Object.assign(current, { state: 'FETCHED', fetchedAt: now(), updatedAt: now() })
      })
      return jwt
    },

    /**
     * Takes the answer of a wallet, once. Returns where the wallet leads its holder. A presentation that is not accepted
     * may be tried again, a few times. Throws `openid_presentation.*`, `sign_in.answer_malformed`.
     */
    async answerRequest(tenantId: string, name: string, says: WalletSays): Promise<{ redirectUri?: string }> {
      const { row: asked, device, content, handover, state } = await read(tenantId, name)
      const { query, template, transactionData, encryption } = content
      let verdicts: PresentationVerdict[] | undefined
      try {
        const answer = await opened(says, content)
        if (typeof answer.error === 'string' && answer.vp_token === undefined) {
          await fail(tenantId, name, 'openid_presentation.declined', true)
          return {}
        }
        if (state !== undefined && !(typeof answer.state === 'string' && isSame(answer.state, state)))
          throw invalidAnswer('answer_malformed', 'The answer has not the state of the request.')
        const { presented } = readVpToken(answer.vp_token, query)
        const wanted = template ? signInRequests.wantedBy(template.query) : []
        const checked = await presentationChecks.verifyAll(tenantId, presented, {
          nonce: handover.nonce,
          audience: handover.clientId,
          transcript: sessionTranscript({
            ...handover,
            ...(encryption && { keyThumbprint: await thumbprintOf(encryption) }),
          }),
          ...(transactionData && { transactionData }),
          exampleOf: (id) => exampleOf(wanted, id),
          ...(template?.trustedContexts && { trustedContexts: template.trustedContexts }),
        })
        const found = checked.map(({ verdict }) => verdict)
        verdicts = found
        if (!found.every(({ verified }) => verified)) throw refused(found)
        return await inTenant(database.tenants, tenantId, async (em) => {
          const { row } = await rows.byName(em, name, true)
          row.answeredBy = device === 'same' ? 'same' : 'other'
          rows.end(em, row, { ...content, credentials: found }, { state: 'VERIFIED' })
          return device === 'same' ? { redirectUri: backTo(asked.redirectUri, secrets.responseCode(row.id)) } : {}
        })
      } catch (error) {
        if (!(error instanceof Refusal) || error.code === 'openid_presentation.over') throw error
        await fail(tenantId, name, codeOf(error), false, verdicts)
        throw error
      }
    },
  }
}

/** Where the wallet leads its holder (OpenID4VP 1.0, section 8.2). */
function backTo(redirectUri: string | null | undefined, responseCode: string): string {
  if (!redirectUri) throw new Error('a request on the same device has a redirect URI')
  const url = new URL(redirectUri)
  url.searchParams.set('response_code', responseCode)
  return url.href
}

export type RequestAnswers = ReturnType<typeof createRequestAnswers>
