import test from 'ava'
import { createDid } from '../../support/credentials/credentials.ts'
import { createIaca, createSigner } from '../../support/credentials/mobile.ts'
import { createTemplate } from '../../support/credentials/templates.ts'
import {
  type Authorization,
  CALLBACK,
  openAuthorization,
  parametersFor,
  pkce,
} from '../../support/openid/authorization.ts'
import { collectAfterLogin } from '../../support/openid/collecting.ts'
import { createTemplates, sessionsOf } from '../../support/openid/wallet.ts'
import { type Database, ended, erase, erased, openDatabase, typeOf } from '../../support/privacy/erasures.ts'

let authorization: Authorization
let database: Database
let templates: Awaited<ReturnType<typeof createTemplates>>
test.before(async () => {
  authorization = await openAuthorization({ workflows: true })
  const { world } = authorization
  database = await openDatabase(world)
  await createDid(world, 'ed25519', world.token, true)
  await createIaca(world)
  await createSigner(world)
  const claim_mappings = { given_name: { map_from: 'claims.given_name', required: true } }
  const more = { claim_mappings, proof_type: 'eddsa-rdfc-2022', ignore_unmapped: true, revocable: true }
  templates = { ...(await createTemplates(world)), ldp_vc: (await createTemplate(world, more)).id }
})
test.after.always(async () => {
  await database?.close()
  await authorization?.close()
})

async function userOf(name: string): Promise<string> {
  const { world } = authorization
  const body = { authenticationProvider: { subjectId: name }, claims: {} }
  const found = await world.ask('/v1/users/search', { token: world.token, body })
  return found.status === 404 ? '' : (found.json<{ data: { id: string }[] }>().data[0]?.id ?? '')
}

/** The holder logs in, and their wallet collects; returns the credential's id. */
async function issued(holder: string, template: string): Promise<string> {
  const { id } = await collectAfterLogin(authorization, template, 'plain', { holder })
  return (await sessionsOf(authorization.world).read(id)).issuances[0]?.credentialIds[0] ?? ''
}

const rowOf = async (id: string) => {
  const [row] = await database.rows<{ document: string; revoked: boolean; bytes: Buffer | null }>(
    'select document::text as document, document_bytes as bytes, revoked from credentials where id = $1',
    id,
  )
  return row
}

const ERASED = { document: '{}', bytes: null }

/** Rows that lead to a user. */
const traces = async (userId: string) =>
  Object.fromEntries(
    await Promise.all(
      [
        ['openid_users', 'id'],
        ['openid_user_claims', 'user_id'],
        ['openid_sessions', 'user_id'],
        ['openid_wallet_logins', 'user_id'],
        ['credential_holders', 'holder_id'],
      ].map(async ([table, column]) => [
        table,
        (await database.rows(`select 1 from ${table} where ${column} = $1`, userId)).length,
      ]),
    ),
  )

const NONE = {
  openid_users: 0,
  openid_user_claims: 0,
  openid_sessions: 0,
  openid_wallet_logins: 0,
  credential_holders: 0,
}

test.serial('a user is erased with all that they were issued in every format; of others nothing', async (t) => {
  const { world } = authorization
  const all = [templates.ldp_vc, templates.cwt, templates.cwt_vc, templates.mso_mdoc]
  const own: string[] = []
  for (const template of all) own.push(await issued('gone', template))
  const others = await issued('stays', templates.ldp_vc)
  const userId = await userOf('gone')
  t.not((await traces(userId)).credential_holders, 0)
  const done = await erased(world, { userId, credentialStatus: 'revoke' })
  t.like(done, { by: 'user', erased: { users: 1, credentials: own.length } })
  for (const id of own) t.like(await rowOf(id), ERASED)
  t.true((await rowOf(own[0] ?? ''))?.revoked)
  t.deepEqual(await traces(userId), NONE)
  t.is(await userOf('gone'), '')
  t.notDeepEqual((await rowOf(others))?.document, '{}')
  t.not(await userOf('stays'), '')
  // the user is gone, and the same request finds its erasure all the same
  const again = await erase(world, { userId, credentialStatus: 'revoke' })
  t.like(again.json(), { id: done.id, state: 'ERASED' })
  t.is(typeOf(await erase(world, { userId, credentialStatus: 'keep' })), 'erasure.other_status')
})

test.serial('a wallet that asks again for what was erased is told that the issuer has it no more', async (t) => {
  const { world } = authorization
  const { id, accessTokenResponse } = await collectAfterLogin(authorization, templates.cwt, 'plain', {
    holder: 'again',
  })
  t.is((await sessionsOf(world).read(id)).issuances[0]?.state, 'ISSUED')
  await erased(world, { userId: await userOf('again') })
  const reply = await world.ask('/v1/openid/credential', {
    token: accessTokenResponse.access_token,
    body: { credential_configuration_id: templates.cwt },
  })
  t.true(reply.status === 400 || reply.status === 401, reply.text)
  t.false(reply.text.includes('again'))
})

test.serial(
  'a session under way ends with the erasure of its user, and nothing is issued with their claims',
  async (t) => {
    const { authorizeUrl, browser, exchange, offered, world } = authorization
    const { id, issuerState } = await offered([templates.cwt])
    const { verifier, challenge } = pkce()
    const url = authorizeUrl(parametersFor(challenge, issuerState, { login_hint: 'midway' }))
    const code = new URL((await browser().follow(url, CALLBACK)).location ?? '').searchParams.get('code') ?? ''
    const userId = await userOf('midway')
    t.is((await traces(userId)).openid_sessions, 1)
    const done = await erased(world, { userId })
    t.like(done.erased, { users: 1, sessions: 1 })
    const members = { code, code_verifier: verifier, redirect_uri: CALLBACK, client_id: 'wallet' }
    t.is((await exchange(members)).status, 400)
    t.like(await sessionsOf(world).read(id), { state: 'CANCELLED', failure: { code: 'openid_session.user_deleted' } })
    t.deepEqual(await traces(userId), NONE)
  },
)

test.serial(
  'a user who is erased in the moment of the issuance has no credential with claims, whichever comes first',
  async (t) => {
    const { authorizeUrl, browser, exchange, offered, world } = authorization
    for (let nth = 0; nth < 6; nth += 1) {
      const holder = `racing${nth}`
      const { id, issuerState } = await offered([templates.cwt])
      const { verifier, challenge } = pkce()
      const url = authorizeUrl(parametersFor(challenge, issuerState, { login_hint: holder }))
      const code = new URL((await browser().follow(url, CALLBACK)).location ?? '').searchParams.get('code') ?? ''
      const reply = await exchange({ code, code_verifier: verifier, redirect_uri: CALLBACK, client_id: 'wallet' })
      const { access_token: token } = reply.json<{ access_token: string }>()
      const userId = await userOf(holder)
      const body = { credential_configuration_id: templates.cwt }
      const [, begun] = await Promise.all([
        world.ask('/v1/openid/credential', { token, body }),
        new Promise((resolve) => setTimeout(resolve, nth * 20)).then(() => erase(world, { userId })),
      ])
      await ended(world, begun.json<{ id: string }>().id)
      for (const each of (await sessionsOf(world).read(id)).issuances[0]?.credentialIds ?? [])
        t.like(await rowOf(each), ERASED, `${nth}`)
      t.deepEqual(await traces(userId), NONE)
    }
  },
)

test.serial('a user of another tenant is not found, and stays', async (t) => {
  const { world } = authorization
  await issued('ours', templates.cwt)
  const userId = await userOf('ours')
  const stranger = await world.tokenOf(await world.addTenant())
  t.is(typeOf(await erase(world, { userId }, stranger)), 'user.not_found')
  t.is(await userOf('ours'), userId)
})
