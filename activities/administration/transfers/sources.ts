import type { Fields } from '../../../protocol/administration/transfers/fields.ts'
import { KINDS, type KindName } from '../../../protocol/administration/transfers/kinds.ts'

/** Where the rows of a kind stand. */
export interface Source {
  table: string
  /** Of those of the tenant the ones that are transferred; the table is `x`. */
  where?: string
  /** Expressions of members that are not a column of their name, or that the platform reads itself before they are written. */
  select?: Readonly<Record<string, string>>
  /** Members that are in no column. */
  notWritten?: readonly string[]
  /** Columns that files of before lack: what they are then. */
  absent?: Readonly<Record<string, string>>
  /** Columns that an import sets: expressions over `$1`, the tenant. */
  constants?: Readonly<Record<string, string>>
  /**
   * What a row `x` must be besides what the references of its table ask for, in the transaction of the tenant, which sees
   * no rows of others: foreign keys do.
   */
  fits?: { condition: string; expected: string }
  /** Rows that are read at a time; of large ones fewer. */
  page?: number
  /** Columns that order the rows; default: by their creation, the newest first. */
  keyset?: readonly [string, string]
}

const base64 = (column: string) => `translate(encode(x.${column}, 'base64'), E'\\n', '')`

const STATUS_CHANGES = `coalesce((select json_agg(json_build_object('purpose', h.purpose, 'value', h.value,
  'changedAt', h.changed_at) order by h.id) from (select * from credential_status_changes c where c.credential_id = x.id
  and c.tenant_id = x.tenant_id order by c.id desc limit 1000) h), '[]')`

const FILES = `coalesce((select json_agg(json_build_object('name', f.name, 'content',
  translate(encode(f.content, 'base64'), E'\\n', '')) order by f.name) from compact_pdf_files f
  where f.tenant_id = x.tenant_id and f.template_id = x.id and f.revision = x.revision), '[]')`

const CURRENT = `(select json_build_object('id', v.id, 'version', v.version, 'createdAt', v.created_at, 'definition', v.definition)
  from semantic_template_versions v where v.tenant_id = x.tenant_id and v.id = x.version_id)`

/** The template of a version. */
const OF_TEMPLATE = (what: string) =>
  `(select ${what} from semantic_templates t where t.tenant_id = x.tenant_id and t.id = x.template_id)`

/** A key that is nowhere: no signature is made by it. */
const NO_KEY = 'gen_random_uuid()'

export const SOURCES: { readonly [Kind in KindName]: Source } = {
  settings: { table: 'tenants' },
  contexts: { table: 'jsonld_contexts' },
  dids: {
    table: 'dids',
    where: `x.registration_status = 'COMPLETED' and x.deleted_at is null`,
    // what cannot sign is no default
    constants: { registration_status: `'COMPLETED'`, is_default_issuer: 'false' },
    notWritten: ['isDefaultIssuer'],
    // no index is in the order of their creation, and a tenant may have very many
    keyset: ['id', 'id'],
  },
  domains: {
    table: 'domains',
    notWritten: ['isVerified'],
    // as one that the platform looks for no more: its owner proves it anew
    constants: { verification_token: 'gen_random_uuid()::text', is_verified: 'false', given_up_at: 'now()' },
  },
  iacas: {
    table: 'mobile_iacas',
    select: { certificate: base64('certificate') },
    constants: { key_id: 'null' },
  },
  documentSigners: {
    table: 'mobile_document_signers',
    select: {
      publicKey: base64('public_key'),
      certificate: base64('certificate'),
      csr: base64('csr'),
    },
    // as a deleted one: its key is not here, and its credentials name it
    notWritten: ['deletedAt'],
    constants: { key_id: NO_KEY, active: 'false', renew: 'false', deleted_at: 'now()' },
  },
  credentialTemplates: { table: 'semantic_templates', select: { current: CURRENT }, notWritten: ['current'], page: 20 },
  credentialTemplateVersions: {
    table: 'semantic_template_versions',
    where: OF_TEMPLATE('t.version_id <> x.id'),
    select: { format: OF_TEMPLATE('t.format') },
    notWritten: ['format'],
    page: 20,
  },
  pdfTemplates: {
    table: 'compact_pdf_templates',
    select: { files: FILES },
    notWritten: ['files'],
    constants: { revision: 'x.id' },
    page: 1,
  },
  presentationTemplates: { table: 'presentation_templates' },
  webhooks: {
    table: 'webhooks',
    select: { hasSecret: 'x.secret is not null' },
    notWritten: ['hasSecret', 'disabled'],
    // nothing is sent before its owner has looked at it
    constants: { disabled: 'true', secret: 'null' },
  },
  claimSources: { table: 'claim_sources', constants: { secret: 'null' } },
  authenticationProviders: { table: 'authentication_providers', constants: { client_secret: 'null' } },
  interactionHooks: { table: 'openid_configurations' },
  wallets: { table: 'openid_wallets' },
  walletProviders: {
    table: 'openid_wallet_providers',
    absent: { client_ids: `'{}'::text[]`, redirect_uris: `'{}'::text[]` },
  },
  walletPolicies: {
    table: 'openid_wallet_policies',
    absent: {
      requires_encryption: 'false',
      signs_metadata: 'false',
      requires_wallet_attestation: 'false',
      requires_key_attestation: 'false',
      key_storage: `'{}'::text[]`,
      user_authentication: `'{}'::text[]`,
      batch_size: '20',
      reissue_days: '0',
    },
    constants: { reissues_since: 'null' },
  },
  trustLists: {
    table: 'trust_lists',
    // files of before have no such member
    absent: { attests: `'{}'::text[]` },
    constants: {
      revision: '1',
      stale_noted: 'false',
      // the clock looks at it at once
      due_at: 'case when x.source is null then null else now() end',
    },
  },
  users: {
    table: 'openid_users',
    // encrypted, and read by the platform before the line is written
    select: {
      subjectId: `encode(x.subject_index, 'hex')`,
      claims: `json_build_object('sealed', ${base64('content')})`,
    },
    notWritten: ['subjectId', 'claims'],
  },
  verifiers: { table: 'oidc_verifiers' },
  verifierClients: { table: 'oidc_clients', constants: { secret_digest: 'null' } },
  inboxes: { table: 'inboxes' },
  inboxDids: {
    table: 'inbox_dids',
    where: 'exists (select from dids d where d.tenant_id = x.tenant_id and d.id = x.did_id and d.deleted_at is null)',
    fits: {
      condition: 'exists (select from dids d where d.id = x.did_id and d.did = x.did)',
      expected: 'the DID that didId names',
    },
  },
  clients: { table: 'oauth2_clients', where: 'x.deleted_at is null' },
  statusLists: {
    table: 'status_lists',
    // it gives out no entries: its epoch is none of the platform's
    constants: { epoch: '-1', permutation_key: `decode(repeat('00', 32), 'hex')` },
  },
  credentials: {
    table: 'credentials',
    select: { documentBytes: base64('document_bytes'), statusChanges: STATUS_CHANGES },
    notWritten: ['statusChanges'],
    // as DIDs
    keyset: ['id', 'id'],
    page: 50,
  },
  credentialHolders: {
    table: 'credential_holders',
    keyset: ['holder_id', 'credential_id'],
    fits: {
      condition: 'exists (select from credentials c where c.id = x.credential_id)',
      expected: 'a credential of the file',
    },
  },
}

const PAGE = 200

export const columnOf = (member: string): string => member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const fieldsOf = (kind: KindName): Fields => KINDS[kind].fields

const expressionOf = (kind: KindName, member: string): string =>
  SOURCES[kind].select?.[member] ?? `x.${columnOf(member)}`

const CONDITION = (kind: KindName): string => {
  const { where } = SOURCES[kind]
  return where === undefined ? '' : ` and ${where}`
}

/** Of rows that have a time, those that were there when the export began. */
const before = (kind: KindName): string =>
  Object.hasOwn(fieldsOf(kind), 'createdAt') ? 'x.created_at <= $2::timestamptz' : '$2::timestamptz is not null'

/** Rows as lines of JSON, in an order in which a page begins where the one before ended: `$2` the time, `$3` and `$4` the place. */
export function pageStatement(kind: KindName): string {
  const { table, keyset, page = PAGE } = SOURCES[kind]
  const members = Object.keys(fieldsOf(kind))
    .map((member) => `'${member}', ${expressionOf(kind, member)}`)
    .join(', ')
  const from = `from ${table} x where ${kind === 'settings' ? 'x.id' : 'x.tenant_id'} = $1::uuid${CONDITION(kind)}`
  const line = `json_build_object(${members})::text as line`
  if (kind === 'settings')
    return `select '' as at, '' as id, ${line} ${from} and $2::timestamptz is not null
    and $3::text is null and $4::text is null`
  if (keyset) {
    const [first, second] = keyset
    return `select x.${first}::text as at, x.${second}::text as id, ${line} ${from} and ${before(kind)}
      and ($3::uuid is null or (x.${first}, x.${second}) > ($3::uuid, $4::uuid))
      order by x.${first}, x.${second} limit ${page}`
  }
  // the index begins at the place: by the second condition alone each page would read all rows before it
  return `select x.created_at::text as at, x.id::text as id, ${line} ${from}
    and x.created_at <= least($2::timestamptz, $3::timestamptz)
    and ($3::timestamptz is null or x.created_at < $3 or x.id > $4::uuid)
    order by x.created_at desc, x.id limit ${page}`
}

export const countStatement = (kind: KindName): string => {
  const { table } = SOURCES[kind]
  const own = kind === 'settings' ? 'x.id' : 'x.tenant_id'
  return `select count(*)::float8 as count from ${table} x where ${own} = $1::uuid and ${before(kind)}${CONDITION(kind)}`
}

/** Columns of a kind that its rows have in the file. */
export const writtenMembers = (kind: KindName): string[] =>
  Object.keys(fieldsOf(kind)).filter((member) => !SOURCES[kind].notWritten?.includes(member))

/**
 * Inserts lines of JSON, each with the columns of a row by their names; returns the ids of the new rows. `more`: columns
 * that the platform makes of the row.
 */
export function insertStatement(kind: KindName, more: readonly string[] = []): string {
  const { table, constants = {}, absent = {}, fits } = SOURCES[kind]
  const set = Object.keys(constants)
  const columns = [...writtenMembers(kind).map(columnOf), ...more].filter((column) => !set.includes(column))
  const writtenOf = (column: string) =>
    Object.hasOwn(absent, column) ? `coalesce(x.${column}, ${absent[column]})` : `x.${column}`
  const key = Object.hasOwn(fieldsOf(kind), 'id') ? 'id' : 'credential_id as id'
  return `insert into ${table} (tenant_id, ${[...columns, ...set].join(', ')})
    select $1::uuid, ${[...columns.map(writtenOf), ...set.map((column) => constants[column])].join(', ')}
    from string_to_table($2, E'\\n') as line, json_populate_record(null::${table}, line::json) as x${fits ? ` where ${fits.condition}` : ''}
    on conflict do nothing returning ${key}`
}
