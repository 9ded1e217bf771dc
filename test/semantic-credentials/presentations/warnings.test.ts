import test from 'ava'
import { CONTEXT } from '../../../protocol/contexts/index.ts'
import { makeHolder } from '../../support/credentials/holders.ts'
import {
  type Asked,
  example,
  failedIn,
  type PresentationVerdict,
  REQUESTS,
  TEMPLATES,
  type Template,
  verifierIn,
  verifyPresentation,
} from '../../support/credentials/presentations.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let verifier: ReturnType<typeof verifierIn>
test.before(async () => {
  world = await openWorld()
  verifier = verifierIn(world)
})
test.after.always(() => world?.close())

const domain = 'verifier.example'
const challenge = 'c0ffee00'
const own = { course: 'https://schema.org/courseCode' }
const holder = makeHolder()
const issuer = makeHolder()

const credential = (contexts: unknown[] = []) =>
  issuer.issue({
    '@context': [CONTEXT.credentialsV2, ...contexts],
    type: ['VerifiableCredential'],
    credentialSubject: { id: holder.did },
  })

const warned = ({ warnings }: PresentationVerdict) => warnings.map(({ type, path }) => [type, path])

test.serial(
  'a challenge and a domain that nobody expected are named as unchecked, and the verdict stays (spec/api.md 2.8)',
  async (t) => {
    const captured = await holder.present(undefined, { challenge: 'made-for-another', domain: 'another.example' })
    const verdict = await verifyPresentation(world, captured)
    t.true(verdict.verified, verdict.reason)
    t.deepEqual(warned(verdict), [
      ['ChallengeUnchecked', '/proof/challenge'],
      ['DomainUnchecked', '/proof/domain'],
    ])
    t.regex(verdict.warnings[0]?.message ?? '', /made-for-another/)
    t.regex(verdict.warnings[1]?.message ?? '', /another\.example/)
    const presentation = await holder.present(undefined, { challenge, domain })
    t.deepEqual(warned(await verifyPresentation(world, presentation, { challenge })), [
      ['DomainUnchecked', '/proof/domain'],
    ])
    t.deepEqual(warned(await verifyPresentation(world, presentation, { domain })), [
      ['ChallengeUnchecked', '/proof/challenge'],
    ])
    t.deepEqual(warned(await verifyPresentation(world, presentation, { challenge, domain })), [])
  },
)

test.serial('the challenge and the domain of a request are checked, also where the body names none', async (t) => {
  const body = { domain, name: 'n', query: [{ type: 'DIDAuth' }] }
  const asked = await verifier.post<Asked>(REQUESTS, body)
  const presentation = await holder.present(undefined, { challenge: asked.challenge, domain })
  const verdict = await verifyPresentation(world, presentation)
  t.true(verdict.verified, verdict.reason)
  t.deepEqual(warned(verdict), [])
})

const settings = async (more: Record<string, boolean>, token = world.token) => {
  const body = { fetchUnknownContexts: true, vcApi: true, ...more }
  const reply = await world.ask('/v1/settings', { method: 'PUT', token, body })
  if (reply.status !== 200) throw new Error(reply.text)
  return reply.json()
}

test.serial('a tenant may require a challenge, a domain, or both; neither is required at first (D-170)', async (t) => {
  t.like((await world.ask('/v1/settings', { token: world.token })).json(), {
    requireChallenge: false,
    requireDomain: false,
  })
  const presentation = await holder.present(undefined, { challenge, domain })
  const failed = async (more: object = {}) => failedIn(await verifyPresentation(world, presentation, { ...more }))
  const vcApi = async (options: object) => {
    const body = { verifiablePresentation: presentation, options }
    const reply = await world.ask('/vc-api/presentations/verify', { token: world.token, body })
    const { errors = [] } = reply.json<{ errors?: { code: string }[] }>()
    return [reply.status, ...errors.map((error) => (typeof error === 'object' ? error.code : error))]
  }
  t.like(await settings({ requireChallenge: true, requireDomain: false }), { requireChallenge: true })
  t.deepEqual(await failed(), [['challenge', undefined]])
  t.deepEqual(await failed({ challenge }), [])
  t.deepEqual(await vcApi({}), [400, 'challenge'])
  t.deepEqual(await vcApi({ challenge }), [200])
  t.like(await settings({ requireChallenge: false, requireDomain: true }), { requireDomain: true })
  t.deepEqual(await failed({ challenge }), [['domain', undefined]])
  t.deepEqual(await failed({ domain }), [])
  t.deepEqual(await vcApi({ challenge }), [400, 'domain'])
  t.like(await settings({}), { requireChallenge: false, requireDomain: true }, 'what is left out stays as it is')
  const other = await world.tokenOf(await world.addTenant())
  t.deepEqual(failedIn(await verifyPresentation(world, presentation, {}, { token: other })), [], 'of one tenant alone')
  await settings({ requireChallenge: false, requireDomain: false })
})

test.serial('the W3C interface names what it did not check among its warnings', async (t) => {
  await settings({})
  const verifiablePresentation = await holder.present([await credential([own])], { challenge, domain })
  const ask = async (path: string, body: object) =>
    (await world.ask(`/vc-api/${path}`, { token: world.token, body })).json<{ warnings: string[]; type?: string }>()
  const { warnings } = await ask('presentations/verify', { verifiablePresentation })
  t.deepEqual(
    warnings.map((text) => text.split(' is ')[0]),
    [
      'The challenge c0ffee00 of the proof',
      'The domain verifier.example of the proof',
      'The inline context at /verifiableCredential/0/@context/1',
    ],
  )
  const options = { challenge, domain, trustedContexts: [own] }
  t.deepEqual((await ask('presentations/verify', { verifiablePresentation, options })).warnings, [])
  const verifiableCredential = await credential([own])
  t.is((await ask('credentials/verify', { verifiableCredential })).warnings.length, 1)
  const refused = { verifiableCredential, options: { trustedContexts: [] } }
  t.is((await ask('credentials/verify', refused)).type, '/problems#credential.not_verified')
  const useless = { verifiableCredential, options: { trustedContexts: [7] } }
  t.is((await ask('credentials/verify', useless)).type, '/problems#request.invalid')
})

test.serial('contexts of the presentation and of its credentials are named by their place (D-168)', async (t) => {
  const credentials = [await credential(), await credential([own])]
  const presentation = await holder.present(credentials, {
    challenge,
    domain,
    more: { '@context': [CONTEXT.credentialsV2, own] },
  })
  const verdict = await verifyPresentation(world, presentation, { challenge, domain })
  t.true(verdict.verified, verdict.reason)
  t.deepEqual(warned(verdict), [
    ['UntrustedContext', '/@context/1'],
    ['UntrustedContext', '/verifiableCredential/1/@context/1'],
  ])
})

test.serial(
  'trustedContexts of the body, of a template and of a request make each other context a failure',
  async (t) => {
    const held = await credential([own])
    const query = example({ '@context': [CONTEXT.credentialsV2] })
    const asking = { domain, name: 'Proof of a course', query }
    const failure = [['credentialForm', '/verifiableCredential/0']]
    const present = (as = challenge, more = {}) => holder.present([held], { challenge: as, domain, more })
    const failed = async (presentation: unknown, more: object) => {
      const verdict = await verifyPresentation(world, presentation, { challenge, domain, ...more })
      t.deepEqual(warned(verdict), [])
      if (!verdict.verified) t.regex(verdict.reason, /UntrustedContext: The inline context at \/@context\/1 is not/)
      return failedIn(verdict).filter(([check]) => check !== 'query')
    }
    t.deepEqual(await failed(await present(), { trustedContexts: [] }), failure)
    t.deepEqual(await failed(await present(), { trustedContexts: [own] }), [])
    for (const [trustedContexts, expected] of [
      [[], failure],
      [[own], []],
    ] as const) {
      const template = await verifier.post<Template>(TEMPLATES, { ...asking, trustedContexts })
      t.like(template, { ...asking, trustedContexts: [...trustedContexts] })
      t.deepEqual(await failed(await present(), { templateId: template.id }), [...expected])
      // both have to trust it
      t.deepEqual(await failed(await present(), { templateId: template.id, trustedContexts: [] }), failure)
      for (const body of [{ ...asking, trustedContexts }, { templateId: template.id }]) {
        const asked = await verifier.post<Asked & { trustedContexts: unknown }>(REQUESTS, body)
        t.deepEqual(asked.trustedContexts, [...trustedContexts])
        const answer = { challenge: asked.challenge }
        t.deepEqual(await failed(await present(asked.challenge), answer), [...expected])
      }
    }
    const ownPresentation = await present(challenge, { '@context': [CONTEXT.credentialsV2, own] })
    t.deepEqual(
      failedIn(await verifyPresentation(world, ownPresentation, { challenge, domain, trustedContexts: [] })),
      [['form', '/@context']],
    )
  },
)

test.serial(
  'a template keeps its trusted contexts until it is changed, and refuses what is no list of contexts',
  async (t) => {
    const { id, ...made } = await verifier.post<Template>(TEMPLATES, {
      domain,
      name: 'n',
      query: example(),
      trustedContexts: [own],
    })
    const path = `${TEMPLATES}/${id}`
    t.deepEqual((await world.ask(path, { token: world.token })).json(), { id, ...made })
    const body = { domain, name: 'n', query: example() }
    const changed = await world.ask(path, { method: 'PUT', token: world.token, body })
    t.deepEqual(changed.json(), { id, ...body })
    const refused = { ...body, trustedContexts: ['no url'] }
    t.deepEqual(await verifier.refusal(TEMPLATES, refused), [
      400,
      '/problems#presentation_template.invalid',
      ['trustedContexts.0'],
    ])
    t.deepEqual(await verifier.refusal(REQUESTS, { templateId: id, trustedContexts: [] }), [
      400,
      '/problems#presentation_request.invalid',
      ['trustedContexts'],
    ])
  },
)

test.serial('a query without contexts is named, of a template as of a request (D-133)', async (t) => {
  const presentation = await holder.present([await credential()], { challenge, domain })
  const query = [
    { type: 'QueryByExample', credentialQuery: [{ example: { type: 'VerifiableCredential' } }] },
    { type: 'QueryByFrame', credentialQuery: { frame: { '@context': [CONTEXT.credentialsV2], issuer: {} } } },
    { type: 'DIDAuth' },
  ]
  const unnamed = [['QueryWithoutContext', 'query.0.credentialQuery.0']]
  const { id: templateId } = await verifier.template(query)
  t.deepEqual(warned(await verifyPresentation(world, presentation, { challenge, templateId })), unnamed)
  const asked = await verifier.post<Asked>(REQUESTS, { templateId })
  const answer = await holder.present([await credential()], { challenge: asked.challenge, domain })
  t.deepEqual(warned(await verifyPresentation(world, answer)), unnamed)
  const { id: flat } = await verifier.template({ mine: { type: 'VerifiableCredential' } })
  t.deepEqual(warned(await verifyPresentation(world, presentation, { challenge, templateId: flat })), [
    ['QueryWithoutContext', 'query.mine'],
  ])
})

test.serial('a template that trusts no issuer is answered by nobody (D-169)', async (t) => {
  const presentation = await holder.present([await credential()], { challenge, domain })
  const failed = async (query: unknown) => {
    const { id: templateId } = await verifier.template(query)
    return failedIn(await verifyPresentation(world, presentation, { challenge, templateId }))
  }
  const unmet = [['query', 'query.0.credentialQuery.0']]
  t.deepEqual(await failed(example({ trustedIssuer: [] })), unmet)
  const frame = { type: 'VerifiableCredential' }
  t.deepEqual(await failed([{ type: 'QueryByFrame', credentialQuery: [{ frame, trustedIssuer: [] }] }]), unmet)
  t.deepEqual(await failed(example({ trustedIssuer: [{ issuer: issuer.did }] })), [])
  t.deepEqual(await failed(example({})), [])
})
