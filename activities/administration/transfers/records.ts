import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { Field, Fields } from '../../../protocol/administration/transfers/fields.ts'
import { KINDS, type KindName } from '../../../protocol/administration/transfers/kinds.ts'
import { typeKeyOf } from '../../../protocol/compact-credentials/templates.ts'
import { isObject, type Json } from '../../../protocol/json.ts'
import { SCOPES } from '../../../protocol/tokens-logs/index.ts'
import { derivedId } from '../../credentials/issue.ts'
import type { Dependencies } from '../../dependencies.ts'
import { createSealer } from '../../frame/sealing.ts'
import { digestOf, newSecret } from '../../frame/secrets.ts'
import { newHookSecret } from '../../openid/configuration.ts'
import { createUserIndex } from '../../openid/users/user-index.ts'
import { indexUser, openUser, sealUser } from '../../openid/users/users.ts'
import { certificateOf } from './certificates.ts'
import { trustListStaleAt } from './rules/trust-lists.ts'
import { columnOf, insertStatement, SOURCES, writtenMembers } from './sources.ts'
import { run } from './statements.ts'

/** Where the rows of an import go. */
export interface Destination {
  tenantId: string
  keepsIds: boolean
}

/** A row of the file with its line. */
export interface NumberedRow {
  line: number
  row: Json
}

/** Columns that the platform makes of a row. */
const MADE: { readonly [Kind in KindName]?: readonly string[] } = {
  iacas: ['fingerprint', 'not_before', 'not_after'],
  documentSigners: ['fingerprint', 'serial_number', 'not_before', 'not_after'],
  credentialTemplates: ['type_key', 'version_id'],
  interactionHooks: ['secret'],
  users: ['subject_index', 'content'],
  clients: ['secret_hash'],
}

const hex = (bytes: Uint8Array): string => `\\x${Buffer.from(bytes).toString('hex')}`

/** The id of a row here: its own, or a new one that follows from it, so that a repeated step makes the same. */
export const idIn = ({ tenantId, keepsIds }: Destination, id: string): string =>
  keepsIds ? id : derivedId(tenantId, `transfer ${id}`)

const VERSION = `insert into semantic_template_versions (id, tenant_id, template_id, version, definition, created_at)
select v.id, $1::uuid, v.template_id, v.version, v.definition, v.created_at
from string_to_table($2, E'\\n') as line, json_populate_record(null::semantic_template_versions, line::json) as v`

const CHANGES = `insert into credential_status_changes (tenant_id, credential_id, purpose, value, changed_at)
select $1::uuid, c.credential_id, c.purpose, c.value, c.changed_at from json_to_recordset($2::json)
  as c (credential_id uuid, purpose text, value boolean, changed_at timestamptz)`

const FILE = `insert into compact_pdf_files (id, tenant_id, template_id, revision, name, content)
select gen_random_uuid(), $1::uuid, $2::uuid, $2::uuid, $3, $4`

const OWN_DIDS = 'select id from dids where id = any(string_to_array($1, $2)::uuid[])'

/** Rows of the file as rows of the database, and back where a value is encrypted. */
export function createTransferRecords({ config }: Pick<Dependencies, 'config'>) {
  const { masterKey } = config
  const openId = { sealer: createSealer(masterKey, 'openid'), index: createUserIndex(masterKey) }

  function stored(field: Field, value: unknown, to: Destination): unknown {
    if (value === null || value === undefined) return null
    if (field.type === 'bytes') return hex(Buffer.from(String(value), 'base64'))
    if (field.type === 'id' || field.type === 'reference') return idIn(to, String(value))
    return value
  }

  /** A definition names its claim source, and its document signer. */
  const definitionOf = (definition: unknown, to: Destination): unknown => {
    if (!isObject(definition)) return definition
    const named = ['claimSourceId', 'documentSignerId'].flatMap((member) => {
      const id = definition[member]
      return typeof id === 'string' ? [[member, idIn(to, id)] as const] : []
    })
    return { ...definition, ...Object.fromEntries(named) }
  }

  function certificateColumns(row: Json): Json {
    if (typeof row.certificate !== 'string') return {}
    const { fingerprint, serialNumber, notBefore, notAfter } = certificateOf(row.certificate)
    return { fingerprint, serial_number: serialNumber, not_before: notBefore, not_after: notAfter }
  }

  const sealedUser = ({ providerId, subjectId, claims }: Json, to: Destination) =>
    sealUser(openId, {
      tenantId: to.tenantId,
      providerId: idIn(to, String(providerId)),
      subjectId: String(subjectId),
      claims: claims as Json,
    })

  function userColumns(row: Json, to: Destination): Json {
    const { subjectIndex, sealed } = sealedUser(row, to)
    return { subject_index: hex(subjectIndex), content: hex(sealed) }
  }

  const made: { readonly [Kind in KindName]?: (row: Json, to: Destination) => Json } = {
    iacas: certificateColumns,
    documentSigners: certificateColumns,
    credentialTemplates: ({ format, type, current }, to) => ({
      type_key: String(format).startsWith('compact') ? typeKeyOf(String(type)) : null,
      version_id: idIn(to, String((current as Json).id)),
    }),
    credentialTemplateVersions: ({ definition }, to) => ({ definition: definitionOf(definition, to) }),
    interactionHooks: (_row, { tenantId }) => ({ secret: hex(newHookSecret(openId.sealer, tenantId)) }),
    trustLists: (row) => ({ stale_at: trustListStaleAt(row)?.toISOString() ?? null }),
    users: userColumns,
    // of a secret that nobody has seen
    clients: () => ({ secret_hash: hex(digestOf(newSecret())) }),
  }

  function columns(kind: KindName, row: Json, to: Destination): Json {
    const fields: Fields = KINDS[kind].fields
    const plain = writtenMembers(kind).flatMap((member) => {
      const field = fields[member]
      return field ? [[columnOf(member), stored(field, row[member], to)] as const] : []
    })
    return { ...Object.fromEntries(plain), ...made[kind]?.(row, to) }
  }

  /** A DID that was deleted before the export is none of the tenant's here: the id leads nowhere. */
  async function knownDids(em: SqlEntityManager, lines: Json[], to: Destination): Promise<void> {
    const ids = [...new Set(lines.flatMap(({ did_id: did }) => (typeof did === 'string' ? [did] : [])))]
    if (ids.length === 0) return
    const known = new Set((await run<{ id: string }>(em, OWN_DIDS, ids.join(' '), ' ')).map(({ id }) => id))
    for (const line of lines)
      if (typeof line.did_id === 'string' && !known.has(line.did_id))
        line.did_id = derivedId(to.tenantId, `gone ${line.did_id}`)
  }

  async function addVersions(em: SqlEntityManager, to: Destination, rows: readonly Json[]): Promise<void> {
    const versions = rows.map(({ id, current }) => {
      const { id: version, createdAt, definition, version: number } = current as Json
      return JSON.stringify({
        id: idIn(to, String(version)),
        template_id: idIn(to, String(id)),
        version: number,
        definition: definitionOf(definition, to),
        created_at: createdAt,
      })
    })
    await run(em, VERSION, to.tenantId, versions.join('\n'))
  }

  async function addStatusChanges(em: SqlEntityManager, to: Destination, rows: readonly Json[]): Promise<void> {
    const changes = rows.flatMap(({ id, statusChanges }) =>
      (statusChanges as Json[]).map(({ purpose, value, changedAt }) => ({
        ...{ credential_id: idIn(to, String(id)), purpose, value, changed_at: changedAt },
      })),
    )
    if (changes.length > 0) await run(em, CHANGES, to.tenantId, JSON.stringify(changes))
  }

  async function addFiles(em: SqlEntityManager, to: Destination, rows: readonly Json[]): Promise<void> {
    for (const { id, files } of rows)
      for (const { name, content } of files as { name: string; content: string }[])
        await run(em, FILE, to.tenantId, idIn(to, String(id)), name, Buffer.from(content, 'base64'))
  }

  async function addUserIndexes(em: SqlEntityManager, to: Destination, rows: readonly Json[]): Promise<void> {
    for (const row of rows) await indexUser(em, to.tenantId, idIn(to, String(row.id)), sealedUser(row, to).digests)
  }

  /** What goes with new rows of a kind, in their transaction. */
  const after: {
    readonly [Kind in KindName]?: (em: SqlEntityManager, to: Destination, rows: readonly Json[]) => Promise<void>
  } = {
    credentialTemplates: addVersions,
    credentials: addStatusChanges,
    pdfTemplates: addFiles,
    users: addUserIndexes,
  }

  return {
    /** A line of the database as it stands in the file. */
    exported(kind: KindName, tenantId: string, line: string): Json {
      const row = JSON.parse(line) as Json
      if (kind === 'clients')
        return { ...row, scopes: (row.scopes as string[]).filter((each) => SCOPES.some((one) => one === each)) }
      if (kind !== 'users') return row
      const { providerId, subjectId, claims } = row as {
        providerId: string
        subjectId: string
        claims: { sealed: string }
      }
      const subjectIndex = Buffer.from(subjectId, 'hex')
      const content = Buffer.from(claims.sealed, 'base64')
      return { ...row, ...openUser(openId.sealer, { tenantId, providerId, subjectIndex, content }) }
    },

    /** Writes rows that are not there yet, in the transaction of `em`; returns those that another row keeps from it. */
    async write(em: SqlEntityManager, kind: KindName, rows: readonly NumberedRow[], to: Destination) {
      const lines = rows.map(({ row }) => columns(kind, row, to))
      if (kind === 'credentials' || kind === 'statusLists') await knownDids(em, lines, to)
      const text = insertStatement(kind, MADE[kind])
      const added = await run<{ id: string }>(
        em,
        text,
        to.tenantId,
        lines.map((line) => JSON.stringify(line)).join('\n'),
      )
      const isHolder = kind === 'credentialHolders'
      const nameOf = (row: Json) => idIn(to, String(isHolder ? row.credentialId : row.id))
      const isNew = new Set(added.map(({ id }) => id))
      const fresh = rows.filter(({ row }) => isNew.has(nameOf(row)))
      if (fresh.length > 0)
        await after[kind]?.(
          em,
          to,
          fresh.map(({ row }) => row),
        )
      const rest = rows.filter(({ row }) => !isNew.has(nameOf(row)))
      if (rest.length === 0) return []
      const { table } = SOURCES[kind]
      const column = isHolder ? 'credential_id' : 'id'
      const found = await run<{ id: string }>(
        em,
        `select ${column} as id from ${table} where tenant_id = $1::uuid and ${column} = any(string_to_array($2, ' ')::uuid[])`,
        to.tenantId,
        rest.map(({ row }) => nameOf(row)).join(' '),
      )
      const own = new Set(found.map(({ id }) => id))
      return rest.filter(({ row }) => !own.has(nameOf(row)))
    },
  }
}

export type TransferRecords = ReturnType<typeof createTransferRecords>
