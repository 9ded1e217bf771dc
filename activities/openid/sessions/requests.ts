import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { Credential } from '../../../entities/credentials/credentials.ts'
import { OpenIdIssuance, type OpenIdSession } from '../../../entities/openid/sessions.ts'
import { inTenant } from '../../../entities/orm.ts'
import type { KeyRequirements } from '../../../protocol/credentials/key-attestations.ts'
import { walletRefusal } from '../../../protocol/openid/oid4vci/refusals.ts'
import type { CredentialRequest, Wanted } from '../../../protocol/openid/oid4vci/requests.ts'
import { readUuid } from '../../../protocol/uuid.ts'
import type { Formats } from '../../credentials/format.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Sealer } from '../../frame/sealing.ts'
import { tokenEnd } from './authorize.ts'
import type { Configurations } from './configurations.ts'
import type { KeyProofs, ProvenKeys } from './proofs.ts'
import { addStep, issuancesOf, lockSession, sealRequest } from './records.ts'
import type { SessionSecrets } from './secrets.ts'

/** How long a session lasts at least after its wallet has asked for what is being made. */
const POLL_MS = 10 * 60_000
/** From its creation on, a session lasts no longer for that. */
const MOST_MS = 24 * 60 * 60_000

/** What a wallet is answered. */
export type Delivery =
  | { state: 'issued'; format: string; credentials: unknown[]; notificationId: string; credentialIds: string[] }
  /** The wallet asks again later (OpenID4VCI 1.0, section 9). */
  | { state: 'pending'; transactionId: string }

interface Parts extends Pick<Dependencies, 'database' | 'now'> {
  sealer: Sealer
  formats: Formats
  configurations: Configurations
  keyProofs: KeyProofs
  secrets: SessionSecrets
  /** Has the workflow of a session issue what is pending, and waits for a while; says nothing where it takes longer. */
  proceed(tenantId: string, sessionId: string): Promise<void>
}

const denied = (message: string) => walletRefusal('credential_request_denied', message)

/** A second use of the nonce is one of this issuance with the same keys, or none at all. */
const USE_NONCE = `insert into openid_used_nonces (tenant_id, nonce_digest, issuance_id, expires_at) values (?, ?, ?, ?)
on conflict (tenant_id, nonce_digest) do nothing returning issuance_id`
const NONCE_OF = 'select issuance_id from openid_used_nonces where tenant_id = ? and nonce_digest = ?'

/** Requests of wallets for credentials. */
export function createCredentialRequests(parts: Parts) {
  const { database, now, sealer, formats, configurations, keyProofs, secrets, proceed } = parts

  /** The issuance that a request is for. */
  async function wantedOf(em: SqlEntityManager, session: OpenIdSession, wanted: Wanted): Promise<OpenIdIssuance> {
    const issuances = await issuancesOf(em, session.id)
    if (wanted.by === 'identifier') {
      const issuance = issuances.find(({ id }) => id === readUuid(wanted.id))
      if (session.usesIdentifiers && issuance) return issuance
      throw walletRefusal('unknown_credential_identifier', 'The access token has no such credential_identifier.')
    }
    const found =
      wanted.by === 'configuration'
        ? issuances.find(({ templateId }) => templateId === readUuid(wanted.id))
        : await byFormat(em, issuances, wanted)
    // before the rule below: who names a configuration of nobody would still be wrong with an identifier in its place
    if (!found)
      throw walletRefusal('unknown_credential_configuration', 'The offer has no such credential configuration.')
    if (session.usesIdentifiers)
      throw walletRefusal(
        'invalid_credential_request',
        'The token response had credential_identifiers: send one of them as credential_identifier.',
      )
    return found
  }

  /** The one issuance of a format whose template has all the types of the request. */
  async function byFormat(
    em: SqlEntityManager,
    issuances: readonly OpenIdIssuance[],
    { format, types }: Extract<Wanted, { by: 'format' }>,
  ): Promise<OpenIdIssuance | undefined> {
    const ids = issuances.map(({ templateId }) => templateId)
    const templates = (await configurations.findTemplates(em, ids)).map(configurations.configurationOf)
    const fitting = templates.filter(
      (each) => each.format === format && types.length > 0 && types.every((type) => each.types.includes(type)),
    )
    const [only, ...more] = issuances.filter(({ templateId }) => fitting.some(({ id }) => id === templateId))
    if (more.length > 0)
      throw walletRefusal('invalid_credential_request', 'Several credentials of the offer have these types: name one.')
    return only
  }

  /** What the template of an issuance requires of keys; throws where the request has too few or needless ones. */
  async function requirementsOf(
    em: SqlEntityManager,
    { templateId, state }: OpenIdIssuance,
    { proofs, attestation }: CredentialRequest,
  ): Promise<KeyRequirements | undefined> {
    const isProved = proofs.length > 0 || attestation !== undefined
    const [template] = await configurations.findTemplates(em, [templateId])
    if (!template && state === 'ISSUED') return undefined // given already, and only to the same keys again
    if (!template)
      throw walletRefusal('unknown_credential_configuration', 'The issuer has deleted this credential configuration.')
    const { bindingMethods, format, keyAttestations } = configurations.configurationOf(template)
    if (state === 'ISSUED') return keyAttestations
    if (bindingMethods.length > 0 && !isProved)
      throw walletRefusal(
        'invalid_proof',
        `A credential of the format ${format} is bound to a key: send a proof of it.`,
      )
    if (bindingMethods.length === 0 && isProved)
      throw walletRefusal(
        'invalid_credential_request',
        `A credential of the format ${format} is bound to no key: send no proof.`,
      )
    return keyAttestations
  }

  async function useNonces(
    em: SqlEntityManager,
    { id, tenantId }: OpenIdIssuance,
    { nonces }: ProvenKeys,
    again: boolean,
  ) {
    for (const { digest, endsAt } of nonces) {
      const rows = await em.execute<object[]>(USE_NONCE, [tenantId, digest, id, endsAt])
      if (rows.length > 0) continue
      const [used] = await em.execute<{ issuance_id: string }[]>(NONCE_OF, [tenantId, digest])
      if (!again || used?.issuance_id !== id)
        throw walletRefusal('invalid_nonce', 'The nonce was used already. Get a new one from the nonce endpoint.')
    }
  }

  /** Notes the request, unless it is one that was noted before: of two at once with other keys, one is refused. */
  const accept = (session: OpenIdSession, issuanceId: string, keys: ProvenKeys, requestId: string): Promise<void> =>
    inTenant(database.tenants, session.tenantId, async (em) => {
      const locked = await lockSession(em, session.id)
      const issuance = await em.findOne(OpenIdIssuance, { id: issuanceId })
      if (!locked || !issuance) throw walletRefusal('invalid_token', 'The session of this access token is gone.')
      const isSame = issuance.requestDigest !== null && keys.digest.equals(Buffer.from(issuance.requestDigest ?? []))
      if (issuance.state === 'ISSUED' && !isSame)
        throw denied(
          'The credential was issued already, for other keys. A new one needs the refresh token with a scope or authorization_details that name this credential, or a new offer.',
        )
      if (issuance.state === 'PENDING' && !isSame)
        throw denied('The credential is being issued for other keys. Ask again with those, or begin with a new offer.')
      await useNonces(em, issuance, keys, isSame)
      if (issuance.state === 'ISSUED' || issuance.state === 'PENDING') return
      if (locked.endedAt) throw denied('The session has ended. A credential needs the refresh token, or a new offer.')
      const at = now()
      Object.assign(issuance, {
        state: 'PENDING',
        request: sealRequest(sealer, issuance, { holders: keys.holders }),
        requestDigest: keys.digest,
        requestId,
        requestedAt: at,
        failureCode: null,
        failureMessage: null,
        walletMessage: null,
        updatedAt: at,
      })
      addStep(locked, at, { step: 'CREDENTIAL_REQUESTED', issuanceId })
    })

  /** The answer about an issuance as it is now; undefined while it is pending. */
  const read = (tenantId: string, issuanceId: string): Promise<Delivery | undefined> =>
    inTenant(database.tenants, tenantId, async (em) => {
      const issuance = await em.findOneOrFail(OpenIdIssuance, { id: issuanceId })
      const { state, format, credentialIds, walletMessage } = issuance
      if (state === 'FAILED')
        throw denied(walletMessage ?? 'The issuer cannot issue the credential. Contact the issuer.')
      if (state !== 'ISSUED' || !credentialIds) return undefined
      const { wallets } = formats.of(format)
      if (!wallets) throw new Error(`wallets get no credentials of the format ${format}`)
      const rows = await em.find(Credential, { id: { $in: credentialIds } })
      const byId = new Map(rows.map((row) => [row.id, row]))
      const documents = credentialIds.flatMap((id) => {
        const row = byId.get(id)
        return row ? [wallets.documentOf(row)] : []
      })
      if (documents.length < credentialIds.length) throw denied('The issuer has deleted the credential since.')
      return {
        state: 'issued',
        format,
        credentials: documents,
        notificationId: secrets.handle('notification', issuanceId),
        credentialIds,
      }
    })

  async function settle(tenantId: string, sessionId: string, issuanceId: string): Promise<Delivery> {
    const known = await read(tenantId, issuanceId)
    if (known) return known
    await proceed(tenantId, sessionId)
    const settled = await read(tenantId, issuanceId)
    if (settled) return settled
    await waitFor(tenantId, sessionId)
    return { state: 'pending', transactionId: secrets.handle('transaction', issuanceId) }
  }

  /** A wallet that asks for what is being made finds it when it is there: the session and its token last longer (D-1107, D-1195). */
  const waitFor = (tenantId: string, sessionId: string): Promise<void> =>
    inTenant(database.tenants, tenantId, async (em) => {
      const session = await lockSession(em, sessionId)
      if (!session || session.endedAt) return
      const at = now()
      const until = new Date(Math.min(at.getTime() + POLL_MS, session.createdAt.getTime() + MOST_MS))
      const tokenUntil = tokenEnd(until, Boolean(session.dpopJkt), at)
      if (session.endsAt < until) session.endsAt = until
      if (session.tokenExpiresAt && session.tokenExpiresAt < tokenUntil) session.tokenExpiresAt = tokenUntil
    })

  return {
    /**
     * Gives a wallet what it asks for, once: the same request again gets the same credentials. Throws `wallet.*`, the
     * standards' errors.
     */
    async requestCredential(
      session: OpenIdSession,
      request: CredentialRequest,
      { issuer, requestId }: { issuer: string; requestId: string },
    ): Promise<Delivery> {
      const { tenantId, id: sessionId, walletClientId } = session
      const { issuanceId, required } = await inTenant(database.tenants, tenantId, async (em) => {
        const issuance = await wantedOf(em, session, request.wanted)
        return { issuanceId: issuance.id, required: await requirementsOf(em, issuance, request) }
      })
      const wallet = { tenantId, issuer, clientId: walletClientId ?? undefined }
      const keys = await keyProofs.verifyProofs(wallet, request, required)
      await accept(session, issuanceId, keys, requestId)
      return settle(tenantId, sessionId, issuanceId)
    },

    /**
     * The answer of a request that was answered as pending, as often as it is asked for until the wallet notifies that it
     * has the credential (OpenID4VCI 1.0, section 9.1). Throws `wallet.invalid_transaction_id`.
     */
    async requestDeferred({ tenantId, id: sessionId }: OpenIdSession, transactionId: string): Promise<Delivery> {
      const issuances = await inTenant(database.tenants, tenantId, (em) => issuancesOf(em, sessionId))
      const issuance = issuances.find(
        ({ id, state, notification }) =>
          state !== 'OFFERED' && !notification && secrets.isHandle('transaction', id, transactionId),
      )
      if (!issuance) throw walletRefusal('invalid_transaction_id', 'The transaction_id is none of this access token.')
      return settle(tenantId, sessionId, issuance.id)
    },
  }
}

export type CredentialRequests = ReturnType<typeof createCredentialRequests>
