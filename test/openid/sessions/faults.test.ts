import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { WorkflowNotFoundError } from '@temporalio/client'
import test from 'ava'
import { inTenant } from '../../../entities/orm.ts'
import { Unavailable } from '../../../protocol/errors.ts'
import { claimSourcesOf } from '../../support/claim-sources.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { until } from '../../support/credentials/dids.ts'
import { makeIaca, makeSigner } from '../../support/credentials/mobile.ts'
import { createMobileTemplate, createWalletKey, offerIn, sessionsOf } from '../../support/openid/wallet.ts'
import { openWorldBeside, type WorldBeside } from '../../support/parts/elsewhere.ts'
import type { Reply } from '../../support/world.ts'

/** What is away. */
const away = { keys: false, source: false, after: Number.POSITIVE_INFINITY }
const listener = (request: IncomingMessage, response: ServerResponse) => {
  request.resume().on('end', () => {
    if (away.source) return void response.socket?.destroy()
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"family_name":"Lovelace"}')
  })
}

let beside: WorldBeside
let template: string
test.before(async () => {
  const env = {
    CLAIM_SOURCE_ALLOW_PRIVATE: 'true',
    CLAIM_SOURCE_RETRY_SECONDS: '0.1',
    CLAIM_SOURCE_TIMEOUT_MS: '1000',
    DATABASE_TIMEOUT_MS: '1000',
  }
  beside = await openWorldBeside('claims.acme.test', listener, {
    workflows: true,
    env,
    workerKeys: (store) => ({
      ...store,
      sign: (ref, data) => {
        if (away.after < Number.POSITIVE_INFINITY) away.after -= 1
        if (away.keys || away.after < 0) throw new Unavailable('keys', 'The key store is away.', 1)
        return store.sign(ref, data)
      },
    }),
  })
  await createDid(beside.world, 'ed25519', beside.world.token, true)
  await makeIaca(beside.world)
  await makeSigner(beside.world, { active: true })
  const source = await claimSourcesOf(beside.world, beside.world.token).created({
    name: 'Registry',
    url: beside.urlOf('claims'),
    request_parameters: { sub: { map_from: 'claims.given_name' } },
  })
  template = await createMobileTemplate(beside.world, { claim_source_id: source.id })
})
test.after.always(() => beside?.close())

const world = () => beside.world

/** Each with how it goes away, and how it comes back. */
const PARTS: Record<string, { leave(): unknown; comeBack(): unknown }> = {
  'the key store': {
    leave: () => Object.assign(away, { keys: true }),
    comeBack: () => Object.assign(away, { keys: false }),
  },
  'the claim source': {
    leave: () => Object.assign(away, { source: true }),
    comeBack: () => Object.assign(away, { source: false }),
  },
  'the database': { leave: () => world().stopDatabase(), comeBack: () => world().startDatabase() },
  'the worker': { leave: () => world().stopWorker(), comeBack: () => world().startWorker() },
}

/** A request that nobody has an answer of: the API may have been killed before or after it did its work. */
const lost = async (request: () => Promise<unknown>) => {
  await Promise.race([request(), wait(40)]).catch(() => undefined)
}

async function steps() {
  const key = await createWalletKey()
  const { id, uri } = await sessionsOf(world()).offer({ credentials: [template], claims: { given_name: 'Ada' } })
  const { credential_issuer: aud, grants } = offerIn(uri)
  const [grantType = '', grant] = Object.entries(grants)[0] ?? []
  const proof = async (): Promise<object> => {
    const { c_nonce: nonce } = (await world().ask('/v1/openid/nonce', { method: 'POST' })).json()
    const claims = { aud, nonce, iat: Math.floor(Date.now() / 1000) }
    const jwt = await key.sign({ typ: 'openid4vci-proof+jwt', jwk: key.publicJwk }, claims)
    return { credential_configuration_id: template, proofs: { jwt: [jwt] } }
  }
  const body = { grant_type: grantType, ...grant }
  return {
    id,
    exchange: () => world().ask('/v1/oauth/token', { body }),
    async request(token: string) {
      return world().ask('/v1/openid/credential', { token, body: await proof() })
    },
    notify: (token: string, notificationId: string) =>
      world().ask('/v1/openid/notification', {
        token,
        body: { notification_id: notificationId, event: 'credential_accepted' },
      }),
  }
}

/** Repeats a request as a wallet does, until it is answered as it should be. */
const repeated = async (what: string, request: () => Promise<Reply>, status = 200): Promise<Reply> => {
  let last: Reply | undefined
  await until(what, async () => {
    last = await request()
    return last.status === status
  }).catch((error: unknown) => {
    throw new Error(`${error} ${last?.status} ${last?.text.slice(0, 300)}`)
  })
  if (!last) throw new Error('nothing was asked')
  return last
}

/** One of everything: credential, entry of a status list, event. */
async function counted(sessionId: string) {
  const { rows } = await world().dependencies.systemSql.query<Record<string, number>>({
    text: `select cardinality(i.credential_ids) as credentials, count(distinct c.id)::int as recorded,
      count(distinct (c.status_list_id, c.status_index))::int as entries,
      (select count(*)::int from logs l where l.type = 'OPENID_CREDENTIAL_ISSUE_SUCCESS' and l.metadata ->> 'sessionId' = $1::text) as logged
      from openid_issuances i join credentials c on c.template_id = i.template_id and c.id = any (i.credential_ids)
      where i.session_id = $1::uuid group by i.id`,
    values: [sessionId],
  })
  return rows
}
const ONE = [{ credentials: 1, recorded: 1, entries: 1, logged: 1 }]

const tokenIn = (reply: Reply) => reply.json<{ access_token: string }>().access_token

for (const [name, part] of Object.entries(PARTS))
  test.serial(
    `while ${name} is away nothing is lost: the wallet's retry gets one credential (fault matrix, O)`,
    async (t) => {
      const { id, exchange, request, notify } = await steps()
      const isDatabase = name === 'the database'
      const token = isDatabase ? '' : tokenIn(await repeated('a token', exchange))
      await part.leave()
      if (isDatabase) t.is((await exchange()).status, 503)
      else await request(token).catch(() => undefined)
      await part.comeBack()
      const own = isDatabase ? tokenIn(await repeated('a token', exchange)) : token
      const reply = await repeated('the credential', () => request(own))
      t.deepEqual(await counted(id), ONE)
      const { notification_id: notificationId } = reply.json<{ notification_id: string }>()
      await repeated('the notification', () => notify(own, notificationId), 204)
      t.is((await sessionsOf(world()).read(id)).state, 'COMPLETED')
    },
  )

test.serial('a wallet that asks for what is being made is waited for, and no longer (D-1107)', async (t) => {
  const { systemSql, database } = world().dependencies
  const seconds = async (id: string) => {
    const text = `select extract(epoch from ends_at - now())::float8 as session,
      extract(epoch from token_expires_at - now())::float8 as token from openid_sessions where id = $1`
    return (await systemSql.query<{ session: number; token: number }>({ text, values: [id] })).rows[0]
  }
  const end = (id: string, left: string) =>
    inTenant(database.tenants, world().first.tenantId, (em) =>
      em.execute(
        `update openid_sessions set ends_at = now() + '${left}'::interval, token_expires_at = now() + '${left}'::interval
          where id = '${id}'`,
      ),
    )
  const [asks, leaves] = [await steps(), await steps()]
  away.keys = true
  try {
    for (const { id, exchange, request } of [asks, leaves]) {
      const token = tokenIn(await exchange())
      await end(id, '5 seconds')
      t.is((await request(token)).status, 202)
      const left = await seconds(id)
      const { session = 0, token: ofToken = 0 } = left ?? {}
      t.true(session > 500, JSON.stringify(left))
      t.true(ofToken > 200 && ofToken <= 300, 'no key binds the token (D-1195)')
    }
    await end(leaves.id, '-1 second')
  } finally {
    away.keys = false
  }
  await until('the credential', async () => (await counted(asks.id)).length === 1)
  await wait(2_000)
  t.deepEqual(await counted(leaves.id), [], 'its wallet could not get it any more')
})

test.serial('answers that nobody gets change nothing: the same request gets the same credential', async (t) => {
  const { id, exchange, request, notify } = await steps()
  const token = tokenIn(await exchange())
  for (let times = 0; times < 5; times += 1) await lost(() => request(token))
  const reply = await repeated('the credential', () => request(token))
  t.is((await request(token)).text, reply.text)
  const { notification_id: notificationId } = reply.json<{ notification_id: string }>()
  await lost(() => notify(token, notificationId))
  await repeated('the notification', () => notify(token, notificationId), 204)
  t.deepEqual(await counted(id), ONE)
})

const keyed = async (nonce: string, aud: string) => {
  const key = await createWalletKey()
  const claims = { aud, nonce, iat: Math.floor(Date.now() / 1000) }
  return key.sign({ typ: 'openid4vci-proof+jwt', jwk: key.publicJwk }, claims)
}

/** A token, and three proofs of keys with one nonce. */
async function threeProofs() {
  const { id, uri } = await sessionsOf(world()).offer({ credentials: [template], claims: { given_name: 'Ada' } })
  const { credential_issuer: aud, grants } = offerIn(uri)
  const [grantType = '', grant] = Object.entries(grants)[0] ?? []
  const token = tokenIn(await world().ask('/v1/oauth/token', { body: { grant_type: grantType, ...grant } }))
  const { c_nonce: nonce } = (await world().ask('/v1/openid/nonce', { method: 'POST' })).json<{ c_nonce: string }>()
  const jwt = [await keyed(nonce, aud), await keyed(nonce, aud), await keyed(nonce, aud)]
  const ask = (proofs: string[]) =>
    world().ask('/v1/openid/credential', {
      token,
      body: { credential_configuration_id: template, proofs: { jwt: proofs } },
    })
  return { id, jwt, ask }
}

/** Empty until the workflow has begun, which the outbox does after the offer was answered. */
const summaryOf = async (id: string) => {
  const { first, dependencies } = world()
  const workflow = dependencies.temporal.client.workflow.getHandle(`${first.tenantId}/openid/sessions/${id}`)
  try {
    return String((await workflow.describe()).searchAttributes.Summary)
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return ''
    throw error
  }
}

test.serial(
  'several proofs of which one is bad: nothing is issued, and the good ones are not used up (issue 13)',
  async (t) => {
    const { id, jwt, ask } = await threeProofs()
    const [one = '', two = '', three = ''] = jwt
    const refused = await ask([one, two, `${three.slice(0, -8)}AAAAAAAA`])
    t.is(refused.json<{ error: string }>().error, 'invalid_proof')
    t.is((await sessionsOf(world()).read(id)).issuances[0]?.state, 'OFFERED')
    t.is((await ask(jwt)).json<{ credentials: object[] }>().credentials.length, 3)
  },
)

test.serial(
  'several proofs, and the key store fails at the second signature: all are issued later, none before, and none twice',
  async (t) => {
    const { id, jwt, ask } = await threeProofs()
    away.after = 1
    const rows = async () =>
      (
        await world().dependencies.systemSql.query({
          text: `select 1 from logs where type = 'OPENID_CREDENTIAL_ISSUE_SUCCESS' and metadata ->> 'sessionId' = $1`,
          values: [id],
        })
      ).rows.length
    try {
      await ask(jwt).catch(() => undefined)
      t.like(await sessionsOf(world()).read(id), { state: 'AUTHORIZED', waitsFor: 'issuance' })
      t.is(await rows(), 0)
    } finally {
      away.after = Number.POSITIVE_INFINITY
    }
    const given = await repeated('the credentials', () => ask(jwt))
    t.is(new Set(given.json<{ credentials: object[] }>().credentials.map((each) => JSON.stringify(each))).size, 3)
    t.is((await ask(jwt)).text, given.text, 'delivered again, not signed again')
    t.is(await rows(), 1)
  },
)

test.serial(
  'the Temporal UI says what a session waits for and why it failed, as the operation does, without the codec (issue 13)',
  async (t) => {
    const { id, jwt, ask } = await threeProofs()
    const begun = /^session [0-9a-f-]{36}: (OFFERED|AUTHORIZED), 0 of 1 issued, waits for the wallet until /
    await until('the first look', async () => begun.test(await summaryOf(id)))
    away.source = true
    try {
      t.is((await ask(jwt)).json<{ error: string }>().error, 'credential_request_denied')
    } finally {
      away.source = false
    }
    const { waitsFor, issuances } = await sessionsOf(world()).read(id)
    t.is(waitsFor, 'retry')
    const code = issuances[0]?.failure?.code ?? t.fail()
    await until('the line', async () => (await summaryOf(id)).includes(`(${code})`))
    t.regex(await summaryOf(id), /AUTHORIZED \(claim_source\.[a-z_]+\), 0 of 1 issued, waits for the retry until /)
    t.is((await sessionsOf(world()).post(id, 'retry')).status, 200)
    await until('the credential', async () =>
      (await summaryOf(id)).includes('ISSUED, 1 of 1 issued, waits for the notification'),
    )
    t.is((await sessionsOf(world()).post(id, 'cancel')).status, 200)
    await until('the end', async () => (await summaryOf(id)).endsWith(': CANCELLED, 1 of 1 issued'))
  },
)
