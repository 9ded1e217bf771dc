import test from 'ava'
import { createDid } from '../support/credentials/credentials.ts'
import { until } from '../support/credentials/dids.ts'
import { createTemplate, refusal } from '../support/credentials/templates.ts'
import {
  type Authorization,
  CALLBACK,
  openAuthorization,
  parametersFor,
  pkce,
} from '../support/openid/authorization.ts'
import { collectAfterLogin } from '../support/openid/collecting.ts'
import { createTemplates, sessionsOf } from '../support/openid/wallet.ts'

let authorization: Authorization
let templates: Awaited<ReturnType<typeof createTemplates>>
test.before(async () => {
  authorization = await openAuthorization({ workflows: true })
  const { world } = authorization
  await createDid(world, 'ed25519', world.token, true)
  templates = { ...(await createTemplates(world)), ldp_vc: await revocableTemplate() }
})
test.after.always(() => authorization?.close())

async function revocableTemplate(): Promise<string> {
  const claim_mappings = { given_name: { map_from: 'claims.given_name', required: true } }
  const more = { claim_mappings, proof_type: 'eddsa-rdfc-2022', ignore_unmapped: true, revocable: true }
  return (await createTemplate(authorization.world, more)).id
}

const ask = (path: string, more: object = {}) =>
  authorization.world.ask(path, { token: authorization.world.token, ...more })
const erase = (userId: string, query = '', more: object = {}) =>
  ask(`/v1/users/${userId}${query}`, { method: 'DELETE', ...more })

async function userOf(name: string): Promise<string> {
  const body = { authenticationProvider: { subjectId: name }, claims: {} }
  const found = await ask('/v1/users/search', { body })
  return found.status === 404 ? '' : (found.json<{ data: { id: string }[] }>().data[0]?.id ?? '')
}

/** The holder logs in, and their wallet collects; returns the credential's id. */
async function issued(holder: string, template: string, offer: object = {}): Promise<string> {
  const { id } = await collectAfterLogin(authorization, template, 'plain', { holder, offer })
  return (await sessionsOf(authorization.world).read(id)).issuances[0]?.credentialIds[0] ?? ''
}

async function rows<Row extends object>(text: string, ...values: unknown[]): Promise<Row[]> {
  return (await authorization.world.dependencies.systemSql.query<Row>({ text, values })).rows
}
const statusOf = async (id: string) =>
  (
    await rows<{ revoked: boolean; suspended: boolean }>('select revoked, suspended from credentials where id = $1', id)
  )[0]
const linked = async (userId: string) =>
  (await rows('select credential_id from credential_holders where holder_id = $1', userId)).length

const VALID = { revoked: false, suspended: false }

test('by default the credentials of a deleted user stay as they are, and nothing leads from one to the other (D-700)', async (t) => {
  const credential = await issued('kept', templates.ldp_vc)
  const userId = await userOf('kept')
  t.is(await linked(userId), 1)
  const reply = await erase(userId)
  t.is(reply.status, 204, reply.text)
  t.is(reply.headers.get('location'), null)
  t.deepEqual(await statusOf(credential), VALID)
  t.is(await linked(userId), 0)
  t.is((await rows('select 1 from openid_sessions where user_id = $1', userId)).length, 0)
  t.is(refusal(await erase(userId), 404), 'user.not_found')
  t.is(await userOf('kept'), '')
})

test.serial(
  'revoke: all that the user was issued is revoked, also when the worker comes back later; of others nothing',
  async (t) => {
    const own = [await issued('gone', templates.ldp_vc), await issued('gone', templates.cwt)]
    const others = await issued('stays', templates.ldp_vc)
    const userId = await userOf('gone')
    await authorization.world.stopWorker()
    let at = ''
    try {
      const reply = await erase(userId, '?credentials=revoke')
      t.is(reply.status, 204, reply.text)
      at = reply.headers.get('location') ?? ''
      t.like((await ask(at)).json(), { by: 'holder', subject: userId, purpose: 'revocation', status: 'REVOKING' })
      t.is(await userOf('gone'), '')
    } finally {
      await authorization.world.startWorker()
    }
    await until('the end', async () => (await ask(at)).json<{ status: string }>().status === 'REVOKED')
    t.like((await ask(at)).json(), { checked: 2, revoked: 2 })
    for (const id of own) t.deepEqual(await statusOf(id), { revoked: true, suspended: false })
    t.deepEqual(await statusOf(others), VALID)
    t.is(await linked(userId), 0)
    type Event = { type: string; details: { by?: string; revocation_id?: string }; client_id: string | null }
    const timeline = await ask(`/v1/credentials/${own[0]}/timeline`)
    t.is(timeline.status, 200, timeline.text)
    const events = timeline.json<{ data: Event[] }>().data
    const revoked = events.find(({ type }) => type === 'credential.revoked')
    t.is(revoked?.details.by, 'holder', timeline.text)
    t.is(revoked?.client_id, authorization.world.first.clientId)
  },
)

test('suspend: what was offered as suspendable is suspended, the rest stays', async (t) => {
  const credential = await issued('paused', templates.ldp_vc, { suspendable: true })
  const fixed = await issued('paused', templates.ldp_vc)
  const reply = await erase(await userOf('paused'), '?credentials=suspend')
  const at = reply.headers.get('location') ?? ''
  await until('the end', async () => (await ask(at)).json<{ status: string }>().status === 'REVOKED')
  t.like((await ask(at)).json(), { purpose: 'suspension', checked: 2, revoked: 1 })
  t.deepEqual(await statusOf(credential), { revoked: false, suspended: true })
  t.deepEqual(await statusOf(fixed), VALID)
})

test('an offer of what cannot be suspended is refused as suspendable', async (t) => {
  for (const credentials of [[templates.cwt], [templates.ldp_vc, templates.cwt]]) {
    const body = { credentials, claims: { given_name: 'Ada' }, suspendable: true }
    const reply = await ask('/v1/openid/sessions', { body })
    t.is(refusal(reply, 400), 'openid_offer.invalid', reply.text)
    t.like(reply.json<{ errors: object[] }>().errors[0], { path: 'suspendable' })
  }
})

test('who may not write the format of a credential does not revoke it by deleting its holder, and deletes nobody', async (t) => {
  const { world } = authorization
  const credential = await issued('guarded', templates.ldp_vc)
  const userId = await userOf('guarded')
  const narrow = await world.tokenOf(world.first, 'openid:read openid:write')
  const refused = await erase(userId, '?credentials=revoke', { token: narrow })
  t.is(refusal(refused, 403), 'token.insufficient_scope')
  t.is(await userOf('guarded'), userId)
  t.deepEqual(await statusOf(credential), VALID)
  for (const query of [
    '?credentials=',
    '?credentials=delete',
    '?credentials=revoke&credentials=keep',
    '?credential=revoke',
  ])
    t.is((await erase(userId, query)).status, 400, query)
  t.is((await erase(userId, '', { token: narrow })).status, 204, 'without a change of the status')
})

test('the claims of a user in sessions and logins under way are gone, and nothing is issued with them', async (t) => {
  const { authorizeUrl, browser, exchange, offered, world } = authorization
  const begin = async () => {
    const { id, issuerState } = await offered([templates.cwt])
    const { verifier, challenge } = pkce()
    const url = authorizeUrl(parametersFor(challenge, issuerState, { login_hint: 'midway' }))
    const code = new URL((await browser().follow(url, CALLBACK)).location ?? '').searchParams.get('code') ?? ''
    return { id, members: { code, code_verifier: verifier, redirect_uri: CALLBACK, client_id: 'wallet' } }
  }
  const [coded, tokened] = [await begin(), await begin()]
  const { access_token: token } = (await exchange(tokened.members)).json<{ access_token: string }>()
  t.is((await erase(await userOf('midway'))).status, 204)
  t.is((await exchange(coded.members)).status, 400)
  const body = { credential_configuration_id: templates.cwt }
  t.is((await world.ask('/v1/openid/credential', { token, body })).status, 401)
  for (const { id } of [coded, tokened]) {
    const session = await sessionsOf(world).read(id)
    t.like(session, { state: 'CANCELLED', failure: { code: 'openid_session.user_deleted' } })
    t.deepEqual(await rows('select content from openid_sessions where id = $1', id), [{ content: null }])
  }
})

test('a user who is deleted in the moment of the issuance has no valid credential afterwards, whichever comes first', async (t) => {
  const { authorizeUrl, browser, exchange, offered, world } = authorization
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, async (_, nth) => {
      const holder = `racing${nth}`
      const { id, issuerState } = await offered([templates.cwt])
      const { verifier, challenge } = pkce()
      const url = authorizeUrl(parametersFor(challenge, issuerState, { login_hint: holder }))
      const code = new URL((await browser().follow(url, CALLBACK)).location ?? '').searchParams.get('code') ?? ''
      const reply = await exchange({ code, code_verifier: verifier, redirect_uri: CALLBACK, client_id: 'wallet' })
      const { access_token: token } = reply.json<{ access_token: string }>()
      const userId = await userOf(holder)
      const body = { credential_configuration_id: templates.cwt }
      const [, erased] = await Promise.all([
        world.ask('/v1/openid/credential', { token, body }),
        new Promise((resolve) => setTimeout(resolve, nth * 15)).then(() => erase(userId, '?credentials=revoke')),
      ])
      t.is(erased.status, 204, erased.text)
      const at = erased.headers.get('location')
      if (at) await until('the end', async () => (await ask(at)).json<{ status: string }>().status === 'REVOKED')
      const issued = (await sessionsOf(world).read(id)).issuances[0]?.credentialIds ?? []
      for (const each of issued) t.like(await statusOf(each), { revoked: true }, `${nth}`)
      t.is(await linked(userId), 0)
      return issued.length
    }),
  )
  t.is(outcomes.length, 8)
})

test.serial('a user who is deleted while they are at the hook does not come back from there', async (t) => {
  const { authorizeUrl, browser, offered } = authorization
  const hook = { url: 'https://hook.university.example/x', claims: [], disabled: false, session_timeout_in_sec: 600 }
  await ask('/v1/openid/configuration', { method: 'PUT', body: hook })
  try {
    const { issuerState } = await offered([templates.cwt])
    const url = authorizeUrl(parametersFor(pkce().challenge, issuerState, { login_hint: 'athook' }))
    t.is((await browser().follow(url, CALLBACK)).status, 200)
    const userId = await userOf('athook')
    const kept = () => rows('select 1 from openid_wallet_logins where user_id = $1', userId)
    t.is((await kept()).length, 1)
    t.is((await erase(userId)).status, 204)
    t.is((await kept()).length, 0)
  } finally {
    await ask('/v1/openid/configuration', { method: 'PUT', body: { ...hook, disabled: true } })
  }
})
