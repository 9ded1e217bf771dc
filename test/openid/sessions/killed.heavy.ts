import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import anyTest from 'ava'
import { until } from '../../support/credentials/dids.ts'
import { createWalletKey, offerIn } from '../../support/openid/wallet.ts'
import { openProcesses, type Processes } from '../../support/parts/processes.ts'
import { openVault } from '../../support/parts/vault.ts'
import { needs } from '../../support/parts.ts'
import { createReceiver, type DeliveryBody, status } from '../../support/receiver.ts'
import { type Ask, type Reply, send } from '../../support/world.ts'

const test = needs('Vault', anyTest.serial)

const receiver = createReceiver()
receiver.script('/issued', status(204))
const server = createServer(receiver.listener)

let vault: Awaited<ReturnType<typeof openVault>>
let platform: Processes
let template: string
const open = async (): Promise<void> => {
  vault = await openVault()
  platform = await openProcesses({
    VAULT_ADDR: vault.address,
    VAULT_TOKEN: vault.token,
    VAULT_TIMEOUT_MS: '1000',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    WEBHOOK_RETRY_SECONDS: '1,1,1',
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const made = async (path: string, body: object) => {
    const reply = await ask(path, { token: await tokenOf(), body })
    if (reply.status !== 201) throw new Error(`${path} answered ${reply.status} ${reply.text}`)
    return reply.json<{ id: string }>().id
  }
  const url = `http://localhost:${(server.address() as AddressInfo).port}/issued`
  await made('/v1/webhooks', { url, events: ['OpenIdCredentialIssued'] })
  await made('/v1/dids', { method: 'KEY', options: { keyType: 'ed25519' }, issuer: true })
  template = await made('/v1/credentials/web-semantic/configurations', {
    ...{ name: 'Course certificate', type: 'CourseCertificate', additional_types: [], revocable: true },
    contexts: ['https://www.w3.org/ns/credentials/v2', { '@vocab': 'https://university.example/terms#' }],
    claim_mappings: { given_name: { map_from: 'claims.given_name', required: true } },
    issuer: { name: 'Example University' },
    proof_type: 'eddsa-rdfc-2022',
  })
}
anyTest.after.always(async () => {
  await platform?.close()
  await vault?.stop()
  server.close()
})

const ask = (path: string, question: Ask = {}): Promise<Reply> =>
  send(`${platform.config.publicUrl.origin}${path}`, question)
const tokenOf = async (): Promise<string> => {
  const { clientId, clientSecret } = platform.first
  const body = { clientId, clientSecret, grantType: 'client_credentials' }
  return (await ask('/v1/auth/token', { body })).json<{ access_token: string }>().access_token
}

/** SIGKILL and a start; of Vault, which keeps its keys in memory, SIGSTOP and SIGCONT. */
interface Killed {
  kill(): Promise<void> | void
  start(): Promise<void> | void
}
const PARTS: Record<string, () => Killed> = {
  'the worker': () => platform.worker,
  'the API': () => platform.api,
  Temporal: () => platform.temporal,
  PostgreSQL: () => platform.postgres,
  Vault: () => ({
    kill: () => void process.kill(vault.pid, 'SIGSTOP'),
    start: () => void process.kill(vault.pid, 'SIGCONT'),
  }),
}

/** The wallet asks until it is answered, as it does when a connection breaks. */
async function repeated(what: string, request: () => Promise<Reply>, good: (reply: Reply) => boolean): Promise<Reply> {
  let last: Reply | undefined
  await until(
    what,
    async () => {
      last = await request().catch(() => undefined)
      return last !== undefined && good(last)
    },
    90_000,
  ).catch((error: unknown) => {
    throw new Error(`${error} ${last?.status} ${last?.text.slice(0, 300)}`)
  })
  return last ?? Promise.reject(new Error('nothing was answered'))
}

/** Ids of the events about a session that came to the webhook; the same one may come again. */
const eventsOf = (sessionId: string): Set<string> =>
  new Set(
    receiver
      .at('/issued')
      .map(({ body }) => (JSON.parse(body.toString('utf8')) as DeliveryBody).event)
      .filter(({ payload }) => (payload as { sessionId?: string }).sessionId === sessionId)
      .map(({ id }) => id),
  )

/** Credentials of a session, and their entries in status lists. */
async function counted(sessionId: string): Promise<{ credentials: number; entries: number } | undefined> {
  const { rows } = await platform.dependencies.systemSql.query<{ credentials: number; entries: number }>({
    text: `select count(distinct c.id)::int as credentials,
      count(distinct (c.status_list_id, c.status_index))::int as entries
      from openid_issuances i join credentials c on c.id = any (i.credential_ids) where i.session_id = $1::uuid`,
    values: [sessionId],
  })
  return rows[0]
}

const STEPS = ['offer', 'token', 'nonce', 'credential', 'notification'] as const

/** Does a session of a wallet; at one step a part is killed while the request is under way. */
async function collect(part: Killed, at: (typeof STEPS)[number]): Promise<{ id: string; lost: boolean }> {
  const key = await createWalletKey()
  const token = await tokenOf()
  const isGood = ({ status }: Reply) => status >= 200 && status < 300 && status !== 202
  const during = async (step: (typeof STEPS)[number], request: () => Promise<Reply>, good = isGood): Promise<Reply> => {
    if (step !== at) return repeated(step, request, good)
    const first = request().catch(() => undefined)
    await wait(Math.random() * 60)
    await part.kill()
    await wait(500)
    await part.start()
    const answer = await first
    return answer && good(answer) ? answer : repeated(`${step} again`, request, good)
  }
  const headers = { 'idempotency-key': randomUUID() }
  const body = { credentials: [template], claims: { given_name: 'Ada' } }
  const offer = await during('offer', () => ask('/v1/openid/sessions', { token, headers, body }))
  const { id, uri } = offer.json<{ id: string; uri: string }>()
  const { credential_issuer: aud, grants } = offerIn(uri)
  const [grantType = '', grant] = Object.entries(grants)[0] ?? []
  const exchanged = await during(
    'token',
    () => ask('/v1/oauth/token', { body: { grant_type: grantType, ...grant } }),
    (reply) => isGood(reply) || reply.json<{ error: string }>().error === 'invalid_grant',
  )
  // the code was used, and its answer is lost: it gives nothing to anybody, and the wallet needs a new offer
  if (exchanged.status !== 200) return { id, lost: true }
  const { access_token: accessToken } = exchanged.json<{ access_token: string }>()
  const nonce = async () => (await ask('/v1/openid/nonce', { method: 'POST' })).json<{ c_nonce: string }>().c_nonce
  await during('nonce', () => ask('/v1/openid/nonce', { method: 'POST' }))
  const credential = await during('credential', async () => {
    const claims = { aud, nonce: await nonce(), iat: Math.floor(Date.now() / 1000) }
    const jwt = await key.sign({ typ: 'openid4vci-proof+jwt', jwk: key.publicJwk }, claims)
    const wanted = { credential_configuration_id: template, proofs: { jwt: [jwt] } }
    return ask('/v1/openid/credential', { token: accessToken, body: wanted })
  })
  const { notification_id } = credential.json<{ notification_id: string }>()
  const event = { notification_id, event: 'credential_accepted' }
  await during('notification', () => ask('/v1/openid/notification', { token: accessToken, body: event }))
  return { id, lost: false }
}

test('a session survives kill -9 of each part at each of its steps, with one credential, one entry and one event (specification, Fault matrix)', async (t) => {
  t.timeout(40 * 60_000)
  await open()
  for (const [name, part] of Object.entries(PARTS))
    for (const step of STEPS) {
      const { id, lost } = await collect(part(), step)
      t.log(`${name} at ${step}: ${lost ? 'the code was used and its answer lost' : 'collected'}`)
      if (lost) t.true(step === 'token' && ['the API', 'PostgreSQL'].includes(name), `${name} at ${step}`)
      const one = lost ? 0 : 1
      t.deepEqual(await counted(id), { credentials: one, entries: one }, `${name} at ${step}`)
      if (lost) continue
      await until('the event', async () => eventsOf(id).size > 0, 60_000)
      const state = async () =>
        (await ask(`/v1/openid/sessions/${id}`, { token: await tokenOf() })).json<{ state: string }>().state
      await until('the end', async () => (await state()) === 'COMPLETED', 60_000)
      t.is(eventsOf(id).size, 1, `${name} at ${step}`)
    }
})
