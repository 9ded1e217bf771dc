import type { Sql } from '../../entities/orm.ts'
import type { FormatName } from '../../protocol/credentials/formats.ts'
import { subjectIdsOf } from '../../protocol/credentials/subjects.ts'
import type { Json } from '../../protocol/data-integrity/index.ts'
import type { Dependencies } from '../dependencies.ts'
import { createBlindIndex } from '../keys/blind-index.ts'
import { bytes } from './record.ts'

const BYTES = 16

/** Digests by which credentials are found by their subjects: keyed, so that the database alone tells nobody who they are. */
export interface SubjectIndex {
  of(tenantId: string, subject: string): Buffer
  /** Of the subjects of a credential, each once. */
  ofAll(tenantId: string, format: FormatName, document: Json | Uint8Array): Buffer[]
}

export function createSubjectIndex({ masterKey }: Pick<Dependencies['config'], 'masterKey'>): SubjectIndex {
  const digest = createBlindIndex(masterKey, 'credential-subjects')
  const of = (tenantId: string, subject: string) => digest(tenantId, subject).subarray(0, BYTES)
  return {
    of,
    ofAll: (tenantId, format, document) => subjectIdsOf(format, document).map((subject) => of(tenantId, subject)),
  }
}

/** Rows of one statement and bytes of their documents, and the longest time of one run: the next one goes on. */
const AT_ONCE = 200
const BYTES_AT_ONCE = 5_000_000
const RUN_MS = 60_000

/** Rows of earlier releases and of imported tenants, with what names their subjects alone. */
const MISSING = `with page as (
    select id, tenant_id, format, document, row_number() over next as nth, sum(pg_column_size(document)) over next as bytes
    from credentials where subjects is null and erased_at is null and document is not null
    window next as (order by id) order by id limit ${AT_ONCE})
  select id, tenant_id as "tenantId", format, case when format in ('compact', 'compact-semantic', 'sd-jwt-vc')
    then json_build_object('decoded', json_build_object('sub', document->'decoded'->'sub',
      'credentialSubject', document->'decoded'->'credentialSubject'))
    else json_build_object('credentialSubject', document->'credentialSubject') end as document
  from page where nth = 1 or bytes <= ${BYTES_AT_ONCE} order by id`

/** In the order of the ids, as bulk revocations lock them. */
const FILL = `with found as (select * from json_to_recordset($1) as f (id uuid, subjects bytea[])),
  locked as materialized (
    select c.id from credentials c where c.id in (select id from found) and c.erased_at is null order by c.id for no key update)
  update credentials c set subjects = found.subjects from found join locked using (id) where c.id = found.id`

interface MissingRow {
  id: string
  tenantId: string
  format: FormatName
  document: Json
}

/** Indexes what has no digests yet, as long as one run may take. Safe to repeat. Returns the number of credentials. */
export async function indexMissingSubjects(systemSql: Sql, index: SubjectIndex, runMs = RUN_MS): Promise<number> {
  const fromMs = performance.now()
  let count = 0
  for (;;) {
    const { rows } = await systemSql.query<MissingRow>({
      name: 'credentials-without-subjects',
      text: MISSING,
      values: [],
    })
    const found = rows.map(({ id, tenantId, format, document }) => ({
      id,
      subjects: index.ofAll(tenantId, format, document).map(bytes),
    }))
    if (found.length > 0) await systemSql.query({ name: 'index-subjects', text: FILL, values: [JSON.stringify(found)] })
    count += found.length
    if (found.length === 0 || performance.now() - fromMs > runMs) return count
  }
}
