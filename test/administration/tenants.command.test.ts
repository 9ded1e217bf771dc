import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import test from 'ava'
import { OPERATOR_SCOPES, SCOPES } from '../../protocol/tokens-logs/index.ts'
import { addAccount, browserAt, newEmail } from '../support/accounts.ts'
import { type Client, openWorld, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const run = promisify(execFile)
const script = fileURLToPath(new URL('../../stack/tenants.ts', import.meta.url))

/** Runs the command in the environment of the platform's processes. */
const command = (...args: string[]) => {
  const { config } = world
  const env = {
    PATH: process.env.PATH ?? '',
    DATABASE_URL: config.database.url,
    KEY_STORE_MASTER_KEY: Buffer.from(config.masterKey).toString('base64'),
    PUBLIC_URL: config.publicUrl.origin,
  }
  return run(process.execPath, [...process.execArgv, script, ...args], { env })
}

const tenants = async <T>(...args: string[]): Promise<T> => JSON.parse((await command(...args)).stdout) as T

interface Added extends Client {
  baseUrl: string
  scopes: string
}

interface Listed {
  subdomain: string
  clientId: string | null
}

const linesOf = async () =>
  (await tenants<Listed[]>('list')).map(({ subdomain, clientId }) => `${subdomain} ${clientId}`)

/** What a command may change: each costs a process, so the database is asked. */
const stored = async () =>
  (
    await world.dependencies.systemSql.query({
      text: `select t.subdomain, c.id, c.scopes::text from tenants t left join oauth2_clients c on c.tenant_id = t.id
        order by 1, 2`,
      values: [],
    })
  ).rows

test.serial('an operator adds a tenant and a client with fewer scopes, and removes the client (D-261)', async (t) => {
  const acme = await tenants<Added>('add', 'acme', 'Acme College')
  t.is(acme.baseUrl, world.config.publicUrl.origin.replace('//', '//acme.'))
  t.is(acme.scopes, SCOPES.join(' '))
  const token = await world.tokenOf(acme)
  t.is((await world.ask('/v1/dids', { token })).json().totalCount, 0)

  const reader = await tenants<Added>('client', 'acme', 'Reads DIDs', 'dids:read')
  t.is(reader.tenantId, acme.tenantId)
  const body = { method: 'KEY', options: { keyType: 'ed25519' } }
  const refused = await world.ask('/v1/dids', { token: await world.tokenOf(reader), body })
  t.is(refused.json().type, '/problems#token.insufficient_scope')
  await t.throwsAsync(world.tokenOf(reader, 'dids:write'), { message: /token.invalid_scope/ })

  t.true((await linesOf()).includes(`acme ${reader.clientId}`))
  await tenants('remove-client', reader.clientId)
  t.false((await linesOf()).includes(`acme ${reader.clientId}`))
  await t.throwsAsync(world.tokenOf(reader), { message: /token.invalid_client/ })
})

test.serial('an operator gets a client of the first tenant, with scopes of the platform alone (D-590)', async (t) => {
  const operator = await tenants<Added>('operator', 'Ada')
  t.is(operator.tenantId, world.first.tenantId)
  t.is(operator.scopes, OPERATOR_SCOPES.join(' '))
  const token = await world.tokenOf(operator)
  t.is((await world.ask('/v1/dids', { token })).json().type, '/problems#token.insufficient_scope')
  t.is((await tenants<Added>('operator', 'Auditor', 'platform:read')).scopes, 'platform:read')
})

test.serial(
  'an operator’s account is made with a link that sets its password once, and loses its scopes again',
  async (t) => {
    const email = newEmail()
    const made = await tenants<{ accountId: string; link: string; expiresAt: string }>('operator-account', email)
    const [page, token = ''] = made.link.split('#reset=')
    t.is(page, `${world.config.publicUrl.origin}/account`)
    const account = { email, password: 'eleven red unicycles at dusk' }
    t.is((await browserAt(world).login(account)).status, 401)
    const set = (password: string) => world.ask('/v1/auth/password-reset/confirm', { body: { token, password } })
    t.is((await set(account.password)).status, 204)
    t.is((await set('another password than that')).status, 400)
    const browser = browserAt(world)
    const session = (await browser.login(account)).json<{ account_id: string; scope: string }>()
    t.is(session.account_id, made.accountId)
    t.true(session.scope.endsWith('platform:read platform:write'))
    t.deepEqual(await tenants('remove-operator-account', email), { removed: true })
    t.is((await browser.refresh()).status, 401)
    t.is((await browserAt(world).login(account)).json<{ scope: string }>().scope, 'accounts:read accounts:write')
    t.deepEqual(await tenants('remove-operator-account', email), { removed: false })
    const person = await addAccount(world)
    t.is((await tenants<{ accountId: string }>('operator-account', person.email)).accountId, person.id)
    t.is((await browserAt(world).login(person)).status, 401, 'the password of an account that was there ends')
  },
)

for (const [what, ...args] of [
  ['an operator’s account without an address', 'operator-account', 'nobody'],
  ['a subdomain that is taken', 'add', 'first'],
  ['a subdomain that is no label', 'add', 'Acme.College'],
  ['a scope that does not exist', 'client', 'first', 'Reader', 'dids:look'],
  ['a scope of operators for a client of a tenant', 'client', 'first', 'Reader', 'platform:read'],
  ['a scope of tenants for an operator', 'operator', 'Ada', 'dids:read'],
  ['an operator without a name', 'operator'],
  ['a tenant that does not exist', 'client', 'nobody', 'Reader'],
  ['a client that does not exist', 'remove-client', 'nobody'],
  ['a missing name', 'client', 'first'],
] as const)
  test.serial(`the command refuses ${what}, and changes nothing`, async (t) => {
    const before = await stored()
    const failure = await t.throwsAsync<Error & { code: number; stdout: string }>(command(...args))
    t.like(failure, { code: 1, stdout: '' })
    t.deepEqual(await stored(), before)
  })
