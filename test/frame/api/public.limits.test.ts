import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import express from 'express'
import { findAddress } from '../../../api/frame/limits/address.ts'
import { createDid, sign } from '../../support/credentials/credentials.ts'
import { example, REQUESTS } from '../../support/credentials/presentations.ts'
import { requestsOf } from '../../support/openid/requests.ts'
import { createVerifier, createVerifierClient, REDIRECT, VERIFIERS } from '../../support/openid/verifiers.ts'
import { openWorld, type World } from '../../support/world.ts'

const LIMIT = 8

let world: World
test.before(async () => {
  world = await openWorld({
    env: {
      PUBLIC_URL: 'https://localhost',
      PUBLIC_RATE_LIMIT_PER_MINUTE: String(LIMIT),
      TRUSTED_PROXIES: '127.0.0.1,::1',
    },
  })
})
test.after.always(() => world?.close())

/** Every document that is published, as paths of the first tenant. */
async function published(): Promise<string[]> {
  const { credential } = await sign(world, await createDid(world), { revocable: true })
  const { statusListCredential } = credential.credentialStatus as { statusListCredential: string }
  const asked = { name: 'Course', domain: 'verifier.example', query: example() }
  const request = await world.ask(REQUESTS, { token: world.token, body: asked })
  return [
    '/.well-known/did.json',
    '/some/path/did.json',
    '/.well-known/did-configuration.json',
    '/.well-known/did-configuration',
    '/v1/linked-dids',
    '/.well-known/jwks.json',
    '/v1/webhooks/jwks',
    new URL(statusListCredential).pathname,
    `/v1/presentation-requests/${request.json<{ id: string }>().id}`,
  ]
}

test.serial('published documents have a limit by address, and browsers can read its refusal (D-200)', async (t) => {
  const paths = await published()
  for (const [nth, path] of paths.entries()) {
    const headers = { 'x-forwarded-for': `192.0.2.${nth}` }
    for (let read = 0; read < LIMIT; read++) {
      const { status, headers: answered } = await world.ask(path, { headers })
      t.true([200, 404].includes(status), `${path}: ${status}`)
      t.is(answered.get('access-control-allow-origin'), '*', path)
      // caches keep these answers, and a header with a digest of the first reader's address with them
      t.is(answered.get('ratelimit-policy'), null, path)
    }
    const refused = await world.ask(path, { headers })
    t.like(refused.json(), { status: 429, type: '/problems#request.too_many' }, path)
    t.is(refused.headers.get('access-control-allow-origin'), '*', path)
    const seconds = Number(refused.headers.get('retry-after'))
    t.true(seconds >= 1 && seconds <= 60, path)
    const other = await world.ask(path, { headers: { 'x-forwarded-for': `198.51.100.${nth}` } })
    t.true([200, 404].includes(other.status), 'another address has its own')
  }
})

test.serial('a limit of published documents is not one of the API, and a token gives no more of them', async (t) => {
  const headers = { 'x-forwarded-for': '203.0.113.1' }
  const read = (token?: string) => world.ask('/.well-known/jwks.json', { token, headers })
  for (let nth = 0; nth < LIMIT; nth++) await read()
  t.is((await read()).status, 429)
  t.is((await read(world.token)).status, 429)
  t.is((await world.ask('/v1/dids', { token: world.token, headers })).status, 200)
})

test.serial('pages of people and requests of wallets have a limit by address, each its own', async (t) => {
  const headers = { 'x-forwarded-for': '203.0.113.7' }
  for (const path of [
    `${VERIFIERS}/${randomUUID()}/jwks`,
    '/v1/openid4vp/pages/x',
    '/v1/openid4vp/wallet/requests/x',
  ]) {
    for (let read = 0; read < LIMIT; read++) t.true((await world.ask(path, { headers })).status < 429, path)
    t.is((await world.ask(path, { headers })).status, 429, path)
    const other = await world.ask(path, { headers: { 'x-forwarded-for': '203.0.113.8' } })
    t.true(other.status < 429, 'another address has its own')
  }
})

test.serial('where people come by TLS, their browsers send the cookies of pages by TLS alone', async (t) => {
  const { id } = await createVerifier(world)
  const client = await createVerifierClient(world, id)
  const asked = new URLSearchParams({
    ...{ client_id: client.id, redirect_uri: REDIRECT, response_type: 'code', scope: 'openid', state: 'x', nonce: 'x' },
    ...{ code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' },
  })
  const { pageUri } = await requestsOf(world, await createDid(world, 'ed25519')).createPage()
  t.regex(pageUri, /^https:/)
  for (const [path, status] of [
    [`${VERIFIERS}/${id}/authorize?${asked}`, 303],
    [new URL(pageUri).pathname, 200],
  ] as const) {
    const reply = await world.ask(path, { headers: { accept: 'text/html', 'x-forwarded-for': '203.0.113.9' } })
    t.is(reply.status, status, reply.text)
    const cookies = reply.headers.getSetCookie()
    t.true(cookies.length > 0, path)
    for (const cookie of cookies) t.regex(cookie, /; secure/i)
  }
})

/** What is logged while `ask` asks an application that trusts nobody. */
async function logged(trusted: string[], headers: Record<string, string>[]) {
  const lines: [object, string][] = []
  const app = express()
  app.use(findAddress(trusted, { warn: (fields: object, message: string) => lines.push([fields, message]) }))
  app.use(({ address, forwarded }, response) => {
    response.json({ address, forwarded })
  })
  const server = app.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const answers = []
  for (const given of headers) answers.push(await (await fetch(`http://127.0.0.1:${port}`, { headers: given })).json())
  server.close()
  return { lines, answers }
}

test('a forwarded header of a peer that is not trusted is warned of, once (D-198)', async (t) => {
  const given = { 'x-forwarded-for': '192.0.2.1' }
  const { lines, answers } = await logged(['10.0.0.0/8'], [{}, given, given, { forwarded: 'for=192.0.2.1' }])
  t.is(lines.length, 1)
  t.deepEqual(lines[0]?.[0], { peer: '127.0.0.1' })
  t.regex(lines[0]?.[1] ?? '', /TRUSTED_PROXIES/)
  t.deepEqual(answers[1], { address: '127.0.0.1', forwarded: true })
})

test('of a trusted peer it is believed, and nothing is warned of', async (t) => {
  const { lines, answers } = await logged(['127.0.0.1'], [{ 'x-forwarded-for': '2001:db8:1:2ff::1' }])
  t.deepEqual(lines, [])
  t.deepEqual(answers, [{ address: '2001:db8:1:200::/56', forwarded: true }])
})
