import type { Sql } from '../../entities/orm.ts'
import type { FormatName } from '../../protocol/credentials/formats.ts'
import type { Json } from '../../protocol/data-integrity/index.ts'

/** What a format's signing says of a credential. */
export interface SignedRow {
  id: string
  format: FormatName
  didId: string
  /** The issuer's DID. */
  issuer: string
  /** As it is answered. */
  document: Json
  proofType: string
  tag: string | null
  types: string[]
  issuanceDate: string
  expirationDate: string | null
  statusListId: string | null
  statusIndex: number | null
  /** The second entry, of a credential that may be suspended. */
  suspensionListId: string | null
  suspensionIndex: number | null
}

/** What `record_semantic_credential` takes, by its names, and `record_templated_credential` besides. */
export interface CredentialRow {
  tenant: string
  credential_id: string
  issuer: string
  signed: Json
  proof: string
  label: string | null
  type_names: string[]
  issued: string
  expires: string | null
  list: string | null
  list_index: number | null
  log_id: string
  request: string
  log_metadata: Json
  idempotency: string | null
  idempotent_effect: Buffer | null
  template: string | null
  version: number | null
}

const ARGUMENTS = `r.tenant, r.credential_id, r.issuer, r.signed, r.proof, r.label, r.type_names, r.issued, r.expires,
  r.list, r.list_index, r.log_id, r.request, r.log_metadata, r.idempotency, r.idempotent_effect`

/** Each row through a function that sets the row's own tenant first; all of them one transaction. */
const RECORD = `select r.n, case when r.template is null then record_semantic_credential(${ARGUMENTS})
  else record_templated_credential(${ARGUMENTS}, r.template, r.version) end as outcome
from json_to_recordset($1) as r(n integer, tenant uuid, credential_id uuid, issuer uuid, signed json, proof text,
  label text, type_names text[], issued timestamptz, expires timestamptz, list uuid, list_index integer, log_id uuid,
  request uuid, log_metadata json, idempotency text, idempotent_effect bytea, template uuid, version integer)`

/** Statements under way at a time: one that waits for a lock holds up those that came with it, and not all others. */
const LANES = 2
/** Rows that share a commit at most: enough to make the commit cheap, few enough to be done in milliseconds. */
const TOGETHER = 32

interface Waiting {
  row: CredentialRow
  resolve(outcome: string): void
  reject(error: unknown): void
}

const asJson = (row: CredentialRow, n: number) => ({
  n,
  ...row,
  idempotent_effect: row.idempotent_effect && `\\x${row.idempotent_effect.toString('hex')}`,
})

/** PostgreSQL refused the statement and has rolled it back; a lost connection leaves that open. */
const isRolledBack = (error: unknown): boolean =>
  error instanceof Error && 'severity' in error && error.severity === 'ERROR'

/**
 * Records signed credentials. Those that are ready at the same time share a round trip and a commit; nobody waits for
 * company. Each caller has its own row's outcome, after the commit: where PostgreSQL refuses the rows together, each is
 * tried alone, so that only the one at fault fails.
 */
export function createCredentialRecorder(sql: Sql): { record(row: CredentialRow): Promise<string> } {
  const waiting: Waiting[] = []
  let running = 0
  let scheduled = false

  async function send(batch: Waiting[]): Promise<void> {
    try {
      const { rows } = await sql.query<{ n: number; outcome: string }>({
        name: 'record-semantic-credentials',
        text: RECORD,
        values: [JSON.stringify(batch.map(({ row }, n) => asJson(row, n)))],
      })
      for (const { n, outcome } of rows) batch[n]?.resolve(outcome)
      // no effect on those that have their outcome
      for (const { reject } of batch) reject(new Error('a credential got no outcome'))
    } catch (error) {
      if (batch.length > 1 && isRolledBack(error)) for (const one of batch) await send([one])
      else for (const { reject } of batch) reject(error)
    }
  }

  function pump(): void {
    scheduled = false
    while (running < LANES && waiting.length > 0) {
      running += 1
      void send(waiting.splice(0, TOGETHER)).finally(() => {
        running -= 1
        pump()
      })
    }
  }

  return {
    record: (row) =>
      new Promise((resolve, reject) => {
        waiting.push({ row, resolve, reject })
        if (scheduled) return
        scheduled = true
        setImmediate(pump)
      }),
  }
}
