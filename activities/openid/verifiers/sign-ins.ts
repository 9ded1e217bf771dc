import { OidcSignIn, type OidcVerifier, type SignInState } from '../../../entities/openid/verifiers.ts'
import { inTenant, takeTurn } from '../../../entities/orm.ts'
import { PresentationTemplate } from '../../../entities/semantic-credentials.presentations.ts'
import { invalidAnswer } from '../../../protocol/openid/verifiers/answers.ts'
import { clientIdOf, walletLink } from '../../../protocol/openid/verifiers/requests.ts'
import type { Dependencies } from '../../dependencies.ts'
import { digestOf } from '../../frame/secrets.ts'
import type { Tenants } from '../../frame/tenants/index.ts'
import { findClient, findVerifier, issuerOf } from './records.ts'
import type { Account, Place, SignInRows } from './rows.ts'
import type { SignInSecrets, WalletDevice } from './secrets.ts'

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

interface Parts extends Pick<Dependencies, 'database' | 'now' | 'uuid'> {
  tenants: Pick<Tenants, 'byId'>
  rows: SignInRows
  secrets: SignInSecrets
}

/** Sign-ins of people, as their browsers and the clients see them. */
export function createSignIns({ database, now, uuid, tenants, rows, secrets }: Parts) {
  const linkOf = (issuer: string, verifier: OidcVerifier, id: string, device: WalletDevice): string => {
    const requestUri = `${issuer}/requests/${secrets.requestName(id, device)}`
    return walletLink(clientIdOf(verifier), requestUri, verifier.requestUriMethod ?? 'get')
  }

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
        // of two loads of a page at once the second finds the row of the first
        await takeTurn(em, `sign-in ${tenantId} ${interaction}`)
        const verifier = await findVerifier(em, verifierId)
        const client = await findClient(em, verifierId, clientId)
        const template = await em.findOneOrFail(PresentationTemplate, { id: verifier.presentationTemplateId })
        const found = await rows.byInteraction(em, place, interaction)
        const id = found?.id ?? uuid()
        const at = now()
        const row =
          found ??
          em.create(OidcSignIn, {
            ...{ id, tenantId, verifierId, clientId, requestId, expiresAt, state: 'WAITING' },
            interactionDigest: digestOf(interaction),
            otherDeviceDigest: digestOf(secrets.requestName(id, 'other')),
            sameDeviceDigest: digestOf(secrets.requestName(id, 'same')),
            content: rows.sealed({ tenantId, id }, { interaction }),
            createdAt: at,
            updatedAt: at,
          })
        const issuer = issuerOf(baseUrl, verifierId)
        return {
          ...{ id, state: row.state, failures: row.failures ?? 0, expiresAt: row.expiresAt },
          answeredBy: row.answeredBy ?? null,
          failureCode: row.failureCode ?? null,
          clientName: client.name,
          logoUri: client.logoUri ?? null,
          asked: template.name,
          links: {
            other: linkOf(issuer, verifier, id, 'other'),
            same: linkOf(issuer, verifier, id, 'same'),
          },
        }
      })
    },

    /** Undefined for an interaction without a sign-in. */
    async readSignIn(place: Place, interaction: string) {
      const row = await inTenant(database.tenants, place.tenantId, (em) => rows.byInteraction(em, place, interaction))
      if (!row) return undefined
      const { state, answeredBy, failures, failureCode } = row
      return { state, answeredBy: answeredBy ?? null, failures, failureCode: failureCode ?? null }
    },

    /**
     * The person that presented, for the browser where the sign-in began. From a wallet on the same device it takes the
     * response code, which only that device has: somebody who was sent another person's link cannot lend them a session.
     * Throws `sign_in.not_presented`.
     */
    async finishSignIn(place: Place, interaction: string, responseCode: string | undefined, keptSeconds: number) {
      return inTenant(database.tenants, place.tenantId, async (em) => {
        const row = await rows.byInteraction(em, place, interaction)
        const isAnswered = row?.state === 'PRESENTED' && row.expiresAt > now()
        const isHere =
          row?.answeredBy === 'other' ||
          (row !== null && responseCode !== undefined && secrets.isResponseCode(row.id, responseCode))
        if (!row || !isAnswered || !isHere)
          throw invalidAnswer('not_presented', 'Nobody has presented a credential here. Begin the sign-in again.')
        const { account } = rows.opened(row)
        if (!account) throw new Error(`the sign-in ${row.id} has no account`)
        const keepUntil = new Date(now().getTime() + keptSeconds * 1000)
        if (row.expiresAt < keepUntil) row.expiresAt = keepUntil
        return { signInId: row.id, subject: account.subject }
      })
    },

    /** Ends a sign-in that its person cancelled. */
    async cancelSignIn(place: Place, interaction: string): Promise<void> {
      await inTenant(database.tenants, place.tenantId, async (em) => {
        const row = await rows.byInteraction(em, place, interaction)
        if (row?.state !== 'WAITING') return
        Object.assign(row, { state: 'REFUSED', failureCode: 'sign_in.cancelled', updatedAt: now() })
        rows.note(em, row, 'FAIL', { code: 'sign_in.cancelled' })
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
      return row && row.expiresAt > now() ? rows.opened(row).account : undefined
    },
  }
}

export type SignIns = ReturnType<typeof createSignIns>
