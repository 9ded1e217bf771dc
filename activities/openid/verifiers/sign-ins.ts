import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { OidcSignIn, type SignInState } from '../../../entities/openid/verifiers.ts'
import { inTenant } from '../../../entities/orm.ts'
import { PresentationTemplate } from '../../../entities/semantic-credentials.presentations.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { SIGN_IN_ENTRY } from '../../../protocol/openid/entries.ts'
import { invalidAnswer, readVpToken } from '../../../protocol/openid/verifiers/answers.ts'
import { mappedClaims } from '../../../protocol/openid/verifiers/claims.ts'
import { clientIdOf, walletLink } from '../../../protocol/openid/verifiers/requests.ts'
import { PRESENTATION_CLAIM } from '../../../protocol/openid/verifiers/values.ts'
import type { Dependencies } from '../../dependencies.ts'
import { addLogEntry } from '../../frame/log-entries.ts'
import type { Sealer } from '../../frame/sealing.ts'
import type { Tenants } from '../../frame/tenants/index.ts'
import type { SignInRequests } from './asking.ts'
import { findClient, findVerifier, issuerOf } from './records.ts'
import { digestOf, type SignInSecrets, type WalletDevice } from './secrets.ts'
import type { SignInChecks } from './verify.ts'

/** Wrong presentations after which a sign-in is over. */
export const MAX_FAILURES = 5

export interface Place {
  tenantId: string
  verifierId: string
}

/** What a browser's page shows. */
export interface SignInView {
  id: string
  state: SignInState
  answeredBy: WalletDevice | null
  failures: number
  failureCode: string | null
  clientName: string
  logoUri: string | null
  /** The template's name: what is asked for. */
  asked: string
  links: Record<WalletDevice, string>
  expiresAt: Date
}

/** Who signed in, and what the client gets to know. */
export interface Account {
  subject: string
  claims: Record<string, unknown>
}

interface Content {
  /** Names the interaction of the browser. */
  interaction: string
  account?: Account
}

interface Parts extends Pick<Dependencies, 'database' | 'now' | 'uuid'> {
  sealer: Sealer
  tenants: Pick<Tenants, 'byId'>
  secrets: SignInSecrets
  signInRequests: SignInRequests
  signInChecks: SignInChecks
}

const boundTo = ({ tenantId, id }: Pick<OidcSignIn, 'tenantId' | 'id'>) => `${tenantId}/openid/sign-ins/${id}`

const over = () =>
  invalidAnswer('request_over', 'This request is not known, has ended, or was answered already. Begin a new sign-in.')

/** What an answer of a wallet was: presentations, or that there are none. */
export type WalletSays = { vpToken: string } | { error: string }

/** Sign-ins of people: what the wallet is asked, what it answers, and what the browser sees of it. */
export function createSignIns(parts: Parts) {
  const { database, now, uuid, sealer, tenants, secrets, signInRequests, signInChecks } = parts

  const sealed = (row: Pick<OidcSignIn, 'tenantId' | 'id'>, content: Content): Buffer =>
    sealer.seal(Buffer.from(JSON.stringify(content)), boundTo(row))
  const opened = (row: OidcSignIn): Content =>
    JSON.parse(sealer.open(row.content, boundTo(row)).toString('utf8')) as Content

  const byInteraction = (em: SqlEntityManager, { verifierId }: Place, interaction: string) =>
    em.findOne(OidcSignIn, { verifierId, interactionDigest: digestOf(interaction) })

  /** The sign-in of a wallet's request, and on which device that is. */
  async function byRequest(em: SqlEntityManager, { verifierId }: Place, name: string, lock = false) {
    const digest = digestOf(name)
    const where = { verifierId, $or: [{ otherDeviceDigest: digest }, { sameDeviceDigest: digest }] }
    const row = await em.findOne(OidcSignIn, where, lock ? { lockMode: LockMode.PESSIMISTIC_WRITE } : {})
    if (row?.state !== 'WAITING' || row.expiresAt <= now()) throw over()
    const device: WalletDevice = Buffer.from(row.sameDeviceDigest).equals(digest) ? 'same' : 'other'
    return { row, device }
  }

  const linkOf = (issuer: string, verifierDid: string, id: string, device: WalletDevice): string =>
    walletLink(clientIdOf(verifierDid), `${issuer}/requests/${secrets.requestName(id, device)}`)

  /** What the checks of a wallet's answer are made with. */
  const readForAnswer = (place: Place, name: string) =>
    inTenant(database.tenants, place.tenantId, async (em) => {
      const { row, device } = await byRequest(em, place, name)
      const verifier = await findVerifier(em, place.verifierId)
      const client = await findClient(em, place.verifierId, row.clientId)
      const template = await em.findOneOrFail(PresentationTemplate, { id: verifier.presentationTemplateId })
      const { baseUrl } = await tenants.byId(place.tenantId)
      const issuer = issuerOf(baseUrl, place.verifierId)
      const handover = {
        clientId: clientIdOf(verifier.verifierDid),
        nonce: secrets.nonce(row.id, device),
        responseUri: `${issuer}/answers/${name}`,
      }
      return { row, device, verifier, client, template, issuer, handover }
    })

  const noteFor = (em: SqlEntityManager, row: OidcSignIn, outcome: 'SUCCESS' | 'FAIL', code?: string): void => {
    const { id, tenantId, requestId, verifierId, clientId } = row
    const metadata = { id, verifierId, oidcClientId: clientId, ...(code !== undefined && { code }) }
    addLogEntry(em, { now, uuid }, { tenantId, requestId, ...SIGN_IN_ENTRY, outcome, metadata })
  }

  /** Ends the sign-in without a person, or counts a wrong presentation until there were too many. */
  const fail = (place: Place, name: string, code: string, isFinal: boolean): Promise<void> =>
    inTenant(database.tenants, place.tenantId, async (em) => {
      const { row } = await byRequest(em, place, name, true)
      row.failures += 1
      row.failureCode = code
      row.updatedAt = now()
      if (isFinal || row.failures >= MAX_FAILURES) row.state = 'REFUSED'
      noteFor(em, row, 'FAIL', code)
    })

  return {
    /** Begins the sign-in of a browser's interaction, or returns the one that has begun. */
    async beginSignIn(
      place: Place,
      {
        interaction,
        clientId,
        requestId,
        expiresAt,
      }: { interaction: string; clientId: string; requestId: string; expiresAt: Date },
    ): Promise<SignInView> {
      const { tenantId, verifierId } = place
      const { baseUrl } = await tenants.byId(tenantId)
      return inTenant(database.tenants, tenantId, async (em) => {
        const verifier = await findVerifier(em, verifierId)
        const client = await findClient(em, verifierId, clientId)
        const template = await em.findOneOrFail(PresentationTemplate, { id: verifier.presentationTemplateId })
        const found = await byInteraction(em, place, interaction)
        const id = found?.id ?? uuid()
        const at = now()
        const row =
          found ??
          em.create(OidcSignIn, {
            ...{ id, tenantId, verifierId, clientId, requestId, expiresAt, state: 'WAITING' },
            interactionDigest: digestOf(interaction),
            otherDeviceDigest: digestOf(secrets.requestName(id, 'other')),
            sameDeviceDigest: digestOf(secrets.requestName(id, 'same')),
            content: sealed({ tenantId, id }, { interaction }),
            createdAt: at,
            updatedAt: at,
          })
        const issuer = issuerOf(baseUrl, verifierId)
        const { verifierDid } = verifier
        return {
          ...{ id, state: row.state, failures: row.failures ?? 0, expiresAt: row.expiresAt },
          answeredBy: row.answeredBy ?? null,
          failureCode: row.failureCode ?? null,
          clientName: client.name,
          logoUri: client.logoUri ?? null,
          asked: template.name,
          links: {
            other: linkOf(issuer, verifierDid, id, 'other'),
            same: linkOf(issuer, verifierDid, id, 'same'),
          },
        }
      })
    },

    /** Undefined for an interaction without a sign-in. */
    async readSignIn(place: Place, interaction: string) {
      const row = await inTenant(database.tenants, place.tenantId, (em) => byInteraction(em, place, interaction))
      if (!row) return undefined
      const { state, answeredBy, failures, failureCode } = row
      return { state, answeredBy: answeredBy ?? null, failures, failureCode: failureCode ?? null }
    },

    /** The signed request that a wallet fetches. Throws `sign_in.request_over`, `oidc_verifier.template_unsuitable`. */
    async requestObject(place: Place, name: string): Promise<string> {
      const { row, verifier, client, template, handover } = await readForAnswer(place, name)
      return signInRequests.sign(place.tenantId, verifier.verifierDid, {
        ...handover,
        query: await signInRequests.queryFor(place.tenantId, template.query),
        issuedAt: now(),
        expiresAt: row.expiresAt,
        clientName: client.name,
        logoUri: client.logoUri ?? null,
      })
    },

    /**
     * Takes the answer of a wallet, once. Returns where the wallet leads its holder, if it is on the browser's device. A
     * presentation that is not accepted may be tried again, a few times. Throws `sign_in.*`.
     */
    async answerRequest(place: Place, name: string, says: WalletSays): Promise<{ redirectUri?: string }> {
      const asked = await readForAnswer(place, name)
      const { tenantId, verifierId } = place
      if ('error' in says) {
        await fail(place, name, 'sign_in.declined', true)
        return {}
      }
      const { verifier, template, handover, device, issuer } = asked
      try {
        const { presented, vpToken } = readVpToken(says.vpToken, signInRequests.wantedBy(template.query))
        const { trustedContexts } = template
        const asking = { ...handover, ...(trustedContexts && { trustedContexts }) }
        const verified = await signInChecks.verifyAll(tenantId, presented, asking)
        const [first] = verified
        if (!first) throw new Error('a read answer has a presentation')
        const stated = verified.map((each) => each.stated)
        const account: Account = {
          subject: secrets.subject(tenantId, verifierId, first.holder),
          claims: {
            ...mappedClaims(verifier.claimMappings, stated),
            ...(verifier.includePresentation && { [PRESENTATION_CLAIM]: vpToken }),
          },
        }
        return await inTenant(database.tenants, tenantId, async (em) => {
          const { row } = await byRequest(em, place, name, true)
          const { interaction } = opened(row)
          Object.assign(row, {
            state: 'PRESENTED',
            answeredBy: device,
            failureCode: null,
            content: sealed(row, { interaction, account }),
            updatedAt: now(),
          })
          noteFor(em, row, 'SUCCESS')
          if (device === 'other') return {}
          const back = new URLSearchParams({ response_code: secrets.responseCode(row.id) })
          return { redirectUri: `${issuer}/sign-in/${interaction}/done?${back}` }
        })
      } catch (error) {
        if (!(error instanceof Refusal) || error.code === 'sign_in.request_over') throw error
        await fail(place, name, error.code, false)
        throw error
      }
    },

    /**
     * The person that presented, for the browser where the sign-in began. From a wallet on the same device it takes the
     * response code, which only that device has: somebody who was sent another person's link cannot lend them a session.
     * Throws `sign_in.not_presented`.
     */
    async finishSignIn(place: Place, interaction: string, responseCode: string | undefined, keptSeconds: number) {
      return inTenant(database.tenants, place.tenantId, async (em) => {
        const row = await byInteraction(em, place, interaction)
        const isAnswered = row?.state === 'PRESENTED' && row.expiresAt > now()
        const isHere =
          row?.answeredBy === 'other' ||
          (row !== null && responseCode !== undefined && secrets.isResponseCode(row.id, responseCode))
        if (!row || !isAnswered || !isHere)
          throw invalidAnswer('not_presented', 'Nobody has presented a credential here. Begin the sign-in again.')
        const { account } = opened(row)
        if (!account) throw new Error(`the sign-in ${row.id} has no account`)
        const keepUntil = new Date(now().getTime() + keptSeconds * 1000)
        if (row.expiresAt < keepUntil) row.expiresAt = keepUntil
        return { signInId: row.id, subject: account.subject }
      })
    },

    /** Ends a sign-in that its person cancelled. */
    async cancelSignIn(place: Place, interaction: string): Promise<void> {
      await inTenant(database.tenants, place.tenantId, async (em) => {
        const row = await byInteraction(em, place, interaction)
        if (row?.state !== 'WAITING') return
        Object.assign(row, { state: 'REFUSED', failureCode: 'sign_in.cancelled', updatedAt: now() })
        noteFor(em, row, 'FAIL', 'sign_in.cancelled')
      })
    },

    /** Keeps the claims of a person for as long as a client may ask for them again. */
    async keepAccount({ tenantId, verifierId }: Place, signInId: string, keptSeconds: number): Promise<void> {
      const until = new Date(now().getTime() + keptSeconds * 1000)
      await inTenant(database.tenants, tenantId, (em) =>
        em.nativeUpdate(
          OidcSignIn,
          { id: signInId, verifierId, expiresAt: { $gt: now(), $lt: until } },
          { expiresAt: until },
        ),
      )
    },

    /** Undefined once it has expired, or where it is of another verifier. */
    async readAccount({ tenantId, verifierId }: Place, signInId: string): Promise<Account | undefined> {
      const row = await inTenant(database.tenants, tenantId, (em) =>
        em.findOne(OidcSignIn, { id: signInId, verifierId }),
      )
      return row && row.expiresAt > now() ? opened(row).account : undefined
    },
  }
}

export type SignIns = ReturnType<typeof createSignIns>
