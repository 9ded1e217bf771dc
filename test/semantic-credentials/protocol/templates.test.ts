import test from 'ava'
import fc from 'fast-check'
import { Refusal } from '../../../protocol/errors.ts'
import { normaliseSignPayload } from '../../../protocol/semantic-credentials/index.ts'
import {
  type ClaimMappings,
  flattenMappings,
  mapClaims,
} from '../../../protocol/semantic-credentials/templates/claims.ts'
import {
  keyTypesFor,
  payloadFromTemplate,
  proofTypeFor,
  type TemplateDefinition,
  templateErrors,
} from '../../../protocol/semantic-credentials/templates/index.ts'
import { addDuration } from '../../../protocol/time.ts'

const NOW = new Date('2028-01-31T10:20:30.789Z')
const ISSUER = 'did:example:issuer'

const template = (more: Partial<TemplateDefinition> = {}): TemplateDefinition => ({
  name: 'Course certificate',
  type: 'CourseCredential',
  additionalTypes: [],
  contexts: ['https://www.w3.org/ns/credentials/v2', { '@vocab': 'https://example.edu/terms#' }],
  issuer: { name: 'Example University' },
  revocable: false,
  ...more,
})

const payload = (more: Partial<TemplateDefinition> = {}, claims: Record<string, unknown> = { id: 'did:example:a' }) =>
  payloadFromTemplate(template(more), { issuerDid: ISSUER, claims, now: NOW })

const subject = (claimMappings: ClaimMappings, claims: Record<string, unknown>) =>
  mapClaims(claimMappings, { claims, credentialConfiguration: template() }).subject

test('a payload carries issuance and expiration to the second, counted from the same moment', (t) => {
  t.like(payload({ expiresIn: { months: 1 } }), {
    issuanceDate: '2028-01-31T10:20:30Z',
    expirationDate: '2028-02-29T10:20:30Z',
  })
  t.false('expirationDate' in payload())
  t.false('expirationDate' in payload({ expiresIn: null }))
})

test('a template whose credentials would end beyond the year 9999 does not sign', (t) => {
  const error = t.throws(() => payload({ expiresIn: { years: 7972 } }), { instanceOf: Refusal })
  t.is(error?.code, 'credential_template.invalid')
})

test('what a template makes passes the rules of both data models, whatever is null or left out', (t) => {
  for (const contexts of [
    undefined,
    null,
    'https://www.w3.org/ns/credentials/v2',
    { '@vocab': 'https://example.edu/terms#' },
    ['https://www.w3.org/2018/credentials/v1'],
    ['https://www.w3.org/ns/credentials/v2', { '@vocab': 'https://example.edu/terms#' }],
  ])
    for (const more of [
      {},
      { description: null, credentialBranding: null, expiresIn: null, claimMappings: null },
      { credentialBranding: { backgroundColor: null, watermarkImageUrl: null }, claimMappings: {} },
      { issuer: { name: 'U', iconUrl: null, logoUrl: null }, additionalTypes: ['VerifiableCredential', 'Two'] },
    ]) {
      const rules = { proofType: 'eddsa-rdfc-2022', revocable: true, now: NOW } as const
      const normal = normaliseSignPayload(payload({ contexts, ...more }), rules)
      t.is(normal.issuer, ISSUER)
      t.deepEqual(normal.types.slice(0, 1), ['CourseCredential'])
      t.false('credentialBranding' in normal.credential)
    }
})

test('a required claim has a value: an empty one, also of white space, counts as missing (D-268)', (t) => {
  const required = { name: { map_from: 'claims.name', required: true } }
  const mapped = (mappings: ClaimMappings, name: unknown) => mapClaims(mappings, { claims: { name } })
  for (const empty of [undefined, null, '', ' \t\u00a0', {}, []]) {
    const { subject: made, missing } = mapped(required, empty)
    t.deepEqual(made, {})
    t.like(missing, [{ path: 'claims.name', code: 'credential_template.claim_required' }])
    const withDefault = { name: { map_from: 'claims.name', default_value: 'Ann', required: true } }
    t.deepEqual(mapped(withDefault, empty), { subject: { name: 'Ann' }, missing: [] })
    t.is(mapped({ name: { default_value: empty, required: true } }, empty).missing.length, 1)
  }
  for (const value of ['x', 0, false, [''], { a: null }])
    t.deepEqual(mapped(required, value), { subject: { name: value }, missing: [] })
  for (const value of ['', ' ', {}, []])
    t.deepEqual(mapped({ name: 'claims.name' }, value).subject, { name: value }, 'not required: as it was sent')
})

test('paths reach into objects and lists; a name with dots in it, as identity providers have, is found whole', (t) => {
  const claims = {
    given_name: 'Ann',
    address: { locality: 'Rome', lines: ['Via Uno', 'Via Due'] },
    'https://id.example/claims/level': 3,
    nested: { 'a.b': { c: 1 }, a: { b: 2 } },
    claims: 'own',
  }
  t.deepEqual(
    subject(
      {
        short: 'given_name',
        long: 'claims.given_name',
        city: 'claims.address.locality',
        line: 'claims.address.lines.1',
        level: 'claims.https://id.example/claims/level',
        whole: 'claims.nested.a.b',
        own: 'claims',
        name: 'credentialConfiguration.name',
        issuer: 'credential_configuration.issuer.name',
      },
      claims,
    ),
    {
      short: 'Ann',
      long: 'Ann',
      city: 'Rome',
      line: 'Via Due',
      level: 3,
      whole: { c: 1 },
      own: 'own',
      name: 'Course certificate',
      issuer: 'Example University',
    },
  )
})

test('nothing is read that is not the caller’s own: prototypes, texts, lengths', (t) => {
  const paths = ['constructor', 'constructor.name', 'given_name.length', 'list.length.x', '__proto__', 'toString']
  const mappings = Object.fromEntries(paths.map((path, index) => [`c${index}`, `claims.${path}`]))
  t.deepEqual(subject(mappings, { given_name: 'Ann', list: [] }), {})
})

test('null is nothing; false, 0 and the empty text are values', (t) => {
  const mappings = {
    a: { map_from: 'claims.a', default_value: 'x' },
    b: { map_from: 'claims.b', default_value: 'x' },
    c: { map_from: 'claims.c', default_value: 'x' },
    d: { map_from: 'claims.d', default_value: 'x' },
    e: { default_value: false },
  }
  t.deepEqual(subject(mappings, { a: null, b: false, c: 0, d: '' }), { a: 'x', b: false, c: 0, d: '', e: false })
})

test('the subject’s id comes along, unless a mapping says otherwise', (t) => {
  t.deepEqual(subject({ a: 'claims.a' }, { id: 'did:example:a', a: 1 }), { id: 'did:example:a', a: 1 })
  t.deepEqual(subject({ id: 'claims.sub' }, { id: 'did:example:a', sub: 'did:example:b' }), { id: 'did:example:b' })
})

test('members of an object claim come from their own paths; one without any value is left out', (t) => {
  const mappings: ClaimMappings = {
    student: {
      given_name: 'claims.given_name',
      authentication_provider: { subject_id: 'authentication_provider.subject_id', url: 'authenticationProvider.url' },
    },
    parent: { given_name: 'claims.parent.given_name' },
  }
  const authenticationProvider = { subjectId: 's1', url: 'https://id.example' }
  t.deepEqual(mapClaims(mappings, { claims: { given_name: 'Ann' }, authenticationProvider }).subject, {
    student: { given_name: 'Ann', authentication_provider: { subject_id: 's1', url: 'https://id.example' } },
  })
})

test('mappings are shown as one map from names to paths (specification, Credential template)', (t) => {
  t.deepEqual(
    flattenMappings({
      a: 'claims.a',
      b: { map_from: 'claims.b', default_value: 1 },
      c: { default_value: 1 },
      d: { given_name: 'claims.g', authentication_provider: { url: 'claims.u' } },
    }),
    { a: 'claims.a', b: 'claims.b', 'd.given_name': 'claims.g', 'd.authentication_provider.url': 'claims.u' },
  )
})

test('the proof type is the template’s, or goes with the issuer’s key', (t) => {
  t.deepEqual(keyTypesFor(template({ proofType: 'bbs-2023' })), ['bls12381g2'])
  t.deepEqual(keyTypesFor(template()), ['ed25519', 'bls12381g2', 'p256', 'p384'])
  t.is(proofTypeFor(template({ proofType: 'eddsa-2022' }), ['bls12381g2']), 'eddsa-2022')
  t.is(proofTypeFor(template(), ['bls12381g2']), 'BbsSignature2022')
  t.is(proofTypeFor(template(), ['x25519', 'p256']), 'ecdsa-rdfc-2019')
  t.is(proofTypeFor(template(), ['p384']), 'ecdsa-rdfc-2019')
  t.is(proofTypeFor(template({ proofType: null }), ['p256', 'ed25519']), 'Ed25519Signature2018')
})

const name = fc.string({ minLength: 1, maxLength: 20 }).filter((text) => /^(?!@)\S/.test(text) && text === text.trim())
const path = fc
  .array(fc.stringMatching(/^[a-z_]{1,8}$/), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join('.'))
const mapping = fc.oneof(
  path,
  fc.record({ map_from: path, required: fc.boolean() }, { requiredKeys: ['map_from'] }),
  fc.record({ default_value: fc.oneof(fc.integer(), fc.string(), fc.boolean()) }),
  fc.record({ given_name: path, address: path }, { requiredKeys: ['given_name'] }),
)
const claims = fc.dictionary(fc.stringMatching(/^[a-z_]{1,8}$/), fc.jsonValue({ maxDepth: 2 }))

test('a template without breaches makes payloads of any claims, with nothing in them that was not mapped', (t) => {
  fc.assert(
    fc.property(fc.dictionary(name, mapping, { maxKeys: 8 }), claims, (given, values) => {
      const claimMappings = given as ClaimMappings
      const definition = template({ claimMappings, expiresIn: { days: 1 } })
      const errors = templateErrors(definition, NOW)
      if (errors.length > 0) return errors.every(({ path }) => /^claimMappings[.[]/.test(path))
      const { subject, missing } = mapClaims(claimMappings, { claims: values })
      return (
        Object.keys(subject).every((claim) => claim === 'id' || Object.hasOwn(claimMappings, claim)) &&
        Object.values(subject).every((value) => value !== undefined && value !== null) &&
        missing.every(({ code }) => code === 'credential_template.claim_required')
      )
    }),
    { numRuns: 1_000 },
  )
  t.pass()
})

test('every duration is either refused or gives an expiration that can be signed', (t) => {
  const count = fc.oneof(fc.nat(20), fc.integer(), fc.double(), fc.constant(Number.MAX_SAFE_INTEGER))
  const duration = fc.record(
    { years: count, months: count, weeks: count, days: count, hours: count, minutes: count, seconds: count },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(duration, (expiresIn) => {
      const errors = templateErrors(template({ expiresIn }), NOW)
      if (errors.length > 0) return errors.every(({ path }) => path.startsWith('expiresIn'))
      const { issuanceDate, expirationDate } = payload({ expiresIn })
      const expected = addDuration(new Date(String(issuanceDate)), expiresIn)
      return new Date(String(expirationDate)).getTime() === expected?.getTime() && String(expirationDate).length === 20
    }),
    { numRuns: 2_000 },
  )
  t.pass()
})
