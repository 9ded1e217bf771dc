import test from 'ava'
import fc from 'fast-check'
import { readHeader } from '../../../protocol/credentials/batches.csv.ts'
import { unreadMembers } from '../../../protocol/credentials/claim-paths.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { type ClaimMappings, mapClaims } from '../../../protocol/semantic-credentials/templates/claims.ts'
import { checkColumns } from '../../../protocol/semantic-credentials/templates/columns.ts'
import { subjectOf, type TemplateDefinition, takenBy } from '../../../protocol/semantic-credentials/templates/index.ts'
import { takenClaims, unmappedErrors } from '../../../protocol/semantic-credentials/templates/unmapped.ts'

const columnsOf = (claimMappings: ClaimMappings, cells: string, more: Partial<TemplateDefinition> = {}): string[] => {
  const definition = { ...TEMPLATE, claimMappings, ...more }
  try {
    checkColumns(definition, readHeader(cells.split(','), 'claims'))
    return []
  } catch (error) {
    if (error instanceof Refusal) return error.errors.map(({ path, code }) => `${path} ${code.replace('column.', '')}`)
    throw error
  }
}
const TEMPLATE: TemplateDefinition = {
  name: 'Course',
  type: 'Course',
  additionalTypes: [],
  issuer: { name: 'U' },
  revocable: false,
}

for (const [what, mappings, cells, expected] of [
  ['an object takes its columns', { address: 'claims.address' }, 'address.city,address.zip:number', []],
  ['an object is no column of text', { city: 'claims.address.city' }, 'address', ['column 1 unmapped']],
  ['an object is a column of JSON', { city: { map_from: 'address.city', required: true } }, 'address:json', []],
  ['a neighbour is not taken', { city: 'claims.address.city' }, 'address.city,address.zip', ['column 2 unmapped']],
  ['types do not matter', { n: 'claims.memberNumber' }, 'memberNumber:number', []],
  ['an IRI is one name', { level: 'claims.https://a.example/level' }, 'https://a.example/level', []],
  ['two mappings may take one column', { a: 'claims.x', b: { map_from: 'x' } }, 'x', []],
  ['a constant takes none', { grade: { default_value: 1 } }, 'grade', ['column 1 unmapped']],
  ['a default stands in for a column', { a: { map_from: 'claims.x', default_value: 1, required: true } }, 'id', []],
  ['a required claim needs one', { a: { map_from: 'x', required: true } }, 'id,$tag', ['header required']],
  ['the id and the tag are always taken', { a: 'claims.x' }, 'id,$tag,x', []],
  ['an id of its own leaves the id', { id: 'claims.sub' }, 'id,sub', []],
  ['members of an object claim', { student: { given_name: 'claims.g', address: 'claims.a' } }, 'g,a.b', []],
  ['the template’s own values take none', { n: 'credentialConfiguration.name' }, 'name', ['column 1 unmapped']],
  [
    'what a provider says is in no column',
    { s: { map_from: 'authenticationProvider.url', required: true } },
    'id',
    ['header required'],
  ],
] as [string, ClaimMappings, string, string[]][])
  test(`columns of a template: ${what} (D-241)`, (t) => {
    t.deepEqual(columnsOf(mappings, cells), expected)
    const missing = expected.filter((each) => each.endsWith('required'))
    t.deepEqual(columnsOf(mappings, cells, { ignoreUnmapped: true }), missing, 'with ignore_unmapped')
  })

const name = fc.constantFrom('a', 'b', 'c', 'a.b', 'b.c')
const claims = fc.letrec<{ value: unknown; object: Record<string, unknown> }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, fc.constant(1), fc.constant('x'), tie('object')),
  object: fc.dictionary(name, tie('value'), { maxKeys: 4 }),
})).object
const path = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 4 }).map((steps) => steps.join('.'))

/** Every value in claims that is no object, each with its place. */
function leaves(value: unknown, at: string[] = []): [place: string[], value: unknown][] {
  if (typeof value !== 'object' || value === null) return [[at, value]]
  return Object.entries(value).flatMap(([step, member]) => leaves(member, [...at, step]))
}

test('no value vanishes: each is in the credential, or its name is refused (D-241)', (t) => {
  fc.assert(
    fc.property(claims, fc.array(path, { minLength: 1, maxLength: 4 }), (given, paths) => {
      // marks in place of the values, to recognise each in the subject
      const places = leaves(given)
      let next = 0
      const marked = JSON.parse(JSON.stringify(given), (_, value: unknown) =>
        typeof value === 'object' ? value : `mark ${next++}.`,
      ) as Record<string, unknown>
      const mappings = Object.fromEntries(paths.map((each, index) => [`m${index}`, `claims.${each}`]))
      const subject = JSON.stringify(mapClaims(mappings, { claims: marked }).subject)
      const unread = unreadMembers(marked, paths)
      const all = leaves(marked).every(([place, mark]) => {
        const isNamed = unread.some((each) => place.join('.') === each || place.join('.').startsWith(`${each}.`))
        return isNamed || subject.includes(String(mark))
      })
      return all && places.length === next
    }),
    { numRuns: 3_000 },
  )
  t.pass()
})

test('names decide and not values: what is null, empty or a text in place of an object is named too', (t) => {
  const taken = takenClaims({ city: 'claims.address.city', line: 'claims.lines.1' })
  const named = (claims: Record<string, unknown>) => unmappedErrors(taken, claims).map(({ path }) => path)
  t.deepEqual(named({ extra: null, other: {}, address: { zip: null } }), [
    'claims.extra',
    'claims.other',
    'claims.address.zip',
  ])
  t.deepEqual(named({ address: 'Rome', lines: ['a', 'b'] }), ['claims.address', 'claims.lines.0'])
  t.deepEqual(named({ address: null, id: 'did:example:a' }), [], 'what is not there loses nothing')
})

test('hostile claims cost little: names are compared a thousand times for a batch, and errors are bounded', (t) => {
  const mappings = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`c${n}`, `claims.${'x'.repeat(90)}${n}`]))
  const definition = { ...TEMPLATE, claimMappings: mappings }
  const taken = takenBy(definition)
  if (!taken) throw new Error('the template takes what it maps')
  let found: Refusal | undefined
  const begin = process.cpuUsage()
  for (let row = 0; row < 300; row++) {
    const hostile = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`${'x'.repeat(80)}${row}y${n}`, n]))
    found = t.throws(() => subjectOf(definition, hostile, taken), { instanceOf: Refusal })
  }
  const { user } = process.cpuUsage(begin)
  t.is(found?.errors.length, 100)
  t.true(JSON.stringify(found?.errors).length < 40_000)
  t.true(user / 1_000 < 5_000, `${user / 1_000} ms`)
})

test('a name is suggested where one is near, and none where none is', (t) => {
  const taken = takenClaims({
    a: 'claims.department',
    b: 'claims.given_name',
    c: 'claims.address.city',
    level: 'claims.l',
  })
  for (const [name, meant] of [
    ['departement', 'department'],
    ['Department', 'department'],
    ['givenName', 'given_name'],
    ['given-name', 'given_name'],
    ['adress.city', 'address.city'],
    ['level', 'l'],
    ['shoeSize', undefined],
    ['x', undefined],
  ] as const)
    t.is(taken.nearest(name), meant, name)
  const [error] = unmappedErrors(taken, { departement: 'secret-value' })
  t.false(JSON.stringify(error).includes('secret-value'), 'errors never repeat a value (D-083)')
})
