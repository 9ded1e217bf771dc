import test from 'ava'
import { purgeReissuances } from '../../../activities/openid/reissuances/purge.ts'
import { inTenant } from '../../../entities/orm.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { until } from '../../support/credentials/dids.ts'
import { createTemplate, refusal } from '../../support/credentials/templates.ts'
import { addTenant } from '../../support/frame/tenants.ts'
import {
  type Authorization,
  CALLBACK,
  errorOf,
  openAuthorization,
  parametersFor,
  pkce,
} from '../../support/openid/authorization.ts'
import { openReissuing, type Reissuing, type Token } from '../../support/openid/haip/reissuing.ts'
import { createWalletKey, sessionsOf } from '../../support/openid/wallet.ts'

const CLAIMS = { given_name: 'Ada' }
const AT = '/v1/openid/reissuances'

let authorization: Authorization
let at: Reissuing
let template: string
/** Once, before the worker signs. */
let beforeSigning: (() => Promise<void>) | undefined
test.before(async () => {
  authorization = await openAuthorization({
    workflows: true,
    workerKeys: (store) => ({
      ...store,
      async sign(ref, data) {
        const work = beforeSigning
        beforeSigning = undefined
        await work?.()
        return store.sign(ref, data)
      },
    }),
  })
  const { world } = authorization
  await createDid(world, 'ed25519', world.token, true)
  template = await newTemplate()
  at = openReissuing(authorization)
  await authorization.setPolicy({ reissueDays: 30 })
})
test.after.always(() => authorization?.close())

async function newTemplate(): Promise<string> {
  const claim_mappings = { given_name: { map_from: 'claims.given_name', required: true } }
  const more = { claim_mappings, proof_type: 'eddsa-rdfc-2022', ignore_unmapped: true, revocable: true }
  return (await createTemplate(authorization.world, more)).id
}

const sql = async (text: string, ...values: unknown[]) =>
  (await authorization.world.dependencies.systemSql.query<{ id: string }>({ text, values })).rows

const ask = (path: string, more: object = {}) =>
  authorization.world.ask(path, { token: authorization.world.token, ...more })

const wanted = () => ({ credential_configuration_id: template })
const grantOf = async (sessionId: string) => (await at.list()).find((each) => each.sessionId === sessionId)

test.serial(
  'the token of another wallet, key or tenant, or of nobody, gives nothing, and its holder loses nothing',
  async (t) => {
    const { world, ofTenant } = authorization
    const { key, refreshToken } = await at.issued([template], CLAIMS)
    const other = await createWalletKey()
    t.is(errorOf(await at.refresh(refreshToken, { key: other })), '400 invalid_grant', 'another DPoP key')
    t.is(errorOf(await at.refresh(refreshToken, {})), '400 invalid_grant', 'no key')
    t.is(errorOf(await at.refresh(refreshToken, { key }, { client_id: 'another' })), '400 invalid_grant')
    t.is(errorOf(await at.refresh(`${refreshToken}x`, { key })), '400 invalid_grant')
    t.is(errorOf(await at.refresh('', { key })), '400 invalid_request')
    t.is(errorOf(await at.refresh('x'.repeat(5_000), { key })), '400 invalid_request')
    const tenant = await addTenant(world.dependencies.systemSql)
    const members = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken })
    const foreign = await ofTenant(tenant.subdomain, '/v1/oauth/token', members.toString())
    t.deepEqual([foreign.status, JSON.parse(foreign.text).error], [400, 'invalid_grant'])
    t.is((await at.refresh(refreshToken, { key })).status, 200)
  },
)

test.serial('a wallet that proves no key gets no refresh token', async (t) => {
  const { members } = await at.offered([template], CLAIMS)
  t.false('refresh_token' in (await at.token(members)).json<Token>())
})

test.serial('of twenty uses at once there is one session, and one access token that counts', async (t) => {
  const { key, refreshToken, sessionId } = await at.issued([template], CLAIMS)
  const replies = await Promise.all(Array.from({ length: 20 }, () => at.refresh(refreshToken, { key })))
  t.true(
    replies.every(({ status }) => status === 200),
    replies.find(({ status }) => status !== 200)?.text,
  )
  const grant = await grantOf(sessionId)
  t.is(grant?.uses, 20)
  t.is((await sql('select id from openid_sessions where reissuance_id = $1', grant?.id)).length, 2)
  const answers = await Promise.all(replies.map((reply) => at.credential(wanted(), reply.json<Token>(), key)))
  t.is(answers.filter(({ status }) => status === 200).length, 1)
  t.true(answers.filter(({ status }) => status !== 200).every((reply) => errorOf(reply) === '401 invalid_token'))
})

test.serial('more than was granted is refused', async (t) => {
  const other = await newTemplate()
  const { key, refreshToken } = await at.issued([template], CLAIMS)
  const details = (id: string) => JSON.stringify([{ type: 'openid_credential', credential_configuration_id: id }])
  for (const id of [other, 'nothing', '00000000-0000-4000-8000-000000000000'])
    t.is(
      errorOf(await at.refresh(refreshToken, { key }, { authorization_details: details(id) })),
      '400 invalid_authorization_details',
    )
  const metadata = (await ask('/.well-known/openid-credential-issuer')).json<{
    credential_configurations_supported: Record<string, { scope: string }>
  }>()
  const scope = metadata.credential_configurations_supported[template]?.scope ?? ''
  for (const more of ['mso_mdoc:other', `${scope} mso_mdoc:other`, 'openid', ' '])
    t.is(errorOf(await at.refresh(refreshToken, { key }, { scope: more })), '400 invalid_scope', more)
  const reply = await at.refresh(refreshToken, { key }, { scope })
  t.like(reply.json<Token>(), { scope }, reply.text)
  const token = reply.json<Token>()
  t.is(
    errorOf(await at.credential({ credential_configuration_id: other }, token, key)),
    '400 unknown_credential_configuration',
  )
  t.is(
    errorOf(await at.refresh(refreshToken, { key }, { scope: 'mso_mdoc:other' })),
    '400 invalid_scope',
    'of an open session',
  )
})

test.serial('what the issuer has revoked is not given anew, until it takes that back (D-984)', async (t) => {
  const { key, refreshToken, sessionId } = await at.issued([template], CLAIMS)
  const [credentialId = ''] = (await grantOf(sessionId))?.credentialIds ?? []
  await at.revoke(credentialId)
  t.is(errorOf(await at.refresh(refreshToken, { key })), '400 invalid_grant')
  await at.revoke(credentialId, false)
  const token = (await at.refresh(refreshToken, { key })).json<Token>()
  await at.revoke(credentialId)
  t.is(errorOf(await at.credential(wanted(), token, key)), '400 credential_request_denied', 'with a token from before')
  await at.revoke(credentialId, false)
  t.is((await at.credential(wanted(), token, key)).status, 200)
  const [newest = ''] = (await grantOf(sessionId))?.credentialIds ?? []
  await at.revoke(credentialId)
  const last = await at.refresh(refreshToken, { key })
  t.is(last.status, 200, 'one that was replaced since')
  await at.revoke(newest)
  t.is(errorOf(await at.credential(wanted(), last.json<Token>(), key)), '400 credential_request_denied')
})

test.serial('what is suspended, or revoked while the next one is being signed, is not given anew', async (t) => {
  const key = await createWalletKey()
  const { id, members } = await at.offered([template], CLAIMS, { suspendable: true })
  const first = (await at.token(members, { key })).json<Token>()
  t.is((await at.credential(wanted(), first, key)).status, 200)
  const refreshToken = first.refresh_token ?? ''
  const [credentialId = ''] = (await grantOf(id))?.credentialIds ?? []
  const suspend = (is_suspended: boolean) =>
    ask(`/v1/credentials/web-semantic/${credentialId}/suspension-status`, { body: { is_suspended } })
  t.is((await suspend(true)).status, 200)
  t.is(errorOf(await at.refresh(refreshToken, { key })), '400 invalid_grant')
  t.is((await suspend(false)).status, 200)
  const token = (await at.refresh(refreshToken, { key })).json<Token>()
  let revoked = 0
  beforeSigning = async () => {
    revoked += 1
    await at.revoke(credentialId)
  }
  t.is(errorOf(await at.credential(wanted(), token, key)), '400 credential_request_denied')
  t.is(revoked, 1, 'the worker was about to sign')
  t.deepEqual((await grantOf(id))?.credentialIds, [credentialId])
})

test.serial('the issuer ends it: the token gives nothing, claims are gone, and a session under way ends', async (t) => {
  const { key, refreshToken, sessionId } = await at.issued([template], CLAIMS)
  const grant = await grantOf(sessionId)
  const token = (await at.refresh(refreshToken, { key })).json<Token>()
  const other = await authorization.world.tokenOf(await addTenant(authorization.world.dependencies.systemSql))
  for (const method of ['GET', 'DELETE'])
    t.is(refusal(await ask(`${AT}/${grant?.id}`, { method, token: other }), 404), 'openid_reissuance.not_found')
  t.is((await ask(`${AT}/${grant?.id}`)).status, 200)
  t.is((await ask(`${AT}/${grant?.id}`, { method: 'DELETE' })).status, 204)
  t.is(refusal(await ask(`${AT}/${grant?.id}`, { method: 'DELETE' }), 404), 'openid_reissuance.not_found')
  t.is(errorOf(await at.credential(wanted(), token, key)), '401 invalid_token')
  t.is(errorOf(await at.refresh(refreshToken, { key })), '400 invalid_grant')
  const [session] = await sql(
    'select id from openid_sessions where reissuance_id = $1 and id <> $2',
    grant?.id,
    sessionId,
  )
  t.like(await sessionsOf(authorization.world).read(session?.id ?? ''), {
    state: 'CANCELLED',
    failure: { code: 'openid_session.reissuance_ended' },
  })
  t.is((await sql('select id from openid_reissuances where id = $1', grant?.id)).length, 0)
})

test.serial('it ends after its days, by a shorter policy, with its templates, and after a thousand uses', async (t) => {
  const ended = await at.issued([template], CLAIMS)
  await authorization.setPolicy({ reissueDays: 0 })
  t.is(errorOf(await at.refresh(ended.refreshToken, ended)), '400 invalid_grant', 'the tenant gives none any more')
  t.deepEqual(await at.list(), [])
  await authorization.setPolicy({ reissueDays: 30 })
  t.is(errorOf(await at.refresh(ended.refreshToken, ended)), '400 invalid_grant', 'and what has ended stays so')
  t.is(await grantOf(ended.sessionId), undefined)
  await purgeReissuances(authorization.world.dependencies.systemSql)
  t.is((await sql('select id from openid_reissuances where session_id = $1', ended.sessionId)).length, 0)
  const { key, refreshToken, sessionId } = await at.issued([template], CLAIMS)
  const whole = (await grantOf(sessionId))?.endsAt ?? ''
  await authorization.setPolicy({ reissueDays: 10 })
  t.is(Date.parse(whole) - Date.parse((await grantOf(sessionId))?.endsAt ?? ''), 20 * 86_400_000)
  t.is((await at.refresh(refreshToken, { key })).status, 200, 'shorter, and not over')
  await authorization.setPolicy({ reissueDays: 30 })
  t.is((await grantOf(sessionId))?.endsAt, whole, 'it had not ended')
  const set = (text: string) =>
    inTenant(authorization.world.dependencies.database.tenants, authorization.world.first.tenantId, (em) =>
      em.execute(`update openid_reissuances set ${text} where session_id = '${sessionId}'`),
    )
  const { id } = (await grantOf(sessionId)) ?? t.fail()
  await set('uses = 1000')
  t.is(errorOf(await at.refresh(refreshToken, { key })), '400 invalid_grant', 'used up')
  await set("uses = 0, ends_at = now() - interval '1 second'")
  t.is(errorOf(await at.refresh(refreshToken, { key })), '400 invalid_grant', 'over')
  t.is(await grantOf(sessionId), undefined)
  t.is(refusal(await ask(`${AT}/${id}`), 404), 'openid_reissuance.not_found', 'nor is it read')
  const gone = await newTemplate()
  const last = await at.issued([gone], CLAIMS)
  t.is((await ask(`/v1/credentials/web-semantic/configurations/${gone}`, { method: 'DELETE' })).status, 204)
  t.is(errorOf(await at.refresh(last.refreshToken, { key: last.key })), '400 invalid_grant', 'no template')
})

test.serial(
  'a code that is used twice, and an offer that is cancelled, end it too (RFC 6749, section 4.1.2)',
  async (t) => {
    const { authorizeUrl, browser, offered } = authorization
    const { issuerState } = await offered([template], { claims: CLAIMS })
    const { verifier, challenge } = pkce()
    const { location = '' } = await browser().follow(authorizeUrl(parametersFor(challenge, issuerState)), CALLBACK)
    const code = new URL(location).searchParams.get('code') ?? ''
    const members = {
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      redirect_uri: CALLBACK,
      client_id: 'wallet',
    }
    const key = await createWalletKey()
    const first = (await at.token(members, { key })).json<Token>()
    t.truthy(first.refresh_token)
    t.is(errorOf(await at.token(members, { key })), '400 invalid_grant')
    const more = { client_id: 'wallet' }
    t.is(errorOf(await at.refresh(first.refresh_token ?? '', { key }, more)), '400 invalid_grant')
    const { id, members: offer } = await at.offered([template], CLAIMS)
    const token = (await at.token(offer, { key })).json<Token>()
    t.is((await sessionsOf(authorization.world).post(id, 'cancel')).status, 200)
    t.is(errorOf(await at.refresh(token.refresh_token ?? '', { key })), '400 invalid_grant')
  },
)

test.serial('a cancelled offer ends its later sessions, and one whose grant is gone gives nothing', async (t) => {
  const { key, refreshToken, sessionId } = await at.issued([template], CLAIMS)
  const later = (await at.refresh(refreshToken, { key })).json<Token>()
  t.is((await sessionsOf(authorization.world).post(sessionId, 'cancel')).status, 200)
  t.is((await sql('select id from openid_reissuances where session_id = $1', sessionId)).length, 0)
  t.is(errorOf(await at.credential(wanted(), later, key)), '401 invalid_token')
  const last = await at.issued([template], CLAIMS)
  const token = (await at.refresh(last.refreshToken, { key: last.key })).json<Token>()
  await sql('delete from openid_reissuances where session_id = $1', last.sessionId)
  t.is(errorOf(await at.credential(wanted(), token, last.key)), '400 credential_request_denied')
})

test.serial('an erasure of a credential ends it, and nothing of its claims stays', async (t) => {
  const { key, refreshToken, sessionId } = await at.issued([template], CLAIMS)
  const [credentialId] = (await grantOf(sessionId))?.credentialIds ?? []
  const token = (await at.refresh(refreshToken, { key })).json<Token>()
  const begun = await ask('/v1/privacy/erasures', { body: { credentialId } })
  t.is(begun.status, 202, begun.text)
  const { id } = begun.json<{ id: string }>()
  await until(
    'the end',
    async () => (await ask(`/v1/privacy/erasures/${id}`)).json<{ state: string }>().state === 'ERASED',
  )
  t.is(await grantOf(sessionId), undefined)
  t.is(errorOf(await at.refresh(refreshToken, { key })), '400 invalid_grant')
  t.is(errorOf(await at.credential(wanted(), token, key)), '401 invalid_token')
  t.is((await sql('select id from openid_reissuances where session_id = $1', sessionId)).length, 0)
  t.is(
    (
      await sql(
        'select id from openid_sessions where reissuance_id is not null and content is not null and ended_at is not null',
      )
    ).length,
    0,
  )
})
