import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openProcesses } from '../../parts/processes.ts'
import { openVault } from '../../parts/vault.ts'
import { createReceiver, type DeliveryBody, status } from '../../receiver.ts'
import { type Ask, type Reply, send } from '../../world.ts'
import { openBrowser } from '../browser.ts'
import { PROVIDERS } from '../logins.ts'
import { BASIC_SECRET } from '../provider.ts'
import { openUpstreamProcess } from './provider.ts'

export const HOOK = 'https://hook.university.example/interaction'

/** SIGKILL, and a start. */
export interface Killed {
  kill(): Promise<void>
  start(): Promise<void>
}

/** Each part of the platform as a process that can be killed, an upstream provider, a hook, and a template. */
export async function openKillable() {
  const undo: (() => Promise<unknown>)[] = []
  const close = async (): Promise<void> => {
    for (let last = undo.pop(); last; last = undo.pop()) await last()
  }
  return build(undo, close).catch(async (error: unknown) => {
    await close() // what a failed start leaves behind would keep the test from ending
    throw error
  })
}

async function build(undo: (() => Promise<unknown>)[], close: () => Promise<void>) {
  const directory = await mkdtemp(join(tmpdir(), 'countersign-killed-'))
  undo.push(() => rm(directory, { recursive: true, force: true }))
  const receiver = createReceiver()
  receiver.script('/issued', status(204))
  const server = createServer(receiver.listener)
  const upstream = await openUpstreamProcess()
  undo.push(() => upstream.close())
  let vault = await openVault({ directory })
  undo.push(() => vault.stop())
  const { keys, address } = vault
  const env = { VAULT_ADDR: address, VAULT_TOKEN: vault.token, VAULT_TIMEOUT_MS: '1000' }
  const webhooks = { WEBHOOK_ALLOW_PRIVATE: 'true', WEBHOOK_RETRY_SECONDS: '1,1,1' }
  const platform = await openProcesses({ ...upstream.env, ...env, ...webhooks }, { isPublic: true })
  undo.push(() => platform.close())
  const { origin, hostname } = platform.config.publicUrl
  upstream.sendsTo(`${origin}/v1/oauth/authentication/callback`)
  await upstream.start()
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  undo.push(async () => server.close())

  const ask = (path: string, question: Ask = {}): Promise<Reply> => send(`${origin}${path}`, question)
  const tokenOf = async (): Promise<string> => {
    const { clientId, clientSecret } = platform.first
    const body = { clientId, clientSecret, grantType: 'client_credentials' }
    return (await ask('/v1/auth/token', { body })).json<{ access_token: string }>().access_token
  }
  const made = async <Made>(path: string, body: object, method = 'POST'): Promise<Made> => {
    const reply = await ask(path, { token: await tokenOf(), method, body })
    if (reply.status > 201) throw new Error(`${path} answered ${reply.status} ${reply.text}`)
    return reply.json<Made>()
  }

  const url = `http://localhost:${(server.address() as AddressInfo).port}/issued`
  await made('/v1/webhooks', { url, events: ['OpenIdCredentialIssued'] })
  await made('/v1/dids', { method: 'KEY', options: { keyType: 'ed25519' }, issuer: true })
  const { id: template } = await made<{ id: string }>('/v1/credentials/web-semantic/configurations', {
    ...{ name: 'Course certificate', type: 'CourseCertificate', additional_types: [], revocable: true },
    contexts: ['https://www.w3.org/ns/credentials/v2', { '@vocab': 'https://university.example/terms#' }],
    claim_mappings: { given_name: { map_from: 'claims.given_name', required: true } },
    issuer: { name: 'Example University' },
    proof_type: 'eddsa-rdfc-2022',
  })
  const client = { url: upstream.issuer, client_id: 'basic', client_secret: BASIC_SECRET }
  const scope = ['openid', 'profile']
  await made(PROVIDERS, { ...client, scope, claims_to_persist: ['given_name'] })
  const hook = { url: HOOK, claims: ['given_name'], disabled: false, session_timeout_in_sec: 600 }
  const { secret } = await made<{ secret: string }>('/v1/openid/configuration', hook, 'PUT')

  const places = { 'login.test': { port: upstream.port, tls: true }, [hostname]: { port: platform.port, tls: false } }
  const parts: Record<string, Killed> = {
    'the worker': platform.worker,
    'the API': platform.api,
    Temporal: platform.temporal,
    PostgreSQL: platform.postgres,
    Vault: {
      async kill() {
        process.kill(vault.pid, 'SIGKILL')
        await vault.exited
      },
      async start() {
        vault = await openVault({ directory, keys, port: Number(new URL(address).port) })
      },
    },
    'the upstream provider': upstream,
  }

  return {
    parts,
    ask,
    tokenOf,
    template,
    base: origin,
    hookKey: Buffer.from(secret, 'base64'),
    worker: platform.worker,
    browser: () => openBrowser(places, upstream.authority.pem),
    /** Ids of the events about sessions that came to the webhook; the same one may come again. */
    eventsOf: (sessionIds: readonly string[]): Set<string> =>
      new Set(
        receiver
          .at('/issued')
          .map(({ body }) => (JSON.parse(body.toString('utf8')) as DeliveryBody).event)
          .filter(({ payload }) => sessionIds.includes((payload as { sessionId?: string }).sessionId ?? ''))
          .map(({ id }) => id),
      ),
    /** Credentials of sessions, their entries in status lists, and how often an entry was taken in all. */
    async counted(sessionIds: readonly string[]) {
      type Counts = { credentials: number; entries: number; recorded: number }
      const { rows } = await platform.dependencies.systemSql.query<Counts>({
        text: `select count(distinct c.id)::int as credentials,
          count(distinct (c.status_list_id, c.status_index))::int as entries,
          (select count(*)::int from logs l where l.type = 'OPENID_CREDENTIAL_ISSUE_SUCCESS'
            and l.metadata ->> 'sessionId' = any ($1::text[])) as recorded
          from openid_issuances i join credentials c on c.id = any (i.credential_ids)
          where i.session_id = any ($1::uuid[])`,
        values: [sessionIds],
      })
      return rows[0]
    },
    close,
  }
}

export type Killable = Awaited<ReturnType<typeof openKillable>>
