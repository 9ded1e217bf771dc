import test from 'ava'
import { compactVerify, decodeProtectedHeader, importJWK } from 'jose'
import { inTenant } from '../../../entities/orm.ts'
import { PresentationRequest } from '../../../entities/semantic-credentials.presentations.ts'
import { toJwk } from '../../../protocol/dids/index.ts'
import { publicKeyOfDidKey } from '../../../protocol/dids/key.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { chooseIssuer } from '../../support/credentials/dids.ts'
import { makeHolder } from '../../support/credentials/holders.ts'
import {
  type Asked,
  about,
  example,
  failedIn,
  REQUESTS,
  TEMPLATES,
  verifierIn,
  verifyPresentation,
} from '../../support/credentials/presentations.ts'
import { refusal } from '../../support/credentials/templates.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let verifier: ReturnType<typeof verifierIn>
test.before(async () => {
  world = await openWorld()
  await chooseIssuer(world, await createDid(world), world.token)
  verifier = verifierIn(world)
})
test.after.always(() => world?.close())

test.serial('a request: signed by the DID, at a public address, as link and QR code', async (t) => {
  const did = await createDid(world)
  const { id: templateId, query } = await verifier.template()
  const expiresTime = Date.now() + 60_000
  const callbackUrl = 'https://verifier.example/answers'
  const asked = await verifier.post<Asked>(REQUESTS, {
    templateId,
    did,
    callbackUrl,
    expiresTime,
    challenge: `c-${templateId}`,
  })
  t.like(asked, { templateId, callbackUrl, expiresTime, challenge: `c-${templateId}`, state: 'open' })
  const { created_time: created, ...message } = asked.request ?? {}
  t.true(Number(created) <= Date.now() && Number(created) > Date.now() - 60_000)
  t.deepEqual(message, {
    id: asked.id,
    type: 'https://mattr.global/schemas/verifiable-presentation/request/QueryByExample',
    from: did,
    expires_time: expiresTime,
    reply_url: callbackUrl,
    reply_to: [did],
    body: {
      id: templateId,
      domain: 'verifier.example',
      name: 'Proof of a course',
      query,
      challenge: `c-${templateId}`,
    } as never,
  })
  const jws = String(asked.jws)
  const key = await importJWK({ ...toJwk(publicKeyOfDidKey(did)) }, 'EdDSA')
  const { payload } = await compactVerify(jws, key)
  t.deepEqual(JSON.parse(Buffer.from(payload).toString()), asked.request)
  t.like(decodeProtectedHeader(jws), { alg: 'EdDSA', kid: `${did}#${did.slice('did:key:'.length)}` })
  t.is(asked.didcommUri, `didcomm://?request=${jws}`)
  t.is(asked.requestUri, `${world.url}/v1/presentation-requests/${asked.id}`)
  const published = await fetch(String(asked.requestUri))
  t.deepEqual([published.status, await published.text()], [200, jws])
  t.is(published.headers.get('content-type'), 'application/jose')
  const [kind, png = ''] = String(asked.qrCode).split(',')
  t.is(kind, 'data:image/png;base64')
  t.deepEqual([...Buffer.from(png, 'base64').subarray(1, 4)], [...Buffer.from('PNG')])
  t.true(png.length < 20_000)
  const read = await world.ask(`${REQUESTS}/${asked.id}`, { token: world.token })
  t.deepEqual(read.json(), asked)
})

test.serial('a request in the specification’s shape answers a template’s members and more', async (t) => {
  const body = { domain: 'verifier.example', name: 'Ask at once', query: example() }
  const tenant = await world.addTenant()
  const token = await world.tokenOf(tenant)
  const unsigned = await verifier.post<Asked>(REQUESTS, body, token)
  t.like(unsigned, body)
  t.regex(unsigned.challenge, /^[\w-]{32}$/)
  t.true(unsigned.expiresTime > Date.now() + 3_000_000)
  t.is(unsigned.jws, undefined)
  const did = await createDid(world, 'ed25519', token)
  const signed = await verifier.post<Asked>(REQUESTS, { ...body, id: null }, token)
  t.is(signed.request?.from, did)
  t.true(String(signed.requestUri).includes(`//${tenant.subdomain}.`))
})

test.serial('of several DIDs the default issuer asks; without one the request is refused (D-246)', async (t) => {
  const body = { domain: 'verifier.example', name: 'Ask at once', query: example() }
  const token = await world.tokenOf(await world.addTenant())
  const first = await createDid(world, 'ed25519', token)
  await createDid(world, 'ed25519', token)
  const reply = await world.ask(REQUESTS, { token, body })
  t.is(refusal(reply, 409), 'presentation.signer_not_chosen')
  t.is(reply.json<{ errors: { path: string }[] }>().errors[0]?.path, 'did')
  await chooseIssuer(world, first, token)
  t.is((await verifier.post<Asked>(REQUESTS, body, token)).request?.from, first)
})

test.serial('what a request may not say', async (t) => {
  const { id: templateId } = await verifier.template()
  const p256 = await createDid(world, 'p256')
  const base = { domain: 'verifier.example', name: 'n', query: example() }
  const cases: [Record<string, unknown>, string, string[]][] = [
    [{ templateId, name: 'both' }, 'presentation_request.invalid', ['name']],
    [{ ...base, challenge: 'short' }, 'presentation_request.invalid', ['challenge']],
    [{ ...base, callbackUrl: 'http://verifier.example' }, 'presentation_request.invalid', ['callbackUrl']],
    [{ ...base, callbackUrl: 'https://a@verifier.example' }, 'presentation_request.invalid', ['callbackUrl']],
    [{ ...base, expiresTime: Date.now() - 1 }, 'presentation_request.invalid', ['expiresTime']],
    [{ ...base, expiresTime: Math.floor(Date.now() / 1000) }, 'presentation_request.invalid', ['expiresTime']],
    [{ ...base, expiresTime: Date.now() + 31 * 86_400_000 }, 'presentation_request.invalid', ['expiresTime']],
    [{ ...base, did: makeHolder().did }, 'presentation.signer_unknown', ['did']],
    [{ ...base, did: p256 }, 'presentation.signer_key_unfit', ['did']],
    [{ name: 'n' }, 'presentation_template.invalid', ['domain', 'query']],
    [{}, 'presentation_request.invalid', ['templateId']],
    [{ templateId: 'no id' }, 'request.invalid', ['templateId']],
  ]
  for (const [body, code, paths] of cases)
    t.deepEqual(await verifier.refusal(REQUESTS, body), [400, `/problems#${code}`, paths], JSON.stringify(body))
  const missing = { templateId: '00000000-0000-4000-8000-000000000000' }
  t.deepEqual(await verifier.refusal(REQUESTS, missing), [404, '/problems#presentation_template.not_found', []])
})

test.serial('a challenge is answered once, however many answer at the same time', async (t) => {
  const holder = makeHolder()
  const { credential } = await about(world, holder)
  const { challenge, domain, id, requestUri } = await verifier.post<Asked>(REQUESTS, {
    templateId: (await verifier.template()).id,
  })
  const wrong = await holder.present([], { challenge, domain })
  const unanswered = await verifyPresentation(world, wrong)
  t.deepEqual(failedIn(unanswered), [['query', 'query.0.credentialQuery.0']])
  const presentation = await holder.present([credential], { challenge, domain })
  const verdicts = await Promise.all(
    Array.from({ length: 8 }, () => verifyPresentation(world, presentation, { challenge })),
  )
  t.is(verdicts.filter(({ verified }) => verified).length, 1)
  for (const verdict of verdicts.filter(({ verified }) => !verified))
    t.deepEqual(failedIn(verdict), [['request', undefined]])
  const later = await verifyPresentation(world, presentation)
  t.deepEqual(failedIn(later), [['request', undefined]])
  t.regex(later.reason, /answered before/)
  t.is((await world.ask(`${REQUESTS}/${id}`, { token: world.token })).json<Asked>().state, 'used')
  const gone = await world.ask(new URL(String(requestUri)).pathname)
  t.deepEqual([gone.status, gone.json().type], [410, '/problems#presentation_request.over'])
  t.deepEqual(await verifier.refusal(REQUESTS, { domain, name: 'n', query: example(), challenge }), [
    409,
    '/problems#presentation_request.challenge_taken',
    ['challenge'],
  ])
})

test.serial('the same Idempotency-Key finds the same verdict; the challenge stays used', async (t) => {
  const holder = makeHolder()
  const { challenge, domain } = await verifier.post<Asked>(REQUESTS, {
    templateId: (await verifier.template([{ type: 'DIDAuth' }])).id,
  })
  const presentation = await holder.present(undefined, { challenge, domain })
  const headers = { 'idempotency-key': `verify-${challenge}` }
  const first = await verifyPresentation(world, presentation, {}, { headers })
  t.true(first.verified, first.reason)
  t.deepEqual(await verifyPresentation(world, presentation, {}, { headers }), first)
  t.false((await verifyPresentation(world, presentation)).verified)
})

/** A request whose end was so many seconds ago: its verdict on an answer, and the status of its public address. */
async function answerAfter(seconds: number) {
  const domain = 'verifier.example'
  const body = { domain, name: 'n', query: [{ type: 'DIDAuth' }], did: await createDid(world) }
  const { id, challenge, requestUri } = await verifier.post<Asked>(REQUESTS, body)
  const expiresAt = new Date(Date.now() - seconds * 1_000)
  await inTenant(world.dependencies.database.tenants, world.first.tenantId, (em) =>
    em.nativeUpdate(PresentationRequest, { id }, { expiresAt }),
  )
  const { status } = await world.ask(new URL(String(requestUri)).pathname)
  const presentation = await makeHolder().present(undefined, { challenge, domain })
  return { status, verdict: await verifyPresentation(world, presentation, { challenge }) }
}

test.serial('an expired request takes no answer', async (t) => {
  const { status, verdict } = await answerAfter(70)
  t.deepEqual(failedIn(verdict), [['request', undefined]])
  t.regex(verdict.reason, /expired/)
  t.is(status, 410)
})

test.serial('a request takes an answer for a minute after its end, for clocks differ (D-167)', async (t) => {
  const { status, verdict } = await answerAfter(30)
  t.true(verdict.verified, verdict.reason)
  t.is(status, 200)
})

test.serial(
  'a request from before the database was restored takes no answer, one from after it does (D-187)',
  async (t) => {
    const holder = makeHolder()
    const { id: templateId } = await verifier.template([{ type: 'DIDAuth' }])
    const ask = () => verifier.post<Asked>(REQUESTS, { templateId })
    const answer = async ({ challenge, domain }: Asked) =>
      verifyPresentation(world, await holder.present(undefined, { challenge, domain }), { challenge })
    const before = await ask()
    await world.dependencies.epoch.restored()
    const verdict = await answer(before)
    t.deepEqual(failedIn(verdict), [['request', undefined]])
    t.regex(verdict.reason, /expired/)
    t.is((await world.ask(`${REQUESTS}/${before.id}`, { token: world.token })).json<Asked>().state, 'expired')
    t.is((await world.ask(new URL(String(before.requestUri)).pathname)).status, 410)
    const after = await answer(await ask())
    t.true(after.verified, after.reason)
  },
)

test.serial('the domain of the request counts, also where the caller names none', async (t) => {
  const holder = makeHolder()
  const { challenge } = await verifier.post<Asked>(REQUESTS, {
    templateId: (await verifier.template([{ type: 'DIDAuth' }])).id,
  })
  const presentation = await holder.present(undefined, { challenge, domain: 'phishing.example' })
  t.deepEqual(failedIn(await verifyPresentation(world, presentation)), [['domain', '/proof/domain']])
})

test.serial('another tenant’s templates, requests, challenges and DIDs do not exist', async (t) => {
  const holder = makeHolder()
  const other = await world.tokenOf(await world.addTenant())
  const did = await createDid(world)
  const { id: templateId } = await verifier.template([{ type: 'DIDAuth' }])
  const { challenge, domain, id } = await verifier.post<Asked>(REQUESTS, { templateId })
  const notFound = [404, '/problems#presentation_template.not_found', []]
  t.deepEqual(await verifier.refusal(`${TEMPLATES}/${templateId}`, undefined, 'GET', other), notFound)
  t.deepEqual(await verifier.refusal(`${TEMPLATES}/${templateId}`, undefined, 'DELETE', other), notFound)
  t.deepEqual(await verifier.refusal(REQUESTS, { templateId }, 'POST', other), notFound)
  t.is((await world.ask(`${REQUESTS}/${id}`, { token: other })).status, 404)
  const asking = { domain, name: 'n', query: example(), did }
  t.deepEqual(await verifier.refusal(REQUESTS, asking, 'POST', other), [
    400,
    '/problems#presentation.signer_unknown',
    ['did'],
  ])
  const { did: _, ...same } = asking
  t.is((await verifier.post<Asked>(REQUESTS, { ...same, challenge }, other)).challenge, challenge)
  const presentation = await holder.present(undefined, { challenge, domain })
  t.deepEqual(failedIn(await verifyPresentation(world, presentation, {}, { token: other })), [
    ['query', 'query.0.credentialQuery.0'],
  ])
  t.true((await verifyPresentation(world, presentation)).verified)
})

test.serial('every change leaves a log entry of ids alone', async (t) => {
  const { id } = await verifier.template()
  const body = {
    categories: ['presentation-web-semantic', 'credential-presentation'],
    types: [],
    ids: [],
    requestIds: [],
    dateFrom: '2020-01-01T00:00:00Z',
    dateTo: '2999-01-01T00:00:00Z',
  }
  await verifyPresentation(world, { '@context': [] })
  const { data } = await verifier.post<{ data: { type: string; metadata: string }[] }>(
    '/v1/analytics/events?limit=1000',
    body,
  )
  const created = data.filter(({ type }) => type === 'PRESENTATION_WEB_SEMANTIC_TEMPLATE_CREATE_SUCCESS')
  t.is(created.filter(({ metadata }) => (JSON.parse(metadata) as { id: string }).id === id).length, 1)
  t.true(data.some(({ type }) => type === 'PRESENTATION_WEB_SEMANTIC_VERIFY_SUCCESS'))
})
