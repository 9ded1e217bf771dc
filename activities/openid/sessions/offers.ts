import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { OpenIdIssuance, OpenIdSession } from '../../../entities/openid/sessions.ts'
import { inTenant } from '../../../entities/orm.ts'
import { type FieldError, Refusal, within } from '../../../protocol/errors.ts'
import type { WalletPolicy } from '../../../protocol/openid/oid4vci/authorization/types.ts'
import { isFit, type OfferedConfiguration } from '../../../protocol/openid/oid4vci/metadata.ts'
import { checkOffer, type OfferInput, offerUri } from '../../../protocol/openid/oid4vci/offers.ts'
import { isUuid } from '../../../protocol/uuid.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Call, Operations } from '../../frame/operations.ts'
import type { Sealer } from '../../frame/sealing.ts'
import { digestOf, newSecret } from '../../frame/secrets.ts'
import type { Tenants } from '../../frame/tenants/index.ts'
import { firstProvider } from '../authorization/granted.ts'
import { policyIn } from '../authorization/policy.ts'
import { findProvider } from '../providers/lifecycle.ts'
import type { Configurations, OfferedTemplate } from './configurations.ts'
import { sealContent } from './records.ts'
import type { SessionSecrets } from './secrets.ts'

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

/** One issuance for each template of a session, in their order. */
export async function addIssuances(
  em: SqlEntityManager,
  { now, uuid }: Pick<Dependencies, 'now' | 'uuid'>,
  { id: sessionId, tenantId }: { id: string; tenantId: string },
  templates: readonly Pick<OfferedTemplate, 'id' | 'format'>[],
): Promise<void> {
  const at = now()
  for (const [place, { id: templateId, format }] of templates.entries()) {
    const of = { id: uuid(), tenantId, sessionId, place, templateId, format }
    em.create(OpenIdIssuance, { ...of, state: 'OFFERED', createdAt: at, updatedAt: at })
  }
  await em.flush()
}

const MISSING = /(claim_missing|claim_required)$/
const UNMAPPED = /claim_unmapped$/

/** Errors of a template about the claims of an offer; the missing ones may come from a claim source, or with the login. */
function claimErrors(
  { wallets, ...template }: OfferedTemplate,
  claims: OfferInput['claims'],
  hasLogin: boolean,
): FieldError[] {
  try {
    wallets.checkClaims(template, claims)
    return []
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const hasSource = hasLogin || wallets.claimSourceOf(template) !== undefined
    return error.errors.filter(({ code }) => !hasSource || !(MISSING.test(code) || UNMAPPED.test(code)))
  }
}

/** Throws for claims that would be missing, and for one that no template takes. */
function checkClaims(templates: readonly OfferedTemplate[], claims: OfferInput['claims'], hasLogin: boolean): void {
  const perTemplate = templates.map((template) => claimErrors(template, claims, hasLogin))
  const isLost = ({ path }: FieldError) => perTemplate.every((errors) => errors.some((each) => each.path === path))
  const errors = perTemplate.flat().filter((error) => !UNMAPPED.test(error.code) || isLost(error))
  const once = new Map(errors.map((error) => [`${error.path} ${error.code}`, error]))
  if (once.size > 0)
    throw new Refusal('openid_offer.claims_unfit', 'The claims do not fit the templates of the offer; see errors.', [
      ...once.values(),
    ])
}

/** Throws for a template whose credentials cannot be suspended. */
function checkSuspendable(templates: readonly OfferedTemplate[]): void {
  const fixed = templates.filter(({ wallets, ...template }) => !wallets.isSuspendable?.(template))
  if (fixed.length > 0)
    throw new Refusal('openid_offer.invalid', 'The offer cannot be made; see errors.', [
      {
        path: 'suspendable',
        code: 'suspendable',
        message: 'expected false, or revocable templates of web semantic credentials of data model 2.0',
      },
    ])
}

/** Throws for what the profile of the tenant forbids. */
function checkFit(offered: readonly OfferedConfiguration[], policy: WalletPolicy): void {
  const errors = offered.flatMap((each, at): FieldError[] =>
    isFit(each, policy)
      ? []
      : [
          {
            path: within('credentials', at),
            code: 'profile',
            message: 'expected a template with issued_as x5c: the profile haip demands the certificate of the signer',
          },
        ],
  )
  if (errors.length > 0) throw new Refusal('openid_offer.invalid', 'The offer cannot be made; see errors.', errors)
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
    const { found, policy } = await inTenant(database.tenants, tenantId, async (em) => ({
      found: await configurations.findTemplates(em, ids.filter(isUuid)),
      policy: await policyIn(em),
    }))
    const byId = new Map(found.map((template) => [template.id, template]))
    const unknown = ids.flatMap((id, at): FieldError[] =>
      byId.has(id)
        ? []
        : [
            {
              path: within('credentials', at),
              code: 'unknown',
              message: 'expected the id of a template of the tenant, and none that makes envelopes',
            },
          ],
    )
    if (unknown.length > 0)
      throw new Refusal('openid_offer.unknown_configuration', 'The tenant has no such template; see errors.', unknown)
    const templates = ids.flatMap((id) => byId.get(id) ?? [])
    checkFit(templates.map(configurations.configurationOf), policy)
    return templates
  }

  /** The grant of an offer, and who logs its holder in (D-506). */
  async function loginOf(tenantId: string, { grantType, parameters, providerId: named }: OfferInput) {
    const isOpen = grantType === undefined && (named !== undefined || Object.keys(parameters).length > 0)
    const mayLogIn = grantType === 'authorization_code' || isOpen
    if (!mayLogIn && named === undefined) return { grantType: 'pre-authorized_code', providerId: null } as const
    const provider = await inTenant(database.tenants, tenantId, (em) =>
      named === undefined ? firstProvider(em) : findProvider(em, named),
    )
    if (!mayLogIn) return { grantType: 'pre-authorized_code', providerId: null } as const
    if (provider) return { grantType: 'authorization_code', providerId: provider.id } as const
    if (isOpen) return { grantType: 'pre-authorized_code', providerId: null } as const
    throw new Refusal(
      'openid_offer.no_provider',
      'The tenant has no authentication provider, so that no holder can log in. Create one, or offer a pre-authorized code.',
      [{ path: 'grantType', code: 'provider', message: 'expected pre-authorized_code' }],
    )
  }

  return {
    /**
     * Makes an offer, and begins its session. Throws `openid_offer.invalid`, `openid_offer.unknown_configuration`,
     * `openid_offer.claims_unfit`, `openid_offer.no_provider`, `authentication_provider.not_found`.
     */
    async createOffer(
      call: Call,
      operationId: 'createOpenIdConfiguration' | 'createOpenIdSession',
      input: OfferInput,
    ): Promise<CreatedOffer> {
      const { tenantId, requestId, clientId } = call
      const { grantType, providerId } = await loginOf(tenantId, input)
      checkOffer({ ...input, grantType })
      const { configurationIds, claims, lifetimeSeconds } = input
      const hasLogin = grantType === 'authorization_code'
      const isRepeated = call.idempotency && 'effect' in call.idempotency
      const templates = isRepeated ? [] : await templatesOf(tenantId, configurationIds)
      checkClaims(templates, claims, hasLogin)
      if (input.suspendable) checkSuspendable(templates)
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
            ...(input.suspendable && { suspendable: true }),
            ...(hasLogin && { parameters: input.parameters }),
          }),
          ...(hasLogin
            ? { issuerStateDigest: digestOf(code), providerId }
            : { codeDigest: digestOf(code), codeExpiresAt: endsAt }),
          txCodeDigest: txCode === undefined ? null : secrets.txCodeDigest(sessionId, txCode),
          steps: [{ step: 'OFFER_CREATED', at: at.toISOString() }],
          requestId,
          clientId,
          endsAt,
          createdAt: at,
          updatedAt: at,
        })
        await em.flush()
        await addIssuances(em, { now, uuid }, of, templates)
        await outbox.start(em, 'issueOpenIdCredentials', { tenantId, sessionId }, { templateIds: configurationIds })
        const uri = offerUri({ issuer, configurationIds, grantType, code, txCode: txCode !== undefined })
        return { sessionId, uri, ...(txCode !== undefined && { txCode }), expiresAt: endsAt.toISOString() }
      })
    },
  }
}

export type Offers = ReturnType<typeof createOffers>
