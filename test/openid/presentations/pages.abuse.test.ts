import { get, type IncomingMessage } from 'node:http'
import test from 'ava'
import { inTenant } from '../../../entities/orm.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { createDomain } from '../../support/domains.ts'
import { inBrowserAnswer } from '../../support/openid/pages.ts'
import { openSdJwt } from '../../support/openid/presenting.sd-jwt.ts'
import { type WalletRequest, wallet } from '../../support/openid/presenting.ts'
import { requestsOf, SHOP } from '../../support/openid/requests.ts'
import { qrLink, sameDeviceLink } from '../../support/openid/verifiers.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let requests: ReturnType<typeof requestsOf>
let held: Awaited<ReturnType<typeof openSdJwt>>
test.before(async () => {
  world = await openWorld()
  requests = requestsOf(world, await createDid(world, 'ed25519'))
  held = await openSdJwt(world, { issuer_did: await createDid(world, 'p256', world.token, true) })
})
test.after.always(() => world?.close())

const FRAME = { given_name: true }

/** One request of a browser with the cookie that it has, if any. */
async function visit(url: string, cookie = '', init: RequestInit = {}) {
  const headers = { accept: 'text/html', ...(cookie && { cookie }), ...(init.headers as object) }
  const response = await fetch(url, { redirect: 'manual', ...init, headers })
  const set = response.headers.get('set-cookie') ?? ''
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, set, location: response.headers.get('location') }
}

/** A page that a browser has opened: its cookie, and what it asks wallets. */
async function begun(body: object = {}) {
  const { id, pageUri } = await requests.createPage(body)
  const shown = await visit(pageUri)
  const [cookie = ''] = shown.set.split(';')
  const html = { text: shown.text } as Parameters<typeof qrLink>[0]
  const { data } = JSON.parse((await visit(`${pageUri}/browser-request`, cookie)).text) as { data: { request: string } }
  const inBrowser = await wallet.readBrowserRequest(data, new URL(world.url).origin)
  return { id, pageUri, shown, cookie, inBrowser, html }
}

const forPage = async (request: WalletRequest, origin = new URL(world.url).origin) =>
  inBrowserAnswer(request, await held.present({ ...request, client_id: `origin:${origin}` }, FRAME))

const answering = (pageUri: string, cookie: string, answer: object | string, headers: object = {}) =>
  visit(`${pageUri}/answer`, cookie, {
    method: 'POST',
    body: typeof answer === 'string' ? answer : JSON.stringify(answer),
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
  })

const codeOf = ({ text }: { text: string }) => (JSON.parse(text) as { type: string }).type.split('#')[1]

test('the cookie of a page is for it alone, and nothing of a person or a wallet is in its address', async (t) => {
  const { shown, pageUri, cookie } = await begun()
  const { pathname } = new URL(pageUri)
  t.regex(pathname, /^\/v1\/openid4vp\/pages\/[\w-]{43}$/)
  t.regex(shown.set, /^openid4vp_page=[\w-]{43}; Max-Age=\d+; /)
  for (const attribute of [`Path=${pathname};`, 'HttpOnly', 'SameSite=Lax']) t.true(shown.set.includes(attribute))
  t.is((await visit(pageUri, cookie)).set, '', 'it is set once')
  const policy = shown.headers.get('content-security-policy') ?? ''
  t.regex(policy, /script-src http:\/\/localhost:\d+\/v1\/openid4vp\/pages\/page\.js;/)
  t.notRegex(policy, /unsafe/)
  t.notRegex(shown.text, /<script>|onclick|style="/)
  t.like(Object.fromEntries(shown.headers), {
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
  })
  t.is(shown.headers.get('access-control-allow-origin'), null)
})

test('a page is of the first browser: of many at once one has it, and one that looks ahead has not', async (t) => {
  const { pageUri } = await requests.createPage()
  for (const init of [{ method: 'HEAD' }, { headers: { 'sec-purpose': 'prefetch;prerender' } }]) {
    const ahead = await visit(pageUri, '', init)
    t.deepEqual([ahead.status, ahead.set], [503, ''])
  }
  const together = await Promise.all(Array.from({ length: 10 }, () => visit(pageUri)))
  const statuses = together.map(({ status }) => status).toSorted((one, other) => one - other)
  t.deepEqual(statuses, [200, ...Array.from({ length: 9 }, () => 403)])
  const strange = await begun()
  for (const cookie of ['openid4vp_page=x', strange.cookie, `${strange.cookie}; ${strange.cookie}`])
    t.is((await visit(pageUri, cookie)).status, 403)
})

test('another browser can neither look, ask, answer, finish nor end the request', async (t) => {
  const { id, pageUri, cookie, inBrowser } = await begun()
  const foreign = (await begun()).cookie
  const answer = await forPage(inBrowser)
  for (const other of ['', foreign]) {
    const refused = [
      await visit(`${pageUri}/state`, other),
      await visit(`${pageUri}/browser-request`, other),
      await visit(`${pageUri}/done`, other),
      await visit(`${pageUri}/cancel`, other, { method: 'POST' }),
      await answering(pageUri, other, answer),
    ]
    t.deepEqual(
      refused.map(({ status }) => status),
      [403, 403, 403, 403, 403],
    )
  }
  for (const path of ['answer', 'cancel'])
    for (const from of [{ origin: 'https://evil.example' }, { origin: 'null', 'sec-fetch-site': 'same-site' }]) {
      const headers = { 'content-type': 'application/json', ...from }
      t.is((await visit(`${pageUri}/${path}`, cookie, { method: 'POST', body: '{}', headers })).status, 403, path)
    }
  t.like(await requests.read(id), { state: 'PENDING', failures: 0 })
  t.is((await answering(pageUri, cookie, answer, { origin: new URL(world.url).origin })).status, 200)
  t.is((await requests.read(id)).state, 'VERIFIED')
})

test('each way of a page has a nonce of its own: an answer for one is none for another, nor for another origin', async (t) => {
  const { pageUri, cookie, inBrowser, html, id } = await begun({ responseMode: 'direct_post' })
  t.is(inBrowser.response_mode, 'dc_api')
  const [elsewhere, here] = [await wallet.readRequest(qrLink(html)), await wallet.readRequest(sameDeviceLink(html))]
  t.is(new Set([inBrowser.nonce, elsewhere.nonce, here.nonce]).size, 3)
  const origin = `origin:${new URL(world.url).origin}`
  const ofLink = { vp_token: await held.present({ ...elsewhere, client_id: origin }, FRAME) }
  const ofOther = { vp_token: await held.present({ ...inBrowser, client_id: 'origin:https://evil.example' }, FRAME) }
  for (const answer of [ofLink, ofOther]) {
    const reply = await answering(pageUri, cookie, answer)
    t.deepEqual([reply.status, codeOf(reply)], [400, 'openid_presentation.refused'], reply.text)
  }
  const ofPage = await held.present({ ...inBrowser, client_id: elsewhere.client_id }, FRAME)
  t.is((await wallet.answer(elsewhere, ofPage)).status, 400)
  t.like(await requests.read(id), { state: 'FETCHED', failures: 3 })
  t.is((await wallet.answer(here, await held.present(here, FRAME))).status, 200)
  t.is((await answering(pageUri, cookie, ofLink)).status, 400, 'answered')
})

test('what a wallet is led back with is no code for the verifier, and a browser without the cookie gets none', async (t) => {
  const { id, pageUri, cookie, html } = await begun()
  const request = await wallet.readRequest(sameDeviceLink(html))
  const { body } = await wallet.answer(request, await held.present(request, FRAME))
  const back = new URL(String(body.redirect_uri))
  const returned = back.searchParams.get('return_code') ?? ''
  t.is((await requests.redeem(id, returned)).status, 400)
  t.is((await visit(back.href)).status, 403)
  t.deepEqual(JSON.parse((await visit(`${pageUri}/state`, cookie)).text), { state: 'returning', failures: 0 })
  t.is((await visit(`${pageUri}/done`, cookie)).location, new URL(pageUri).pathname, 'the wallet leads back')
  const led = await visit(back.href, cookie)
  t.is(led.status, 303)
  const code = new URL(led.location ?? '').searchParams.get('response_code') ?? ''
  t.is((await requests.redeem(id, code)).status, 200)
  t.is((await visit(back.href, cookie)).location, new URL(pageUri).pathname, 'once it was redeemed there is no code')
})

test('at another domain of the tenant a page leads to its own address, and belongs to no browser yet', async (t) => {
  const { pageUri } = await requests.createPage()
  const { id, domain } = await createDomain(world, {}, world.token)
  await inTenant(world.dependencies.database.tenants, world.first.tenantId, (em) =>
    em.execute('update domains set is_verified = true, verified_at = now() where id = ?', [id]),
  )
  const { port, pathname } = new URL(pageUri)
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const asked = get({ host: 'localhost', port, path: pathname, headers: { host: domain } }, resolve)
    asked.on('error', reject)
  })
  answer.resume()
  t.deepEqual([answer.statusCode, answer.headers.location, answer.headers['set-cookie']], [303, pageUri, undefined])
  t.regex((await visit(pageUri)).set, /^openid4vp_page=/)
})

test('an answer that is none, and a page that nobody made, are no fault of the server', async (t) => {
  const bodies = ['', 'x', '[]', '{}', '{"response":1}', '{"vp_token":{}}', `${'['.repeat(5_000)}`, '{"__proto__":1}']
  for (const body of bodies) {
    const { pageUri, cookie } = await begun()
    const reply = await answering(pageUri, cookie, body)
    t.is(reply.status, 400, `${body.slice(0, 20)} ${reply.text}`)
  }
  const { pageUri, cookie, id } = await begun()
  t.is((await answering(pageUri, cookie, 'x'.repeat(2_000_000))).status, 413)
  t.is((await answering(pageUri, cookie, '{}', { 'content-type': 'text/plain' })).status, 415)
  await requests.remove(id)
  for (const url of [pageUri, pageUri.replace(/[^/]+$/, 'A'.repeat(43)), `${pageUri}x`, `${pageUri}/state`])
    t.is((await visit(url, cookie)).status, 404, url)
  for (const name of ['%00', '%', '..%2f'])
    t.true((await visit(`${world.url}/v1/openid4vp/pages/${name}`)).status < 500)
})

test('a page needs where it leads back to, and is not for a page of the verifier', async (t) => {
  const cases: [object, string, string][] = [
    [{ page: true }, 'redirectUri', 'required'],
    [{ page: true, responseMode: 'dc_api', expectedOrigins: ['https://shop.example'] }, 'page', 'exclusive'],
  ]
  for (const [body, path, code] of cases) {
    const reply = await requests.creating(body)
    const { errors = [] } = reply.json<{ errors?: { path: string; code: string }[] }>()
    t.deepEqual([reply.status, errors.map((each) => [each.path, each.code])], [400, [[path, code]]])
  }
  t.is((await requests.create({ page: false, redirectUri: SHOP })).pageUri, null)
  const created = await requests.create({ page: true, redirectUri: 'com.example.app:/back' })
  t.like(created, { uri: null, qrCode: null, sameDeviceUri: null, browserRequest: null })
  const shown = await visit(created.pageUri ?? '')
  t.regex(shown.text, /<title>Present to com\.example\.app<\/title>/)
  const [cookie = ''] = shown.set.split(';')
  const ended = await visit(`${created.pageUri}/cancel`, cookie, { method: 'POST' })
  t.deepEqual([ended.status, ended.location], [303, 'com.example.app:/back'])
})
