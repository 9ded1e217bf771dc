import test from 'ava'
import { createPurge } from '../../../activities/administration/purge.ts'
import { sinceAfter } from '../../../activities/openid/reissuances/life.ts'
import { purgeReissuances } from '../../../activities/openid/reissuances/purge.ts'
import type { OpenIdWalletPolicy } from '../../../entities/openid/wallets.ts'
import { inTenant, type Sql } from '../../../entities/orm.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { createTemplate } from '../../support/credentials/templates.ts'
import { type Authorization, openAuthorization } from '../../support/openid/authorization.ts'
import { collectAfterLogin } from '../../support/openid/collecting.ts'
import { openReissuing, type Reissuing, type Token } from '../../support/openid/haip/reissuing.ts'
import { createWalletKey, sessionsOf } from '../../support/openid/wallet.ts'

const CLAIMS = { given_name: 'Ada' }

let authorization: Authorization
let at: Reissuing
let template: string
test.before(async () => {
  authorization = await openAuthorization({ workflows: true })
  await createDid(authorization.world, 'ed25519', authorization.world.token, true)
  template = await newTemplate()
  at = openReissuing(authorization)
  await authorization.setPolicy({ reissueDays: 30 })
})
test.after.always(() => authorization?.close())

async function newTemplate(): Promise<string> {
  const claim_mappings = { given_name: { map_from: 'claims.given_name', required: true } }
  const more = { claim_mappings, proof_type: 'eddsa-rdfc-2022', ignore_unmapped: true }
  return (await createTemplate(authorization.world, more)).id
}

const kept = async () => {
  const text = 'select session_id from openid_reissuances'
  const { rows } = await authorization.world.dependencies.systemSql.query<{ session_id: string }>({ text, values: [] })
  return rows.map(({ session_id: id }) => id)
}

test.serial('the hourly cleaning deletes what is over, never gave anything, or has no template left', async (t) => {
  const { world } = authorization
  const alive = await at.issued([template], CLAIMS)
  const over = await at.issued([template], CLAIMS)
  await inTenant(world.dependencies.database.tenants, world.first.tenantId, (em) =>
    em.execute(
      `update openid_reissuances set ends_at = now() - interval '1 second' where session_id = '${over.sessionId}'`,
    ),
  )
  const gone = await newTemplate()
  const without = await at.issued([gone], CLAIMS)
  const path = `/v1/credentials/web-semantic/configurations/${gone}`
  t.is((await world.ask(path, { method: 'DELETE', token: world.token })).status, 204)
  const key = await createWalletKey()
  const [waiting, ended] = [await at.offered([template], CLAIMS), await at.offered([template], CLAIMS)]
  for (const { members } of [waiting, ended]) t.is((await at.token(members, { key })).status, 200)
  await inTenant(world.dependencies.database.tenants, world.first.tenantId, (em) =>
    em.execute(
      `update openid_sessions set state = 'EXPIRED', ended_at = now(), content = null where id = '${ended.id}'`,
    ),
  )
  t.is((await kept()).length, 5)
  t.like(await createPurge(world.dependencies).purgeExpiredRows(), { openIdReissuances: 3 })
  t.deepEqual((await kept()).toSorted(), [alive.sessionId, waiting.id].toSorted())
  t.false((await kept()).includes(without.sessionId))
})

test.serial('however many grants gave nothing, each statement looks at some of them, along an index', async (t) => {
  const { world } = authorization
  const before = await kept()
  await inTenant(world.dependencies.database.tenants, world.first.tenantId, (em) =>
    em.execute(
      `insert into openid_reissuances (id, tenant_id, session_id, grant_type, token_digest, bound_to, granted_ids,
         uses_identifiers, client_id, ends_at)
       select gen_random_uuid(), '${world.first.tenantId}', gen_random_uuid(), 'pre-authorized_code',
         decode(md5(n::text), 'hex'), 'registration', '{}', false, 'c', now() + interval '1 day'
       from generate_series(1, 4500) as n`,
    ),
  )
  const looked: number[] = []
  const { systemSql } = world.dependencies
  const counting: Sql = {
    async query(query) {
      const answer = await systemSql.query(query)
      for (const row of answer.rows) if ('looked' in row) looked.push(Number(row.looked))
      return answer as never
    },
  }
  t.is(await purgeReissuances(counting), 4_500)
  t.true(Math.max(...looked) <= 2_000 && looked.filter((each) => each === 2_000).length >= 2, `${looked}`)
  t.deepEqual((await kept()).toSorted(), before.toSorted())
  const { rows } = await systemSql.query<{ indexdef: string }>({
    text: "select indexdef from pg_indexes where indexname = 'openid_reissuances_empty'",
    values: [],
  })
  t.regex(rows[0]?.indexdef ?? '', /\(id\) WHERE \(content IS NULL\)/)
})

test.serial('a session whose time is over gives no token, also before its workflow has ended it', async (t) => {
  const { dependencies, first } = authorization.world
  const { key, refreshToken, sessionId } = await at.issued([template], CLAIMS)
  const [grant] = (await at.list()).filter((each) => each.sessionId === sessionId)
  t.is((await at.refresh(refreshToken, { key })).status, 200)
  await inTenant(dependencies.database.tenants, first.tenantId, (em) =>
    em.execute(`update openid_sessions set ends_at = now() - interval '1 second'
      where reissuance_id = '${grant?.id}' and id <> '${sessionId}'`),
  )
  const token = (await at.refresh(refreshToken, { key })).json<Token & { expires_in: number }>()
  t.true(token.expires_in > 0, `${token.expires_in}`)
  t.is((await at.credential({ credential_configuration_id: template }, token, key)).status, 200)
})

test.serial('the deletion of a user ends what their wallet may get anew, and their claims are gone', async (t) => {
  const { world } = authorization
  const { id, accessTokenResponse } = await collectAfterLogin(authorization, template, 'par and dpop', {
    holder: 'reissued',
  })
  t.is(typeof accessTokenResponse.refresh_token, 'string')
  const body = { authenticationProvider: { subjectId: 'reissued' }, claims: {} }
  const found = await world.ask('/v1/users/search', { token: world.token, body })
  const [user] = found.json<{ data: { id: string }[] }>().data
  t.deepEqual(
    (await at.list(`?userId=${user?.id}`)).map(({ sessionId }) => sessionId),
    [id],
  )
  t.truthy(Reflect.get(await sessionsOf(world).read(id), 'reissuanceId'))
  t.is((await world.ask(`/v1/users/${user?.id}`, { method: 'DELETE', token: world.token })).status, 204)
  t.false((await kept()).includes(id))
  t.deepEqual(await at.list(`?userId=${user?.id}`), [])
})

test('more days bring back nothing that fewer days have ended meanwhile', (t) => {
  const at = new Date('2026-11-01T00:00:00Z')
  const since = (reissueDays: number, reissuesSince: string | null, days: number) => {
    const row = { reissueDays, reissuesSince: reissuesSince === null ? null : new Date(reissuesSince) }
    return sinceAfter(row as OpenIdWalletPolicy, days, at)
      ?.toISOString()
      .slice(0, 10)
  }
  t.is(since(10, null, 30), '2026-10-22', 'of ten days all that is older has ended')
  t.is(since(10, '2026-10-01T00:00:00Z', 30), '2026-10-22')
  t.is(since(30, null, 10), '2026-10-22')
  t.is(since(30, '2026-10-30T00:00:00Z', 10), '2026-10-30')
  t.is(since(10, '2026-10-01T00:00:00Z', 10), '2026-10-01', 'no change')
  t.is(sinceAfter(null, 30, at)?.getTime(), at.getTime(), 'there was none')
})

test.serial('days that are none are refused at their place', async (t) => {
  const { world } = authorization
  for (const reissueDays of [-1, 731, 1.5, '30', null]) {
    const reply = await world.ask('/v1/openid/wallet-policy', {
      method: 'PUT',
      token: world.token,
      body: { reissueDays },
    })
    t.is(reply.status, 400, String(reissueDays))
    t.regex(reply.text, /reissueDays/)
  }
})
