import test from 'ava'
import { createDid } from '../../support/credentials/credentials.ts'
import { makeHolder } from '../../support/credentials/holders.ts'
import {
  type Asked,
  about,
  example,
  failedIn,
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

test.serial(
  'templates: created, listed, read, changed with or without the id, deleted (specification, Endpoints)',
  async (t) => {
    const query = { QueryByExample: { credentialQuery: [{ example: { type: 'CourseCredential' } }] }, DIDAuth: {} }
    const { id, ...made } = await verifier.template(query)
    t.deepEqual(made, { domain: 'verifier.example', name: 'Proof of a course', query })
    const page = (await world.ask(`${TEMPLATES}?limit=1000`, { token: world.token })).json<{ data: Template[] }>()
    t.like(page, { limit: 1000, total_pages: 1 })
    t.true('total_count' in page)
    t.deepEqual(
      page.data.find((each) => each.id === id),
      { id, ...made },
    )
    const path = `${TEMPLATES}/${id}`
    const changed = { domain: 'other.example', name: 'Another', query: example() }
    for (const body of [changed, { ...changed, id }, { ...changed, id: null }]) {
      const reply = await world.ask(path, { method: 'PUT', token: world.token, body })
      t.deepEqual([reply.status, reply.json()], [200, { id, ...changed }])
    }
    const other = '00000000-0000-4000-8000-000000000000'
    t.deepEqual(await verifier.refusal(path, { ...changed, id: other }, 'PUT'), [
      400,
      '/problems#presentation_template.id_differs',
      ['id'],
    ])
    t.is((await world.ask(path, { method: 'DELETE', token: world.token })).status, 204)
    for (const [method, body] of [['GET'], ['PUT', changed], ['DELETE']] as const)
      t.is(
        (await world.ask(path, { method, token: world.token, body })).json().type,
        '/problems#presentation_template.not_found',
      )
  },
)

test.serial('a query that cannot be checked is refused with the place of each fault', async (t) => {
  const [status, type, paths] = await verifier.refusal(TEMPLATES, {
    domain: 'has space',
    name: '',
    query: [{ type: 'QueryBySpell' }, { type: 'DIDAuth', more: 1 }, { type: 'QueryByFrame', credentialQuery: [{}] }],
  })
  t.deepEqual([status, type], [400, '/problems#presentation_template.invalid'])
  t.deepEqual(paths, ['name', 'domain', 'query.0.type', 'query.1.more', 'query.2.credentialQuery.0.frame'])
})

test.serial('a template by id asks without a request: trusted issuers, types, frames, optional queries', async (t) => {
  const holder = makeHolder()
  const issuer = await createDid(world)
  const { credential } = await about(world, holder, { issuer })
  const domain = 'verifier.example'
  const presentation = await holder.present([credential], { challenge: 'the-challenge', domain })
  const failures = async (query: unknown) => {
    const { id: templateId } = await verifier.template(query)
    return failedIn(await verifyPresentation(world, presentation, { templateId }))
  }
  const frame = (credentialSubject: object) => [
    { type: 'QueryByFrame', credentialQuery: [{ frame: { type: 'VerifiableCredential', credentialSubject } }] },
  ]
  const unmet = [['query', 'query.0.credentialQuery.0']]
  t.deepEqual(await failures(example({ trustedIssuer: [{ required: true, issuer }] })), [])
  t.deepEqual(await failures(example({ trustedIssuer: [{ required: true, issuer: 'did:example:other' }] })), unmet)
  t.deepEqual(await failures(example({ trustedIssuer: [{ required: false, issuer: 'did:example:other' }] })), [])
  t.deepEqual(await failures(example({ '@context': ['https://example.org/other'] })), unmet)
  t.deepEqual(await failures(frame({ '@explicit': true, course: {} })), [])
  t.deepEqual(await failures(frame({ '@explicit': true, grade: {} })), unmet)
  t.deepEqual(await failures({ QueryByExample: { type: 'CourseCredential' } }), [['query', 'query.QueryByExample']])
  t.deepEqual(await failures({ course: { type: 'VerifiableCredential', course: 'CS-101' } }), [])
  const optional = [{ type: 'QueryByExample', credentialQuery: [{ required: false, example: { type: 'Passport' } }] }]
  t.deepEqual(await failures(optional), [])
})

test.serial('a changed or deleted template changes no request that was made from it', async (t) => {
  const holder = makeHolder()
  const { id: templateId, ...made } = await verifier.template([{ type: 'DIDAuth' }])
  const { challenge, domain, id } = await verifier.post<Asked>(REQUESTS, { templateId })
  const body = { ...made, query: example({ type: 'Passport' }) }
  await world.ask(`${TEMPLATES}/${templateId}`, { method: 'PUT', token: world.token, body })
  t.is((await world.ask(`${TEMPLATES}/${templateId}`, { method: 'DELETE', token: world.token })).status, 204)
  t.deepEqual((await world.ask(`${REQUESTS}/${id}`, { token: world.token })).json<Asked>().query, made.query)
  const presentation = await holder.present(undefined, { challenge, domain })
  const { verified, reason } = await verifyPresentation(world, presentation)
  t.true(verified, reason)
})
