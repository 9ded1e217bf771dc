import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { Credential } from '../../../entities/credentials/credentials.ts'
import { OpenIdReissuance } from '../../../entities/openid/reissuances.ts'
import { OpenIdSession } from '../../../entities/openid/sessions.ts'
import { Refusal } from '../../../protocol/errors.ts'
import type { SessionContent } from '../../../protocol/openid/oid4vci/session.ts'
import type { Sealer } from '../../frame/sealing.ts'
import { endSession, issuancesOf } from '../sessions/records.ts'

type Row = Pick<OpenIdReissuance, 'tenantId' | 'id'>

const boundTo = ({ tenantId, id }: Row) => `${tenantId}/openid/reissuances/${id}`

/** Undefined until a credential was issued. */
export const openKept = (sealer: Sealer, row: OpenIdReissuance): SessionContent | undefined =>
  row.content ? (JSON.parse(sealer.open(row.content, boundTo(row)).toString('utf8')) as SessionContent) : undefined

export const reissuanceNotFound = () => new Refusal('openid_reissuance.not_found', 'There is no such re-issuance.')

/** The grant, locked until the end of the transaction: before its sessions, and after its user and a login. */
export const lockReissuance = (em: SqlEntityManager, id: string): Promise<OpenIdReissuance | null> =>
  em.findOne(OpenIdReissuance, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true })

/** The grant of a session that is to be locked next. */
export async function lockReissuanceOf(em: SqlEntityManager, sessionId: string): Promise<OpenIdReissuance | null> {
  const statement = 'select reissuance_id as id from openid_sessions where id = ?'
  const [row] = await em.execute<{ id: string | null }[]>(statement, [sessionId])
  return row?.id ? lockReissuance(em, row.id) : null
}

/** Keeps what a wallet was issued, and the claims that it was made of: the newest credentials of each template. */
export function keepIssued(
  sealer: Sealer,
  row: OpenIdReissuance,
  { parameters: _of, ...content }: SessionContent,
  { templateId, credentialIds, at }: { templateId: string; credentialIds: readonly string[]; at: Date },
): void {
  const kept = row.credentialIds.flatMap((id, nth) => {
    const of = row.templateIds[nth] ?? ''
    return of === templateId ? [] : [{ id, of }]
  })
  Object.assign(row, {
    content: row.content ?? sealer.seal(Buffer.from(JSON.stringify(content)), boundTo(row)),
    userId: content.userId ?? null,
    templateIds: [...kept.map(({ of }) => of), ...credentialIds.map(() => templateId)],
    credentialIds: [...kept.map(({ id }) => id), ...credentialIds],
    updatedAt: at,
  })
}

/** Notes what a grant has given: by that it is found, also once newer credentials have replaced these. */
export async function noteGiven(em: SqlEntityManager, { tenantId, id }: Row, credentialIds: readonly string[]) {
  const statement = `insert into openid_reissuance_credentials (tenant_id, credential_id, reissuance_id)
    select ?, c, ? from unnest(string_to_array(?, ' ')::uuid[]) as c on conflict do nothing`
  await em.execute(statement, [tenantId, id, credentialIds.join(' ')])
}

/** Grants that have given some of these credentials. */
export async function grantsOf(em: SqlEntityManager, credentialIds: readonly string[]): Promise<string[]> {
  const statement = `select distinct reissuance_id as id from openid_reissuance_credentials
    where credential_id = any (string_to_array(?, ' ')::uuid[])`
  return (await em.execute<{ id: string }[]>(statement, [credentialIds.join(' ')])).map(({ id }) => id)
}

/** Templates of which the issuer has revoked or suspended what the wallet got last, also where that was erased since. */
export async function withdrawnOf(em: SqlEntityManager, row: OpenIdReissuance): Promise<Set<string>> {
  const ids = row.credentialIds
  if (ids.length === 0) return new Set()
  const where = { id: { $in: ids }, $or: [{ revoked: true }, { suspended: true }] }
  const rows = await em.find(Credential, where, { fields: ['id'], filters: { kept: false } })
  const withdrawn = new Set(rows.map(({ id }) => id))
  return new Set(row.templateIds.filter((_, nth) => withdrawn.has(ids[nth] ?? '')))
}

/** Ends grants: nothing of them stays, and their sessions that are under way end too. Returns the ids of these. */
export async function endReissuances(
  em: SqlEntityManager,
  of: { id: string } | { userId: string } | { credentialIds: readonly string[] },
  at: Date,
): Promise<string[]> {
  const locked = { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' } } as const
  // what a grant has given stays with it, so that one that gives more meanwhile is found all the same
  const where = 'credentialIds' in of ? { id: { $in: await grantsOf(em, of.credentialIds) } } : of
  const rows = await em.find(OpenIdReissuance, where, locked)
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return []
  const sessions = await em.find(OpenIdSession, { reissuanceId: { $in: ids }, endedAt: null }, locked)
  for (const session of sessions)
    endSession(session, await issuancesOf(em, session.id), at, {
      state: 'CANCELLED',
      code: 'openid_session.reissuance_ended',
      message: 'The re-issuance that the session is of has ended.',
    })
  await em.flush()
  await em.nativeDelete(OpenIdReissuance, { id: { $in: ids } })
  return sessions.map(({ id }) => id)
}
