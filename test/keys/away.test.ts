import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import anyTest from 'ava'
import { dismissGuard } from '../../stack/parts/part.ts'
import { createDid, payload, sign } from '../support/credentials/credentials.ts'
import { until } from '../support/credentials/dids.ts'
import { createAppRole, openVault } from '../support/parts/vault.ts'
import { needs } from '../support/parts.ts'
import { temporary } from '../support/stack/stack.ts'
import { type Ask, openWorld } from '../support/world.ts'

const test = needs('Vault', anyTest.serial)

anyTest.after.always(() => dismissGuard())

/** Operations and what they answer meanwhile, as docs/operations.md has it. */
const whileAway = (issuer: string, unused: string, revocable: string): [status: number, path: string, ask: Ask][] => [
  [503, '/v1/dids', { body: { method: 'KEY', options: { keyType: 'ed25519' } } }],
  [201, '/v1/dids', { body: { method: 'WEB', options: { url: 'https://issuer.example.org' } } }],
  [204, `/v1/dids/${unused}`, { method: 'DELETE' }],
  [
    503,
    '/v1/credentials/web-semantic/sign',
    { body: { payload: payload(issuer), proofType: 'eddsa-rdfc-2022', revocable: false, tag: 'away' } },
  ],
  [200, `/v1/credentials/web-semantic/${revocable}/revocation-status`, { body: { is_revoked: true } }],
  [200, '/v1/credentials/web-semantic', {}],
  [
    201,
    `/v1/credentials/batches?proofType=eddsa-rdfc-2022&issuer=${encodeURIComponent(issuer)}`,
    { raw: 'id\ndid:example:ada\n', headers: { 'content-type': 'text/csv' } },
  ],
]

test('while keys are away a token goes on working, verification too, and the token endpoint says keys.unavailable and until when', async (t) => {
  const vault = await openVault()
  t.teardown(() => vault.stop())
  const role = await createAppRole(vault)
  const secretIdFile = join(temporary(t, 'secret'), 'secret-id')
  writeFileSync(secretIdFile, role.secretId)
  const world = await openWorld({
    env: { VAULT_ADDR: vault.address, VAULT_ROLE_ID: role.roleId, VAULT_SECRET_ID_FILE: secretIdFile },
  })
  try {
    const issuer = await createDid(world)
    const unused = await createDid(world)
    const { credential } = await sign(world, issuer)
    const revocable = await sign(world, issuer, { revocable: true })
    const { clientId, clientSecret } = world.first
    const askToken = () =>
      world.ask('/v1/auth/token', { body: { clientId, clientSecret, grantType: 'client_credentials' } })
    const works = async () => {
      const { token } = world
      t.is((await world.ask('/v1/dids', { token })).status, 200)
      const verified = await world.ask('/v1/credentials/web-semantic/verify', { token, body: { payload: credential } })
      t.like(verified.json(), { verified: true })
      t.is((await world.ask('/.well-known/jwks.json')).status, 200)
    }

    await vault.seal()
    const sealed = await askToken()
    t.is(sealed.status, 503)
    t.is(sealed.json().type, '/problems#keys.unavailable')
    await works()
    for (const [status, path, question] of whileAway(issuer, unused, revocable.id)) {
      const reply = await world.ask(path, { ...question, token: world.token })
      t.is(reply.status, status, `${path}: ${reply.text}`)
      if (status === 503) t.is(reply.json().type, '/problems#keys.unavailable')
    }
    const verify = { payload: revocable.credential }
    const seen = await world.ask('/v1/credentials/web-semantic/verify', { token: world.token, body: verify })
    t.like(seen.json(), { verified: false, reason: [{ type: 'Revoked' }] })
    await vault.unseal()
    await until('tokens to be issued again', async () => (await askToken()).status === 200, 20_000)

    writeFileSync(secretIdFile, 'wrong')
    await vault.call('PUT', 'sys/leases/revoke-prefix/auth/approle/login', {})
    await until(
      'the second login to be refused',
      async () => {
        const reply = await askToken()
        return reply.status === 503 && Number(reply.headers.get('retry-after')) > 100
      },
      10_000,
    )
    const refused = await askToken()
    t.is(refused.json().type, '/problems#keys.unavailable')
    const seconds = Number(refused.headers.get('retry-after'))
    t.true(seconds > 280 && seconds <= 360, `the time of the next login: ${seconds} s`)
    t.like((await world.ask('/health/ready')).json(), { status: 'degraded', parts: { keys: 'down' } })
    await works()

    writeFileSync(secretIdFile, role.secretId)
    await until('tokens to be issued again', async () => (await askToken()).status === 200, 20_000)
  } finally {
    await world.close()
  }
})
