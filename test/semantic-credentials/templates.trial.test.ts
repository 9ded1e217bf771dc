import test from 'ava'
import { createDid } from '../support/credentials/credentials.ts'
import { course, refusal, TEMPLATES, type Template } from '../support/credentials/templates.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let did: string
test.before(async () => {
  world = await openWorld()
  did = await createDid(world)
})
test.after.always(() => world?.close())

const V1 = 'https://www.w3.org/2018/credentials/v1'
const V2 = 'https://www.w3.org/ns/credentials/v2'
const TERMS = {
  CourseCredential: 'https://example.edu/terms#Course',
  course: 'https://schema.org/courseCode',
  url: { '@id': 'https://schema.org/url', '@type': '@id' },
  score: { '@id': 'https://schema.org/ratingValue', '@type': 'http://www.w3.org/2001/XMLSchema#double' },
  names: { '@id': 'https://schema.org/name', '@container': '@language' },
  parts: { '@id': 'https://schema.org/hasPart', '@container': '@list' },
  raw: { '@id': 'https://example.edu/terms#raw', '@type': '@json' },
  about: { '@reverse': 'https://schema.org/about' },
  person: { '@id': 'https://schema.org/author', '@context': { family_name: 'https://schema.org/familyName' } },
  Person: { '@id': 'https://schema.org/Person', '@context': { birthDate: 'https://schema.org/birthDate' } },
}
const contexts = [V2, TERMS]

const make = (more: Record<string, unknown>, token = world.token) =>
  world.ask(TEMPLATES, { token, body: course({ contexts, ...more }) })

interface Problem {
  errors: { path: string; code: string }[]
}

/** Members of templates from which nothing can be signed, with the paths and the rules that the answer names. */
const UNSIGNABLE: [what: string, more: Record<string, unknown>, errors: [path: string, rule: string][]][] = [
  ['a type that no context defines', { type: 'Undefined' }, [['type', 'term_undefined']]],
  ['no contexts for its type', { contexts: undefined }, [['type', 'term_undefined']]],
  [
    'further types that no context defines',
    { additional_types: ['Other', 'https://example.edu/terms#Iri', 'Third'] },
    [
      ['additional_types.0', 'term_undefined'],
      ['additional_types.2', 'term_undefined'],
    ],
  ],
  ['VerifiableCredential alone as its type', { type: 'VerifiableCredential' }, [['type', 'type_reserved']]],
  [
    'claims without terms',
    { claim_mappings: { course: 'claims.course', degree: 'claims.degree', rank: { default_value: 1, map_from: 'r' } } },
    [['claim_mappings.rank', 'term_undefined']],
  ],
  [
    'claims without terms, none of them constant',
    { claim_mappings: { course: 'claims.course', degree: 'claims.degree', rank: 'claims.rank' } },
    [
      ['claim_mappings.degree', 'term_undefined'],
      ['claim_mappings.rank', 'term_undefined'],
    ],
  ],
  [
    'a member of an object claim without a term',
    { claim_mappings: { person: { family_name: 'claims.f', given_name: 'claims.g' } } },
    [['claim_mappings.person', 'term_undefined']],
  ],
  [
    'a constant that is no IRI',
    { claim_mappings: { url: { default_value: 'no iri' } } },
    [['claim_mappings.url', 'uri_relative']],
  ],
  [
    'a constant that is not signed',
    { claim_mappings: { course: { default_value: [] } } },
    [['claim_mappings.course', 'unsigned']],
  ],
  ['a constant id that is no URI', { claim_mappings: { id: { default_value: 'x' } } }, [['claim_mappings.id', 'uri']]],
  [
    'a required value that the template does not have',
    { claim_mappings: { course: { map_from: 'credentialConfiguration.description', required: true } } },
    [['claim_mappings.course.map_from', 'claim_required']],
  ],
  ['contexts that are none', { contexts: 7 }, [['contexts', 'context']]],
  ['lists in contexts', { contexts: [[V2]] }, [['contexts.0', 'context']]],
  ['an empty context', { contexts: '' }, [['contexts', 'context']]],
  ['the base context in another place', { contexts: [TERMS, V2] }, [['contexts.1', 'base_context']]],
  ['a malformed context', { contexts: [V2, { ...TERMS, x: 7 }] }, [['contexts.1.x', 'context.form']]],
  [
    'a protected term redefined',
    { contexts: [V2, { ...TERMS, name: 'https://a.example/n' }] },
    [['contexts.1.name', 'context.invalid']],
  ],
]

for (const [what, more, expected] of UNSIGNABLE)
  test(`a template with ${what} is refused when it is made, and when it is changed (D-242)`, async (t) => {
    const { id } = (await make({})).json<Template>()
    const body = course({ contexts, ...more })
    for (const reply of [
      await make(more),
      await make({ ...more, revocable: true, proof_type: 'ecdsa-rdfc-2019' }),
      await world.ask(`${TEMPLATES}/${id}`, { method: 'PUT', token: world.token, body }),
    ]) {
      t.is(refusal(reply, 400), 'credential_template.invalid')
      t.deepEqual(
        reply.json<Problem>().errors.map(({ path, code }) => [path, code.replace('credential_template.', '')]),
        expected,
      )
    }
    t.is((await world.ask(`${TEMPLATES}/${id}`, { token: world.token })).json<Template>().version, 1)
  })

/** Members of templates that look odd and can be signed from, each with claims. */
const SIGNABLE: [what: string, more: Record<string, unknown>, claims: object][] = [
  [
    'terms of every kind',
    {
      claim_mappings: Object.fromEntries(
        ['course', 'url', 'score', 'names', 'parts', 'raw', 'about', 'person'].map((name) => [name, `claims.${name}`]),
      ),
    },
    {
      course: 'C',
      url: 'https://a.example/',
      score: 1.5,
      names: { en: 'Ann' },
      parts: ['a', 'b'],
      raw: { any: [1] },
      about: { id: 'https://a.example/book' },
      person: { family_name: 'Lee' },
    },
  ],
  [
    'a subject’s type that defines further claims',
    { claim_mappings: { type: 'claims.type', birthDate: 'claims.birth' } },
    { type: 'Person', birth: '1999-12-31' },
  ],
  [
    'constants',
    { claim_mappings: { url: { default_value: 'https://a.example/' }, course: 'credentialConfiguration.name' } },
    {},
  ],
  [
    'the name of its type',
    { name: 'CourseCredential', claim_mappings: { course: 'claims.c' } },
    { c: 'CourseCredential' },
  ],
  ['types that are IRIs and no contexts', { contexts: null, type: 'https://a.example/T' }, {}],
  ['VerifiableCredential besides its type', { additional_types: ['VerifiableCredential'] }, { course: 'C' }],
  ['what only a provider has', { claim_mappings: { course: 'authenticationProvider.url' } }, {}],
]

for (const [what, more, claims] of SIGNABLE)
  test(`a template with ${what} is made, and signs (D-242)`, async (t) => {
    for (const proof_type of [null, 'eddsa-rdfc-2022'])
      for (const revocable of [true, false]) {
        const made = await make({ ...more, proof_type, revocable })
        t.is(made.status, 200, made.text)
        const body = { claims: { id: 'did:example:a', ...claims }, issuer_did: did }
        const signed = await world.ask(`${TEMPLATES}/${made.json<Template>().id}/sign`, { token: world.token, body })
        t.is(signed.status, 200, signed.text)
      }
  })

test('each proof type and data model is tried as it would sign', async (t) => {
  for (const base of [V1, V2])
    for (const proof_type of [
      'Ed25519Signature2018',
      'BbsSignature2022',
      'eddsa-2022',
      'bbs-2023',
      'ecdsa-rdfc-2019',
    ]) {
      const made = await make({ contexts: [base, TERMS], proof_type, revocable: true, description: 'D' })
      t.is(made.status, 200, `${base} ${proof_type} ${made.text}`)
    }
  const label = { claim_mappings: { course: { default_value: 'a _:label' } } }
  t.is(refusal(await make({ ...label, proof_type: 'bbs-2023' }), 400), 'credential_template.invalid')
  t.is((await make({ ...label, proof_type: null })).status, 200, 'another proof type can sign it')
})

test('a context that is not available is no fault of the template: it may be registered later (D-242)', async (t) => {
  const token = await world.tokenOf(await world.addTenant())
  const unknown = [V2, 'https://later.example/contexts/v1']
  t.is((await make({ contexts: unknown }, token)).status, 200, 'its host does not answer')
  await world.ask('/v1/settings', { method: 'PUT', token, body: { fetchUnknownContexts: false } })
  t.is((await make({ contexts: unknown }, token)).status, 200, 'the tenant fetches none')
  const reply = await make({ contexts: unknown, claim_mappings: { id: { default_value: 'no uri' } } }, token)
  t.is(refusal(reply, 400), 'credential_template.invalid', 'what needs no context is checked')
})

test('a template that is refused leaves no row, no entry and no status list', async (t) => {
  const count = async () =>
    (
      await world.dependencies.systemSql.query<{ count: number }>({
        text: `select ((select count(*) from semantic_templates where tenant_id = $1)
          + (select count(*) from status_lists where tenant_id = $1))::int as count`,
        values: [tenant.tenantId],
      })
    ).rows[0]?.count
  const tenant = await world.addTenant()
  const token = await world.tokenOf(tenant)
  await make({ revocable: true, type: 'Undefined' }, token)
  t.is(await count(), 0)
  await make({ revocable: true }, token)
  t.is(await count(), 1)
})
