import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { inTenant } from '../../../entities/orm.ts'
import { PresentationTemplate } from '../../../entities/semantic-credentials.presentations.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { parseAnswer, readVpToken } from '../../../protocol/openid/dcql/token.ts'
import type { WalletAbilities } from '../../../protocol/openid/verifiers/abilities.ts'
import { invalidAnswer } from '../../../protocol/openid/verifiers/answers.ts'
import { mappedClaims } from '../../../protocol/openid/verifiers/claims.ts'
import { dcqlOf, rulesOf } from '../../../protocol/openid/verifiers/dcql.ts'
import { clientIdOf, type WalletRequest } from '../../../protocol/openid/verifiers/requests.ts'
import { sessionTranscript } from '../../../protocol/openid/verifiers/transcript.ts'
import { PRESENTATION_CLAIM } from '../../../protocol/openid/verifiers/values.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Tenants } from '../../frame/tenants/index.ts'
import type { SignInRequests } from './asking.ts'
import { answerDigest, asAttempt, MAX_FAILURES } from './attempts.ts'
import { findClient, findVerifier, issuerOf } from './records.ts'
import { type Account, over, type Place, type SignInRows } from './rows.ts'
import type { SignInSecrets } from './secrets.ts'
import type { SignInChecks } from './verify.ts'

/** The error of a wallet whose person does not want to. Others are the wallet's, and another wallet may do (D-1061). */
export const DECLINED = 'access_denied'

/** What an answer of a wallet was: presentations, in clear or encrypted, or that there are none. */
export type WalletSays = { vpToken: string; state?: string } | { response: string } | { error: string }

const isOver = (error: unknown): boolean => error instanceof Refusal && error.code === 'sign_in.request_over'

interface Parts extends Pick<Dependencies, 'database' | 'now'> {
  tenants: Pick<Tenants, 'byId'>
  rows: SignInRows
  secrets: SignInSecrets
  signInRequests: SignInRequests
  signInChecks: SignInChecks
}

/** What wallets are asked in sign-ins, and what they answer. */
export function createWalletAnswers(parts: Parts) {
  const { database, now, tenants, rows, secrets, signInRequests, signInChecks } = parts

  /** What a request is made of, and the checks of its answer. */
  async function read(em: SqlEntityManager, place: Place, name: string, lock = false) {
    const { row, device } = await rows.byRequest(em, place, name, lock)
    const verifier = await findVerifier(em, place.verifierId)
    const client = await findClient(em, place.verifierId, row.clientId)
    const template = await em.findOneOrFail(PresentationTemplate, { id: verifier.presentationTemplateId })
    const { baseUrl } = await tenants.byId(place.tenantId)
    const issuer = issuerOf(baseUrl, place.verifierId)
    const handover = {
      clientId: clientIdOf(verifier),
      nonce: secrets.nonce(row.id, device),
      responseUri: `${issuer}/answers/${name}`,
    }
    return { row, device, verifier, client, template, issuer, handover }
  }

  const backTo = (issuer: string, signInId: string, interaction: string) => {
    const query = new URLSearchParams({ response_code: secrets.responseCode(signInId) })
    return { redirectUri: `${issuer}/sign-in/${interaction}/done?${query}` }
  }

  /** What the accepted answer led to, where it comes again: its wallet may not have learned of it. */
  const answeredWith = (place: Place, name: string, digest: string): Promise<{ redirectUri?: string } | undefined> =>
    inTenant(database.tenants, place.tenantId, async (em) => {
      const found = await rows.answeredWith(em, place, name, digest)
      if (!found || found.device === 'other') return found && {}
      const { baseUrl } = await tenants.byId(place.tenantId)
      return backTo(issuerOf(baseUrl, place.verifierId), found.row.id, found.interaction)
    })

  /** Ends the sign-in without a person, or counts a wrong presentation until there were too many. */
  const fail = (place: Place, name: string, why: { code: string; reason?: string }, isFinal: boolean): Promise<void> =>
    inTenant(database.tenants, place.tenantId, async (em) => {
      const { row } = await rows.byRequest(em, place, name, true)
      row.failures += 1
      row.failureCode = why.code
      row.updatedAt = now()
      if (isFinal || row.failures >= MAX_FAILURES) row.state = 'REFUSED'
      rows.note(em, row, 'FAIL', why)
    })

  return {
    /**
     * The signed request that a wallet fetches. `wallet`: what it says of itself. Throws `sign_in.request_over`,
     * `oidc_verifier.template_unsuitable`, `wallet_request.unsupported`.
     */
    async requestObject(place: Place, name: string, wallet?: WalletAbilities): Promise<string> {
      const { row, verifier, client, template, handover } = await inTenant(database.tenants, place.tenantId, (em) =>
        read(em, place, name),
      )
      const request: WalletRequest = {
        ...handover,
        responseMode: 'direct_post',
        query: await signInRequests.queryFor(place.tenantId, template.query),
        issuedAt: now(),
        expiresAt: row.expiresAt,
        ...(!verifier.certificateChain && { shown: { clientName: client.name, logoUri: client.logoUri ?? null } }),
      }
      return signInRequests.sign(place.tenantId, verifier, request, wallet)
    },

    /**
     * Takes the answer of a wallet, once. Returns where the wallet leads its holder, if it is on the browser's device. A
     * presentation that is not accepted may be tried again, a few times; the accepted answer sent again has the same
     * result. Throws `sign_in.*`.
     */
    async answerRequest(place: Place, name: string, says: WalletSays): Promise<{ redirectUri?: string }> {
      const { tenantId } = place
      const digest = answerDigest(says)
      const attempt = {
        over,
        find: (em: SqlEntityManager) => read(em, place, name, true),
        inOne: <Result>(work: (em: SqlEntityManager) => Promise<Result>) => inTenant(database.tenants, tenantId, work),
      }
      try {
        return await asAttempt(attempt, (asked) => verifyAnswer(place, name, says, { asked, digest }))
      } catch (error) {
        const before = isOver(error) ? await answeredWith(place, name, digest) : undefined
        if (before) return before
        throw error
      }
    },
  }

  async function verifyAnswer(
    place: Place,
    name: string,
    says: WalletSays,
    { asked, digest }: { asked: Awaited<ReturnType<typeof read>>; digest: string },
  ): Promise<{ redirectUri?: string }> {
    const { tenantId, verifierId } = place
    if ('error' in says) {
      const isDeclined = says.error === DECLINED
      await fail(place, name, { code: isDeclined ? 'sign_in.declined' : 'sign_in.wallet_error' }, isDeclined)
      return {}
    }
    const { verifier, template, handover, device, issuer } = asked
    try {
      if ('response' in says)
        throw invalidAnswer('answer_malformed', 'The answer is encrypted, and the request has no key.')
      const wanted = signInRequests.wantedBy(template.query)
      const token = parseAnswer(says.vpToken, 'vp_token')
      const { presented, vpToken } = readVpToken(token, dcqlOf(wanted))
      const { trustedContexts } = template
      const verified = await signInChecks.verifyAll(tenantId, presented, {
        nonce: handover.nonce,
        audience: handover.clientId,
        transcript: sessionTranscript(handover),
        ...rulesOf(wanted),
        ...(trustedContexts && { trustedContexts }),
      })
      // a holder chooses which optional ones to present, and nobody chooses by that who signs in
      const required = new Set(wanted.filter((each) => each.required).map(({ id }) => id))
      const first = verified.find(({ id }) => required.has(id))
      if (!first) throw new Error('a read answer has each required presentation')
      const account: Account = {
        subject: secrets.subject(tenantId, verifierId, first.holder),
        claims: {
          ...mappedClaims(verifier.claimMappings, verified, wanted),
          ...(verifier.includePresentation && { [PRESENTATION_CLAIM]: vpToken }),
        },
      }
      return await inTenant(database.tenants, tenantId, async (em) => {
        const { row } = await rows.byRequest(em, place, name, true)
        const { interaction } = rows.opened(row)
        Object.assign(row, {
          state: 'PRESENTED',
          answeredBy: device,
          failureCode: null,
          content: rows.sealed(row, { interaction, account, answerDigest: digest }),
          updatedAt: now(),
        })
        rows.note(em, row, 'SUCCESS')
        return device === 'other' ? {} : backTo(issuer, row.id, interaction)
      })
    } catch (error) {
      if (!(error instanceof Refusal) || isOver(error)) throw error
      const [first] = error.errors
      await fail(place, name, { code: error.code, ...(first && { reason: first.code }) }, false)
      throw error
    }
  }
}

export type WalletAnswers = ReturnType<typeof createWalletAnswers>
