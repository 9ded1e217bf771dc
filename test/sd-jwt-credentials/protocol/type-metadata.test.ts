import test from 'ava'
import type { Json } from '../../../protocol/json.ts'
import type { DisclosurePlan } from '../../../protocol/sd-jwt-credentials/build.ts'
import { buildSdJwt } from '../../../protocol/sd-jwt-credentials/build.ts'
import { selectNodes } from '../../../protocol/sd-jwt-credentials/claim-paths.ts'
import { Faulty } from '../../../protocol/sd-jwt-credentials/faults.ts'
import { integrityOf, isIntegrity, matchesIntegrity } from '../../../protocol/sd-jwt-credentials/integrity.ts'
import { processSdJwt } from '../../../protocol/sd-jwt-credentials/processed.ts'
import { MAX_TYPES, resolveType } from '../../../protocol/sd-jwt-credentials/type-metadata/chain.ts'
import { readType } from '../../../protocol/sd-jwt-credentials/type-metadata/document.ts'
import { typeFaults } from '../../../protocol/sd-jwt-credentials/type-metadata/rules.ts'

const bytesOf = (document: unknown): Uint8Array =>
  Buffer.from(typeof document === 'string' ? document : JSON.stringify(document))

/** Resolves the first of these documents, each at its `vct`. */
const resolve = (documents: Json[], integrity?: string) => {
  const known = new Map(documents.map((each) => [String(each.vct), bytesOf(each)]))
  return resolveType(String(documents[0]?.vct), integrity, async (vct) => known.get(vct))
}

const codeOf = async (work: Promise<unknown>): Promise<string | undefined> => {
  try {
    await work
    return undefined
  } catch (error) {
    if (!(error instanceof Faulty)) throw error
    return error.fault.code
  }
}

test('a type inherits, changes and adds claims as the example of draft-ietf-oauth-sd-jwt-vc-19, section 4.6.5.2', async (t) => {
  const label = (text: string) => [{ label: text, locale: 'en' }]
  const resolved = await resolve([
    {
      vct: 'https://example.com/custom-type-metadata',
      extends: 'https://example.com/base-type-metadata',
      claims: [
        { path: ['address', 'city'], display: label('Town') },
        { path: ['nationalities'], display: label('Nationalities') },
      ],
    },
    {
      vct: 'https://example.com/base-type-metadata',
      display: [{ locale: 'en', name: 'Base' }],
      claims: [
        { path: ['name'], display: label('Full Name') },
        { path: ['address', 'city'], display: label('City') },
      ],
    },
  ])
  t.deepEqual(resolved, {
    vcts: ['https://example.com/custom-type-metadata', 'https://example.com/base-type-metadata'],
    assured: [],
    display: [{ locale: 'en', name: 'Base' }],
    claims: [
      { path: ['name'], display: label('Full Name') },
      { path: ['address', 'city'], display: label('Town') },
      { path: ['nationalities'], display: label('Nationalities') },
    ],
  })
})

const malformed: Record<string, unknown> = {
  'no object': [],
  'no vct': { name: 'a' },
  'extends that is no text': { vct: 'a', extends: 1 },
  'an unknown hash': { vct: 'a', 'extends#integrity': 'md5-AAAA' },
  'display without a locale': { vct: 'a', display: [{ name: 'a' }] },
  'display without a name': { vct: 'a', display: [{ locale: 'en' }] },
  'a logo over http': {
    vct: 'a',
    display: [{ locale: 'en', name: 'a', rendering: { simple: { logo: { uri: 'http://a.example' } } } }],
  },
  'claims that are no list': { vct: 'a', claims: {} },
  'an empty path': { vct: 'a', claims: [{ path: [] }] },
  'a negative index': { vct: 'a', claims: [{ path: ['a', -1] }] },
  'a fraction as index': { vct: 'a', claims: [{ path: ['a', 0.5] }] },
  'true in a path': { vct: 'a', claims: [{ path: [true] }] },
  'a path twice': { vct: 'a', claims: [{ path: ['a'] }, { path: ['a'] }] },
  'another sd': { vct: 'a', claims: [{ path: ['a'], sd: 'maybe' }] },
  'mandatory as text': { vct: 'a', claims: [{ path: ['a'], mandatory: 'yes' }] },
  'an svg_id with a dash': { vct: 'a', claims: [{ path: ['a'], svg_id: 'a-b' }] },
  'an svg_id twice': {
    vct: 'a',
    claims: [
      { path: ['a'], svg_id: 'x' },
      { path: ['b'], svg_id: 'x' },
    ],
  },
}

for (const [what, document] of Object.entries(malformed))
  test(`type metadata with ${what} is malformed (draft-ietf-oauth-sd-jwt-vc-19, section 4.2)`, (t) => {
    t.is(t.throws(() => readType(bytesOf(document)), { instanceOf: Faulty }).fault.code, 'sd_jwt.type_malformed')
  })

test('members without a meaning are left out of type metadata, and JSON that readers read differently is refused', (t) => {
  t.deepEqual(readType(bytesOf({ vct: 'a', other: 1, claims: [{ path: ['a', null, 0], other: 1 }] })), {
    vct: 'a',
    claims: [{ path: ['a', null, 0] }],
  })
  const codes = ['{', '{"vct":"a","vct":"b"}', '['.repeat(100), JSON.stringify({ vct: 'a'.repeat(300_000) })].map(
    (text) => t.throws(() => readType(bytesOf(text)), { instanceOf: Faulty }).fault.code,
  )
  t.deepEqual(codes, [
    'sd_jwt.type_not_json',
    'sd_jwt.type_member_repeated',
    'sd_jwt.type_too_deep',
    'sd_jwt.type_too_large',
  ])
})

test('a type that extends itself, over however many others, is refused (section 7.3)', async (t) => {
  t.is(await codeOf(resolve([{ vct: 'a', extends: 'a' }])), 'sd_jwt.type_circle')
  t.is(
    await codeOf(
      resolve([
        { vct: 'a', extends: 'b' },
        { vct: 'b', extends: 'c' },
        { vct: 'c', extends: 'b' },
      ]),
    ),
    'sd_jwt.type_circle',
  )
  const chain = Array.from({ length: MAX_TYPES + 1 }, (_, at) => ({ vct: `t${at}`, extends: `t${at + 1}` }))
  t.is(await codeOf(resolve(chain)), 'sd_jwt.type_chain_too_long')
})

test('type metadata of another type, with another digest, or none of an extended type, is refused (sections 4.3 and 5)', async (t) => {
  t.is(await codeOf(resolveType('a', undefined, async () => bytesOf({ vct: 'b' }))), 'sd_jwt.type_of_other')
  t.is(await codeOf(resolve([{ vct: 'a' }], integrityOf(bytesOf('other')))), 'sd_jwt.type_integrity')
  t.is(await codeOf(resolve([{ vct: 'a', extends: 'b' }])), 'sd_jwt.type_extended_missing')
  const base = { vct: 'b' }
  const changed = { vct: 'a', extends: 'b', 'extends#integrity': integrityOf(bytesOf('other')) }
  t.is(await codeOf(resolve([changed, base])), 'sd_jwt.type_integrity')
  const right = { ...changed, 'extends#integrity': integrityOf(bytesOf(base)) }
  t.deepEqual((await resolve([right, base], integrityOf(bytesOf(right))))?.vcts, ['a', 'b'])
  // without the digest of the first one nobody has signed what it extends; the last one's says what that extends
  t.deepEqual((await resolve([right, base]))?.assured, [])
  const last = { vct: 'c' }
  const middle = { vct: 'b', extends: 'c' }
  const [open, closed] = [undefined, integrityOf(bytesOf(middle))].map((digest) => {
    const first = { vct: 'a', extends: 'b', ...(digest !== undefined && { 'extends#integrity': digest }) }
    return resolve([first, middle, last], integrityOf(bytesOf(first)))
  })
  t.deepEqual((await open)?.assured, ['b'])
  t.deepEqual((await closed)?.assured, ['b', 'c'])
  t.is(await resolveType('a', undefined, async () => undefined), undefined)
})

test('a type keeps the sd and mandatory that it inherits (section 4.6.5.1)', async (t) => {
  const change = (base: Json, own: Json) =>
    codeOf(
      resolve([
        { vct: 'a', extends: 'b', claims: [{ path: ['x'], ...own }] },
        { vct: 'b', claims: [{ path: ['x'], ...base }] },
      ]),
    )
  for (const sd of ['always', 'never'])
    for (const own of ['always', 'never', 'allowed'])
      t.is(await change({ sd }, { sd: own }), sd === own ? undefined : 'sd_jwt.type_sd_changed', `${sd} to ${own}`)
  t.is(await change({ sd: 'allowed' }, { sd: 'never' }), undefined)
  t.is(await change({}, { sd: 'always' }), undefined)
  t.is(await change({ mandatory: true }, { mandatory: false }), 'sd_jwt.type_mandatory_changed')
  t.is(await change({ mandatory: false }, { mandatory: true }), undefined)
})

const CREDENTIAL = {
  name: 'Zaphod',
  address: { street_address: '42 Galaxy Way', city: 'Betelgeuse City' },
  degrees: [
    { field: 'Politics', date: '2020' },
    { field: 'Navigation', date: '2018' },
  ],
}
const PLAN: DisclosurePlan = {
  selective: [['name'], ['address'], ['address', 'street_address'], ['degrees', null], ['degrees', null, 'date']],
}

async function faultsOf(rules: Json[], { plan = PLAN, hide = [] as string[], claims = CREDENTIAL as Json } = {}) {
  const { payload, disclosures } = buildSdJwt(claims, plan, {
    randomBytes: (size) => crypto.getRandomValues(new Uint8Array(size)),
  })
  const shown = disclosures.filter(({ name = '[]' }) => !hide.includes(name))
  const resolved = await resolve([{ vct: 'a', claims: rules }])
  if (!resolved) throw new Error('the type is there')
  return typeFaults(resolved, processSdJwt({ payload, disclosures: shown })).map(
    ({ code, path }) => `${code.slice(12)} ${path}`,
  )
}

test('sd and mandatory are enforced as the example of draft-ietf-oauth-sd-jwt-vc-19, appendix A.2, has them', async (t) => {
  const rules: Json[] = [
    { path: ['name'], sd: 'always', mandatory: true },
    { path: ['address'], sd: 'always' },
    { path: ['address', 'street_address'], sd: 'always' },
    { path: ['degrees'], sd: 'never' },
    { path: ['degrees', null], sd: 'always' },
    { path: ['degrees', null, 'field'], sd: 'never' },
    { path: ['degrees', null, 'date'], sd: 'always' },
  ]
  t.deepEqual(await faultsOf(rules), [])
  t.deepEqual(await faultsOf(rules, { plan: { selective: [['degrees'], ['degrees', null, 'field']] } }), [
    'sd_always /name',
    'sd_always /address',
    'sd_always /address/street_address',
    'sd_never /degrees',
    'sd_always /degrees/*',
    'sd_never /degrees/*/field',
    'sd_always /degrees/*/date',
  ])
})

test('elements that are not disclosed keep their places, and are selectively disclosable (section 4.6)', async (t) => {
  t.deepEqual(
    await faultsOf(
      [
        { path: ['degrees', 1], sd: 'always' },
        { path: ['degrees', null, 'field'], sd: 'never' },
      ],
      { hide: ['[]', 'date'] },
    ),
    [],
  )
  t.deepEqual(await faultsOf([{ path: ['degrees', 1], sd: 'never' }], { hide: ['[]', 'date'] }), [
    'sd_never /degrees/1',
  ])
})

test('a mandatory claim is missed only where nothing hides it (section 4.6)', async (t) => {
  const rules: Json[] = [
    { path: ['given_name'], mandatory: true },
    { path: ['degrees', null, 'field'], mandatory: true },
  ]
  t.deepEqual(await faultsOf(rules), ['mandatory /given_name'])
  t.deepEqual(await faultsOf(rules, { hide: ['name'] }), [])
  t.deepEqual(await faultsOf(rules, { claims: { given_name: 'A', degrees: [] } }), [])
  t.deepEqual(await faultsOf(rules, { claims: { given_name: 'A', degrees: [{ date: 1 }] }, plan: { selective: [] } }), [
    'mandatory /degrees/*/field',
  ])
})

test('as many elements as a document may have are selected', (t) => {
  const elements = Array.from({ length: 180_000 }, () => ({ content: { kind: 'value', value: 1 } }) as const)
  t.is(selectNodes({ content: { kind: 'array', elements } }, [null])?.length, elements.length)
})

test('a type whose check would take too long is refused: too many claims, or too many for the values', async (t) => {
  const list = Array.from({ length: 500 }, () => ({}))
  const paths = (count: number, name: string) =>
    Array.from({ length: count }, (_, at) => ({ path: ['list', null, `${name}${at}`] }))
  const given = { claims: { list }, plan: { selective: [] } }
  t.deepEqual(await faultsOf(paths(100, 'a'), given), [])
  t.is(await codeOf(faultsOf(paths(1_000, 'a'), given)), 'sd_jwt.type_too_complex')
  const hidden = { claims: { list }, plan: { selective: [['list', null]] }, hide: ['[]'] }
  t.deepEqual(await faultsOf(paths(250, 'a'), hidden), [])
  const mandatory = paths(250, 'a').map((claim) => ({ ...claim, mandatory: true }))
  t.is(await codeOf(faultsOf(mandatory, hidden)), 'sd_jwt.type_too_complex')
  const chain = ['a', 'b', 'c'].map((vct, at) => ({
    vct,
    claims: paths(1_000, vct),
    ...(at < 2 && { extends: ['b', 'c'][at] }),
  }))
  t.is(await codeOf(resolve(chain)), 'sd_jwt.type_too_complex')
  t.is((await resolve(chain.slice(1)))?.claims.length, 2_000)
})

test('a path that does not fit what is there is an error; one that leads nowhere is not (section 4.6.1)', async (t) => {
  t.deepEqual(
    await faultsOf([{ path: ['name', 'first'] }, { path: ['address', null] }, { path: ['degrees', 'field'] }]),
    ['path /name/first', 'path /address/*', 'path /degrees/field'],
  )
  t.deepEqual(await faultsOf([{ path: ['other', 'first'] }, { path: ['degrees', 7] }]), [])
})

test('integrity is that of the strongest hash that is supported (section 5)', (t) => {
  const document = bytesOf('{}')
  const sha256 = integrityOf(document)
  const sha512 = `sha512-${Buffer.alloc(64).toString('base64')}`
  t.true(matchesIntegrity(document, sha256))
  t.true(matchesIntegrity(document, `md5-AAAA ${sha256}`))
  t.true(matchesIntegrity(document, `${integrityOf(bytesOf('other'))} ${sha256}`))
  t.false(matchesIntegrity(document, `${sha256} ${sha512}`))
  t.false(matchesIntegrity(document, 'md5-AAAA'))
  t.false(matchesIntegrity(bytesOf('{ }'), sha256))
  for (const text of ['', 'sha256-', 'sha256-AAAA', sha256.replace('sha256', 'sha1'), 1, undefined])
    t.false(isIntegrity(text), String(text))
})
