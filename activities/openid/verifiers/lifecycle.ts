import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { OidcVerifier } from '../../../entities/openid/verifiers.ts'
import { inTenant, takeTurn } from '../../../entities/orm.ts'
import { PresentationTemplate } from '../../../entities/semantic-credentials.presentations.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { checkMappings, type VerifierValues } from '../../../protocol/openid/verifiers/values.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Call, Operations } from '../../frame/operations.ts'
import type { Tenants } from '../../frame/tenants/index.ts'
import type { SignInRequests } from './asking.ts'
import type { VerifierKeys } from './keys.ts'
import { findVerifier, toVerifier, type VerifierRecord } from './records.ts'

export const MAX_VERIFIERS = 50

interface Parts extends Pick<Dependencies, 'database' | 'now' | 'uuid'> {
  operations: Operations
  tenants: Pick<Tenants, 'byId'>
  verifierKeys: VerifierKeys
  signInRequests: Pick<SignInRequests, 'asksForClaims' | 'checkTemplate' | 'checkSigner' | 'certificateRequest'>
}

const templateNotFound = () =>
  new Refusal('oidc_verifier.template_not_found', 'The tenant has no such presentation template.', [
    {
      path: 'presentation_template_id',
      code: 'unknown',
      message: 'expected the id of a template of getWebSemanticPresentationTemplatesLists',
    },
  ])

/** Verifiers: create, list, read, update, delete, and new keys (specification, OIDC verifier). */
export function createVerifiers({ database, now, uuid, operations, tenants, verifierKeys, signInRequests }: Parts) {
  const baseOf = async (tenantId: string) => (await tenants.byId(tenantId)).baseUrl

  /** Throws what is wrong with the values, before keys are made. */
  async function check(tenantId: string, values: VerifierValues): Promise<void> {
    const template = await inTenant(database.tenants, tenantId, (em) =>
      em.findOne(PresentationTemplate, { id: values.presentationTemplateId }),
    )
    checkMappings(values.claimMappings, template !== null && signInRequests.asksForClaims(template.query))
    if (!template) throw templateNotFound()
    signInRequests.checkTemplate(template.query)
    await signInRequests.checkSigner(tenantId, values)
  }

  /** Locked, so that nobody deletes it before the verifier names it. */
  async function holdTemplate(em: SqlEntityManager, id: string): Promise<void> {
    const text = 'select id from presentation_templates where id = ? for key share'
    const rows = await em.execute<object[]>(text, [id])
    if (rows.length === 0) throw templateNotFound()
  }

  const columns = (values: VerifierValues) => ({
    verifierDid: values.verifierDid,
    presentationTemplateId: values.presentationTemplateId,
    includePresentation: values.includePresentation,
    claimMappings: values.claimMappings.map((each) => ({ ...each })),
    certificateChain: values.certificateChain ? [...values.certificateChain] : null,
    requestUriMethod: values.requestUriMethod === 'get' ? null : values.requestUriMethod,
    updatedAt: now(),
  })

  return {
    /**
     * Throws `oidc_verifier.invalid`, `.did_unfit`, `.template_not_found`, `.template_unsuitable`, `.too_many`, and
     * `Unavailable('keys')`.
     */
    async createVerifier(call: Call, values: VerifierValues): Promise<VerifierRecord> {
      const { tenantId, idempotency } = call
      // an earlier attempt made the verifier: make no second keys
      if (idempotency && 'effect' in idempotency) return idempotency.effect as VerifierRecord
      await check(tenantId, values)
      const made = await verifierKeys.make(tenantId)
      const baseUrl = await baseOf(tenantId)
      const id = uuid()
      return operations.change(call, 'createOidcVerifier', { id }, async (em) => {
        await takeTurn(em, `verifiers of ${tenantId}`)
        if ((await em.count(OidcVerifier)) >= MAX_VERIFIERS)
          throw new Refusal('oidc_verifier.too_many', `A tenant can have ${MAX_VERIFIERS} verifiers. Delete one first.`)
        await holdTemplate(em, values.presentationTemplateId)
        const row = em.create(OidcVerifier, { id, tenantId, ...columns(values), createdAt: now() })
        await em.flush()
        await verifierKeys.give(em, id, made)
        return toVerifier(row, baseUrl)
      })
    },

    /** Newest first. */
    async listVerifiers(tenantId: string, { limit, offset }: { limit: number; offset: number }) {
      const orderBy = { createdAt: 'desc', id: 'asc' } as const
      const [rows, total] = await inTenant(database.tenants, tenantId, (em) =>
        em.findAndCount(OidcVerifier, {}, { orderBy, limit, offset }),
      )
      const baseUrl = await baseOf(tenantId)
      return { verifiers: rows.map((row) => toVerifier(row, baseUrl)), total }
    },

    async readVerifier(tenantId: string, id: string): Promise<VerifierRecord> {
      const row = await inTenant(database.tenants, tenantId, (em) => findVerifier(em, id))
      return toVerifier(row, await baseOf(tenantId))
    },

    /** PEM of a request that an authority can sign. Throws `oidc_verifier.did_unfit`. */
    async requestCertificate(tenantId: string, id: string): Promise<string> {
      const { verifierDid } = await inTenant(database.tenants, tenantId, (em) => findVerifier(em, id))
      const { hostname } = new URL(await baseOf(tenantId))
      return signInRequests.certificateRequest(tenantId, verifierDid, hostname)
    },

    /** Sign-ins that are under way go on with the new values. */
    async updateVerifier(call: Call, id: string, values: VerifierValues): Promise<VerifierRecord> {
      const { tenantId, idempotency } = call
      if (idempotency && 'effect' in idempotency) return idempotency.effect as VerifierRecord
      await inTenant(database.tenants, tenantId, (em) => findVerifier(em, id))
      await check(tenantId, values)
      const baseUrl = await baseOf(tenantId)
      return operations.change(call, 'updateOidcVerifier', { id }, async (em) => {
        const row = await findVerifier(em, id, true)
        await holdTemplate(em, values.presentationTemplateId)
        Object.assign(row, columns(values))
        return toVerifier(row, baseUrl)
      })
    },

    /** Deletes the verifier with its clients and whatever they were given, and destroys its keys. */
    async deleteVerifier(call: Call, id: string): Promise<void> {
      await operations.change(call, 'deleteOidcVerifier', { id }, async (em) => {
        const row = await findVerifier(em, id, true)
        await verifierKeys.abandon(em, id)
        await em.remove(row).flush()
        return null
      })
    },

    /** New keys are published now, and sign after five minutes. Throws `oidc_verifier.rotated_lately`. */
    async rotateKeys(call: Call, id: string): Promise<VerifierRecord> {
      const { tenantId, idempotency } = call
      if (idempotency && 'effect' in idempotency) return idempotency.effect as VerifierRecord
      await inTenant(database.tenants, tenantId, (em) => findVerifier(em, id))
      const made = await verifierKeys.make(tenantId)
      const baseUrl = await baseOf(tenantId)
      return operations.change(call, 'rotateOidcVerifierKeys', { id }, async (em) => {
        const row = await findVerifier(em, id, true)
        await verifierKeys.assertSettled(em, id)
        await verifierKeys.forget(em, id)
        await verifierKeys.give(em, id, made)
        return toVerifier(row, baseUrl)
      })
    },
  }
}

export type Verifiers = ReturnType<typeof createVerifiers>
