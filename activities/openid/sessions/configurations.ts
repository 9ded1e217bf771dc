import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { SemanticTemplate, SemanticTemplateVersion } from '../../../entities/credentials/templates.ts'
import { AuthenticationProvider } from '../../../entities/openid/providers.ts'
import { inTenant } from '../../../entities/orm.ts'
import type { FormatName } from '../../../protocol/credentials/formats.ts'
import { Refusal } from '../../../protocol/errors.ts'
import {
  isFit,
  issuerMetadata,
  type OfferedConfiguration,
  scopeOf,
  serverMetadata,
  specifiedMetadata,
} from '../../../protocol/openid/oid4vci/metadata.ts'
import type { Formats, TemplateVersion, WalletFormat } from '../../credentials/format.ts'
import type { Dependencies } from '../../dependencies.ts'
import { singleFlight } from '../../frame/caches.ts'
import type { Tenants } from '../../frame/tenants/index.ts'
import { isAnyRegistered } from '../attestations/providers.ts'
import type { TrustedProviders } from '../attestations/trusted.ts'
import { policyIn } from '../authorization/policy.ts'
import type { WalletEncryption } from './encryption.ts'

/** A template that can be offered now. */
export interface OfferedTemplate extends TemplateVersion {
  format: FormatName
  wallets: WalletFormat
}

interface Parts extends Pick<Dependencies, 'database'> {
  formats: Formats
  tenants: Pick<Tenants, 'byHost'>
  walletEncryption: Pick<WalletEncryption, 'requestKeys'>
  trustedProviders: Pick<TrustedProviders, 'isAnyListed'>
}

/** Templates in the metadata, the newest ones: a wallet that was offered another one is told of it by its offer. */
const MAX_CONFIGURATIONS = 500

/** Definitions of one answer, as the database stores them: whoever asks may be anybody, and asks again. */
const MAX_BYTES = 8_000_000

const PUBLISHED = `select id from (
  select t.id, sum(pg_column_size(v.definition)) over (order by t.created_at desc, t.id) as bytes
  from semantic_templates t join semantic_template_versions v on v.id = t.version_id
  where t.deleted_at is null order by t.created_at desc, t.id limit ${MAX_CONFIGURATIONS}) as newest
where bytes <= ${MAX_BYTES}`

const issuerNotFound = () =>
  new Refusal('openid_issuer.not_found', 'No tenant of the platform issues credentials at this host.')

/** The tenant's templates as wallets see them. */
export function createConfigurations({ database, formats, tenants, walletEncryption, trustedProviders }: Parts) {
  /** The current versions of templates that are not deleted, newest first. */
  async function findTemplates(em: SqlEntityManager, ids: readonly string[]): Promise<OfferedTemplate[]> {
    const where = { deletedAt: null, id: { $in: [...ids] } }
    const orderBy = { createdAt: 'desc', id: 'asc' } as const
    const templates = await em.find(SemanticTemplate, where, { orderBy, limit: MAX_CONFIGURATIONS })
    const versionIds = templates.map(({ versionId }) => versionId)
    const versions = await em.find(SemanticTemplateVersion, { id: { $in: versionIds } })
    const byId = new Map(versions.map((version) => [version.id, version]))
    return templates.flatMap(({ id, versionId, format }): OfferedTemplate[] => {
      const version = byId.get(versionId)
      const { wallets } = formats.of(format)
      if (!version || !wallets || wallets.isOffered?.(version) === false) return []
      return [{ id, version: version.version, definition: version.definition, deleted: false, format, wallets }]
    })
  }

  const configurationOf = ({ id, wallets, ...template }: OfferedTemplate): OfferedConfiguration => ({
    id,
    ...wallets.configurationOf(template),
  })

  /** The scopes of templates, in one text; undefined where none has any. `asked`: no other ones than those. */
  async function scopeIn(em: SqlEntityManager, ids: readonly string[], asked?: string): Promise<string | undefined> {
    const scopes = (await findTemplates(em, ids)).flatMap((template) => scopeOf(configurationOf(template)) ?? [])
    const among = asked?.split(' ')
    return [...new Set(scopes)].filter((scope) => !among || among.includes(scope)).join(' ') || undefined
  }

  /** Throws `openid_issuer.not_found`. */
  async function issuerAt(host: string): Promise<{ tenantId: string; issuer: string }> {
    const tenant = await tenants.byHost(host)
    if (!tenant) throw issuerNotFound()
    return { tenantId: tenant.id, issuer: tenant.baseUrl }
  }

  /** Templates in the metadata. */
  const publishedIds = async (em: SqlEntityManager): Promise<string[]> =>
    (await em.execute<{ id: string }[]>(PUBLISHED)).map(({ id }) => id)

  const flight = singleFlight<Awaited<ReturnType<typeof readPublished>>>()

  /** What is published at a host, looked up once for all who ask at the same time. */
  const published = (host: string) => flight(host, () => readPublished(host))

  async function readPublished(host: string) {
    const { tenantId, issuer } = await issuerAt(host)
    const [templates, registered] = await inTenant(database.tenants, tenantId, async (em) => [
      await findTemplates(em, await publishedIds(em)),
      {
        ...(await policyIn(em)),
        hasLogin: (await em.count(AuthenticationProvider)) > 0,
        attestsWallets: await isAnyRegistered(em, 'wallets'),
        attestsKeys: await isAnyRegistered(em, 'keys'),
      },
    ])
    const support = {
      ...registered,
      attestsWallets: registered.attestsWallets || (await trustedProviders.isAnyListed(tenantId, 'wallets')),
      attestsKeys: registered.attestsKeys || (await trustedProviders.isAnyListed(tenantId, 'keys')),
    }
    const configurations = templates.map(configurationOf)
    // the profile wants a scope for each of them (HAIP 1.0, section 4.1)
    const shown =
      support.profile === 'haip'
        ? configurations.filter((each) => scopeOf(each) !== undefined && isFit(each, support))
        : configurations
    return { tenantId, issuer, configurations: shown, support }
  }

  /** The issuer's metadata, and whether wallets may have it signed. */
  async function ofIssuer(host: string) {
    const { tenantId, issuer, configurations, support } = await published(host)
    const requestKeys = walletEncryption.requestKeys(tenantId)
    const metadata = issuerMetadata(issuer, configurations, { ...support, requestKeys })
    const { signsMetadata, profile } = support
    return { tenantId, issuer, metadata, signsMetadata, needsCertificate: profile === 'haip' }
  }

  return {
    findTemplates,
    publishedIds,
    configurationOf,
    scopeIn,
    issuerAt,

    /** The metadata of the tenant of a host, each in its form. Throws `openid_issuer.not_found`. */
    ofIssuer,
    issuerMetadata: async (host: string) => (await ofIssuer(host)).metadata,
    async serverMetadata(host: string) {
      const { issuer, configurations, support } = await published(host)
      return serverMetadata(issuer, configurations, support)
    },
    async specifiedMetadata(host: string) {
      const { issuer, configurations, support } = await published(host)
      return specifiedMetadata(issuer, configurations, support)
    },
  }
}

export type Configurations = ReturnType<typeof createConfigurations>
