import { hkdfSync } from 'node:crypto'

const derive = (masterKey: Uint8Array, info: string, bytes: number) =>
  Buffer.from(hkdfSync('sha256', masterKey, new Uint8Array(), info, bytes))

/** Names a master key without revealing it (RFC 5869): the database and its backups say by it which one they need. */
export const masterKeyId = (masterKey: Uint8Array): string =>
  derive(masterKey, 'countersign/database/id', 8).toString('base64url')

/** Stands in each envelope of a local key, behind its version: names the master key that sealed it. */
export const envelopeMark = (masterKey: Uint8Array): Buffer => derive(masterKey, 'countersign key envelope 1 mark', 4)

const refusal = (what: string) =>
  new Error(
    `KEY_STORE_MASTER_KEY is not the one that this ${what} was made under: what that one sealed could never be read again. Set that one (of npm start: .local/master.key), or use another database.`,
  )

/** Throws where `id` names another master key; an older database or backup names none. */
export function assertMasterKeyId(id: string | null | undefined, masterKey: Uint8Array, what: string): void {
  if (id && id !== masterKeyId(masterKey)) throw refusal(what)
}

type Query = (text: string) => Promise<unknown[]>

const TABLES = `select to_regclass('public.platform_epoch') is not null as epoch, to_regclass('public.key_envelopes') is not null as envelopes`

/** Through JSON, because the column comes with a migration that may have to be applied yet. */
const ID = `select to_jsonb(e) ->> 'master_key_id' as id from platform_epoch e`

/** Keys of the installation, which every local key store has: the owner of the table sees one tenant at a time as well. */
const INSTALLATION = '00000000-0000-0000-0000-000000000000'
const AS_INSTALLATION = `select set_config('app.tenant', '${INSTALLATION}', true)`
const ENVELOPE = `select substr(envelope, 2, 4) as mark from key_envelopes where tenant_id = '${INSTALLATION}' limit 1`

/**
 * Throws where the database was set up with another master key. `query` asks within one transaction. A database of
 * before 0110 that keeps its keys in Vault does not say.
 */
export async function assertMasterKey(query: Query, masterKey: Uint8Array): Promise<void> {
  const [has] = (await query(TABLES)) as { epoch: boolean; envelopes: boolean }[]
  const [row] = (has?.epoch ? await query(ID) : []) as { id: string | null }[]
  assertMasterKeyId(row?.id, masterKey, 'database')
  if (row?.id || !has?.envelopes) return
  await query(AS_INSTALLATION)
  const [envelope] = (await query(ENVELOPE)) as { mark: Buffer }[]
  if (envelope && !envelopeMark(masterKey).equals(envelope.mark)) throw refusal('database')
}
