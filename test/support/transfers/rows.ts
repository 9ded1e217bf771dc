import type { Sql } from '../../../entities/orm.ts'

const DID = 'did:key:z6MkpTHR8VNsBxYAAWHut2Geadd9jSwuBV8xRoAnwWsdvktH'

/** Written past the API: a tenant with very many credentials of one DID, each about 1.5 kB. */
export async function manyCredentials(sql: Sql, tenantId: string, count: number): Promise<void> {
  await sql.query({
    text: `insert into dids (id, tenant_id, did, method, registration_status, document, hosting)
      values (gen_random_uuid(), $1, $2, 'KEY', 'COMPLETED', json_build_object('id', $2::text), 'none')`,
    values: [tenantId, DID],
  })
  const slice = 2_000
  for (let done = 0; done < count; done += slice)
    await sql.query({
      text: `insert into credentials (id, tenant_id, did_id, format, document, proof_type, types, issuance_date)
        select gen_random_uuid(), $1::uuid, d.id, 'semantic', json_build_object('id', 'urn:uuid:' || gen_random_uuid(),
          'type', array['VerifiableCredential'], 'issuer', d.did,
          'credentialSubject', json_build_object('id', 'did:example:' || n, 'text', repeat(md5(n::text || $2), 40))),
          'eddsa-rdfc-2022', array['VerifiableCredential'], now()
        from dids d, generate_series(1, $3::int) n where d.tenant_id = $1`,
      values: [tenantId, String(done), Math.min(slice, count - done)],
    })
}
