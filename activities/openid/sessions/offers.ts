import { OpenIdIssuance, OpenIdSession } from '../../../entities/openid/sessions.ts'
import { inTenant } from '../../../entities/orm.ts'
import { type FieldError, Refusal, within } from '../../../protocol/errors.ts'
import { checkOffer, type OfferInput, offerUri } from '../../../protocol/openid/oid4vci/offers.ts'
import { isUuid } from '../../../protocol/uuid.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Call, Operations } from '../../frame/operations.ts'
import type { Sealer } from '../../frame/sealing.ts'
import type { Tenants } from '../../frame/tenants/index.ts'
import type { Configurations, OfferedTemplate } from './configurations.ts'
import { sealContent } from './records.ts'
import { digestOf, newSecret, type SessionSecrets } from './secrets.ts'

export interface CreatedOffer {
  sessionId: string
  uri: string
  /** For the holder, by another way than the offer: e.g. by letter or SMS. */
  txCode?: string
  expiresAt: string
}

interface Parts extends Pick<Dependencies, 'database' | 'outbox' | 'now' | 'uuid'> {
  operations: Operations
  sealer: Sealer
  tenants: Pick<Tenants, 'byId'>
  configurations: Configurations
  secrets: SessionSecrets
}

const MISSING = /(claim_missing|claim_required)$/
const UNMAPPED = /claim_unmapped$/

/** The errors of a template about the claims of an offer; with a claim source the missing ones may come from there. */
function claimErrors({ wallets, ...template }: OfferedTemplate, claims: OfferInput['claims']): FieldError[] {
  try {
    wallets.checkClaims(template, claims)
    return []
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const hasSource = wallets.claimSourceOf(template) !== undefined
    return error.errors.filter(({ code }) => !hasSource || !(MISSING.test(code) || UNMAPPED.test(code)))
  }
}

/** Throws for claims that would be missing, and for one that no template takes. */
function checkClaims(templates: readonly OfferedTemplate[], claims: OfferInput['claims']): void {
  const perTemplate = templates.map((template) => claimErrors(template, claims))
  const isLost = ({ path }: FieldError) => perTemplate.every((errors) => errors.some((each) => each.path === path))
  const errors = perTemplate.flat().filter((error) => !UNMAPPED.test(error.code) || isLost(error))
  const once = new Map(errors.map((error) => [`${error.path} ${error.code}`, error]))
  if (once.size > 0)
    throw new Refusal('openid_offer.claims_unfit', 'The claims do not fit the templates of the offer; see errors.', [
      ...once.values(),
    ])
}

/** Offers of credentials, each the beginning of a session. */
export function createOffers({
  database,
  outbox,
  now,
  uuid,
  operations,
  sealer,
  tenants,
  configurations,
  secrets,
}: Parts) {
  async function templatesOf(tenantId: string, ids: readonly string[]): Promise<OfferedTemplate[]> {
    const found = await inTenant(database.tenants, tenantId, (em) =>
      configurations.findTemplates(em, ids.filter(isUuid)),
    )
    const byId = new Map(found.map((template) => [template.id, template]))
    const unknown = ids.flatMap((id, at): FieldError[] =>
      byId.has(id)
        ? []
        : [
            {
              path: within('credentials', at),
              code: 'unknown',
              message: 'expected the id of a template of the tenant',
            },
          ],
    )
    if (unknown.length > 0)
      throw new Refusal('openid_offer.unknown_configuration', 'The tenant has no such template; see errors.', unknown)
    return ids.flatMap((id) => byId.get(id) ?? [])
  }

  return {
    /**
     * Makes an offer, and begins its session. Throws `openid_offer.invalid`, `openid_offer.unknown_configuration`,
     * `openid_offer.claims_unfit`.
     */
    async createOffer(
      call: Call,
      operationId: 'createOpenIdConfiguration' | 'createOpenIdSession',
      input: OfferInput,
    ): Promise<CreatedOffer> {
      const { tenantId, requestId, clientId } = call
      checkOffer(input)
      const { configurationIds, grantType, claims, lifetimeSeconds } = input
      const isRepeated = call.idempotency && 'effect' in call.idempotency
      const templates = isRepeated ? [] : await templatesOf(tenantId, configurationIds)
      checkClaims(templates, claims)
      const sessionId = uuid()
      const code = newSecret()
      const txCode = input.txCode ? secrets.newTxCode() : undefined
      const { baseUrl: issuer } = await tenants.byId(tenantId)
      return operations.change(call, operationId, { id: sessionId, grantType }, async (em) => {
        const at = now()
        const endsAt = new Date(at.getTime() + lifetimeSeconds * 1000)
        const of = { id: sessionId, tenantId }
        em.create(OpenIdSession, {
          ...of,
          grantType,
          state: 'OFFERED',
          content: sealContent(sealer, of, {
            claims,
            ...(grantType === 'authorization_code' && { parameters: input.parameters }),
          }),
          codeDigest: digestOf(code),
          codeExpiresAt: endsAt,
          txCodeDigest: txCode === undefined ? null : secrets.txCodeDigest(sessionId, txCode),
          steps: [{ step: 'OFFER_CREATED', at: at.toISOString() }],
          requestId,
          clientId,
          endsAt,
          createdAt: at,
          updatedAt: at,
        })
        await em.flush()
        for (const [place, { id: templateId, format }] of templates.entries())
          em.create(OpenIdIssuance, {
            id: uuid(),
            tenantId,
            sessionId,
            place,
            templateId,
            format,
            state: 'OFFERED',
            createdAt: at,
            updatedAt: at,
          })
        await em.flush()
        await outbox.start(em, 'issueOpenIdCredentials', { tenantId, sessionId }, { templateIds: configurationIds })
        const uri = offerUri({ issuer, configurationIds, grantType, code, txCode: txCode !== undefined })
        return { sessionId, uri, ...(txCode !== undefined && { txCode }), expiresAt: endsAt.toISOString() }
      })
    },
  }
}

export type Offers = ReturnType<typeof createOffers>
