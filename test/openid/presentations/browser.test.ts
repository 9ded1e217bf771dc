import test from 'ava'
import { openSdJwt } from '../../support/openid/presenting.sd-jwt.ts'
import { DOC_TYPE, encrypted, keyOf, NAMESPACE, openMdoc, wallet } from '../../support/openid/presenting.ts'
import { identityQuery, openAsking, type ReadRequest, requestsOf } from '../../support/openid/requests.ts'
import type { World } from '../../support/world.ts'

const ORIGIN = 'https://shop.university.example'
const OTHER = 'https://www.shop.university.example'
const FRAME = { given_name: true }

let world: World
let issuer: string
let requests: ReturnType<typeof requestsOf>
test.before(async () => {
  ;({ world, issuer, requests } = await openAsking())
})
test.after.always(() => world?.close())

async function asked(body: object = {}) {
  const created = await requests.create({ responseMode: 'dc_api.jwt', expectedOrigins: [ORIGIN, OTHER], ...body })
  const { protocol, data } = created.browserRequest ?? { protocol: '', data: { request: '' } }
  return { id: created.id, created, protocol, request: await wallet.readBrowserRequest(data, ORIGIN) }
}

const codeOf = (reply: { json<T>(): T }) => reply.json<{ type: string }>().type.split('#')[1]

test('a browser asks a wallet, which binds its answer to the page (OpenID4VP 1.0, appendix A)', async (t) => {
  const { id, created, protocol, request } = await asked()
  t.is(protocol, 'openid4vp-v1-signed')
  t.like(created, { uri: null, qrCode: null, sameDeviceUri: null })
  t.like(request, { response_mode: 'dc_api.jwt', expected_origins: [ORIGIN, OTHER] })
  t.false('response_uri' in request)
  await t.throwsAsync(
    wallet.readBrowserRequest(created.browserRequest?.data ?? { request: '' }, 'https://evil.example'),
  )
  const held = await openSdJwt(world, { issuer_did: issuer })
  const vp_token = await held.present({ ...request, client_id: `origin:${ORIGIN}` }, FRAME)
  const reply = await requests.answer(id, ORIGIN, { response: await encrypted({ vp_token }, keyOf(request)) })
  t.is(reply.status, 200, reply.text)
  t.like(reply.json<ReadRequest>(), { state: 'VERIFIED', needsResponseCode: false })
  t.is(reply.json<ReadRequest>().credentials[0]?.claims?.given_name, 'Ada')
  const again = await requests.answer(id, ORIGIN, { response: await encrypted({ vp_token }, keyOf(request)) })
  t.deepEqual([again.status, codeOf(again)], [400, 'openid_presentation.over'])
})

test('an answer for another page, the name of the verifier, or in clear is refused', async (t) => {
  const held = await openSdJwt(world, { issuer_did: issuer })
  const { id, request } = await asked()
  const answerFor = async (audience: string) => {
    const vp_token = await held.present({ ...request, client_id: audience }, FRAME)
    return { response: await encrypted({ vp_token }, keyOf(request)) }
  }
  const inClear = { vp_token: await held.present({ ...request, client_id: `origin:${ORIGIN}` }, FRAME) }
  const cases: [string, object, string][] = [
    [ORIGIN, await answerFor(`origin:${OTHER}`), 'openid_presentation.refused'],
    [ORIGIN, await answerFor(request.client_id), 'openid_presentation.refused'],
    ['https://evil.example', await answerFor('origin:https://evil.example'), 'openid_presentation.answer_malformed'],
    [ORIGIN, inClear, 'openid_presentation.answer_malformed'],
  ]
  for (const [origin, data, code] of cases) {
    const reply = await requests.answer(id, origin, data)
    t.deepEqual([reply.status, codeOf(reply)], [400, code], reply.text)
  }
  t.like(await requests.read(id), { state: 'PENDING', failures: 4 })
  const declined = await requests.answer(id, ORIGIN, { error: 'access_denied' })
  t.is(declined.json<ReadRequest>().state, 'REFUSED')
})

test('the session of a mobile credential has the page and the key of the answer (appendix B.2.6.2)', async (t) => {
  const mdoc = await openMdoc(world)
  const claims = [{ path: [NAMESPACE, 'family_name'] }]
  const dcqlQuery = { credentials: [{ id: 'a', format: 'mso_mdoc', meta: { doctype_value: DOC_TYPE }, claims }] }
  for (const responseMode of ['dc_api.jwt', 'dc_api'] as const) {
    const { id, request } = await asked({ dcqlQuery, responseMode })
    const dataOf = async (origin?: string) => {
      const vp_token = await mdoc.present({ ...request, response_uri: '' }, ['family_name'], origin)
      return responseMode === 'dc_api' ? { vp_token } : { response: await encrypted({ vp_token }, keyOf(request)) }
    }
    for (const origin of [OTHER, undefined]) t.is((await requests.answer(id, ORIGIN, await dataOf(origin))).status, 400)
    const reply = await requests.answer(id, ORIGIN, await dataOf(ORIGIN))
    t.is(reply.status, 200, reply.text)
    t.like(reply.json<ReadRequest>().credentials[0]?.claims, { [NAMESPACE]: { family_name: 'Lovelace' } })
  }
})

test('a request of a browser names its pages, and only such a one is answered there', async (t) => {
  const cases: [object, string, string][] = [
    [{ responseMode: 'dc_api.jwt' }, 'expectedOrigins', 'count'],
    [{ expectedOrigins: [ORIGIN] }, 'expectedOrigins', 'exclusive'],
    [{ responseMode: 'dc_api', expectedOrigins: [`${ORIGIN}/`] }, 'expectedOrigins.0', 'origin'],
    [{ responseMode: 'dc_api', expectedOrigins: ['http://shop.example'] }, 'expectedOrigins.0', 'origin'],
    [{ responseMode: 'dc_api', expectedOrigins: [ORIGIN], redirectUri: ORIGIN }, 'redirectUri', 'exclusive'],
  ]
  for (const [body, path, code] of cases) {
    const reply = await requests.creating(body)
    const { errors = [] } = reply.json<{ errors?: object[] }>()
    t.deepEqual(
      errors.map((each) => [Reflect.get(each, 'path'), Reflect.get(each, 'code')]),
      [[path, code]],
      reply.text,
    )
  }
  const { id } = await requests.create({ dcqlQuery: identityQuery() })
  const reply = await requests.answer(id, ORIGIN, { error: 'access_denied' })
  t.deepEqual([reply.status, codeOf(reply)], [400, 'openid_presentation.over'])
})
