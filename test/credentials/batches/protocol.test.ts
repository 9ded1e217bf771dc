import { createHash } from 'node:crypto'
import test from 'ava'
import fc from 'fast-check'
import { csvRows, jsonRows, measured } from '../../../api/credentials/batches/rows.ts'
import { readHeader, rowOfCells } from '../../../protocol/credentials/batches.csv.ts'
import { type ReadRow, rowOfJson } from '../../../protocol/credentials/batches.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { completeRow, issuerOf } from '../../../protocol/semantic-credentials/batches.ts'

const codeOf = (work: () => unknown): string | undefined => {
  try {
    work()
  } catch (error) {
    if (error instanceof Refusal) return error.errors[0]?.code ?? error.code
    throw error
  }
}

test('a header names claims, nested ones, types, members of the credential and the tag (D-081)', (t) => {
  const names = ['id', ' age:number ', 'address.city', '$validUntil', '$tag', 'https://a.b/c', 'schema:name']
  const header = readHeader(names, 'payload')
  t.deepEqual(
    header.map(({ to, path, as }) => [to, path.join('/'), as]),
    [
      ['claim', 'id', 'string'],
      ['claim', 'age', 'number'],
      ['claim', 'address/city', 'string'],
      ['credential', 'validUntil', 'string'],
      ['tag', '', 'string'],
      ['claim', 'https://a.b/c', 'string'],
      ['claim', 'schema:name', 'string'],
    ],
  )
})

for (const [cells, code] of [
  [['a', ''], 'column.empty'],
  [['a', 'a'], 'column.twice'],
  [['a', 'a:number'], 'column.twice'],
  [['a.b', 'a'], 'column.twice'],
  [['$tag', '$tag'], 'column.twice'],
  [['$proof'], 'column.unknown'],
  [['age:int'], 'column.type'],
  [['age:Number'], 'column.type'],
  [['a;b'], 'column.delimiter'],
  [['a\tb'], 'column.delimiter'],
  [['a..b'], 'column.invalid'],
  [['@id'], 'column.invalid'],
  [['constructor.x'], 'column.invalid'],
  [['n'.repeat(513)], 'column.long'],
  [['a', Array(17).fill('a').join('.')], 'column.long'],
  [Array.from({ length: 201 }, (_, n) => `c${n}`), 'column.many'],
] as [string[], string][])
  test(`a header of ${cells.slice(0, 3).join(',').slice(0, 40)} is refused as ${code} (D-081)`, (t) => {
    t.is(
      codeOf(() => readHeader(cells, 'payload')),
      code,
    )
  })

test('a name of 16 steps or 512 characters is a column, and its cells stand at its end (D-1210)', (t) => {
  const steps = Array.from({ length: 16 }, (_, n) => `s${n}`)
  const columns = readHeader([steps.join('.'), 'n'.repeat(512)], 'claims')
  const inner = steps.reduceRight<unknown>((value, step) => ({ [step]: value }), 'x')
  t.deepEqual(rowOfCells(columns, ['x', 'y'], 'claims', parse), {
    input: { claims: { ...Object(inner), ['n'.repeat(512)]: 'y' } },
  })
})

test('one column is a delimiter forgotten, unless its name is an IRI or has a type (D-269)', (t) => {
  t.is(readHeader(['https://a.b/c;d'], 'payload').length, 1)
  t.is(readHeader(['a;b', 'c'], 'payload').length, 2)
  t.is(
    codeOf(() => readHeader(['a,b'], 'payload', ';')),
    'column.delimiter',
  )
  t.is(
    codeOf(() => readHeader(['a;b'], 'payload', ',')),
    'column.delimiter',
  )
  t.deepEqual(
    readHeader(['schema:int:string'], 'payload').map(({ path, as }) => [path, as]),
    [[['schema:int'], 'string']],
  )
})

test('a refused cell says what was expected, and nothing of its value (D-083)', (t) => {
  const columns = readHeader(['n:number', 'b:boolean'], 'payload')
  const messages = (cells: string[]) => {
    const row = rowOfCells(columns, cells, 'payload', parse)
    return 'errors' in row ? row.errors.map(({ code, message }) => `${code}: ${message}`).join('; ') : ''
  }
  for (const cell of ['007', ' 5', '1,5', '0x99'])
    t.is(messages([cell, '']), 'row.number: expected a number such as 1.5: no leading zeros, spaces or commas')
  t.regex(messages(['9007199254740993', '']), /^row\.number: .*double/)
  t.is(messages(['', 'TRUE']), 'row.boolean: expected true or false, in lower case')
  t.regex(messages(['1', 'true', '3']), /^row\.columns: .*\b2\b.*\b3$/)
})

test('claims for a template have no column beside them but the tag (D-126)', (t) => {
  t.is(readHeader(['id', 'given_name', '$tag'], 'claims').length, 3)
  for (const name of ['$validUntil', '$name', '$id'])
    t.is(
      codeOf(() => readHeader(['id', name], 'claims')),
      'column.unknown',
    )
})

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal('request.malformed_json', 'no JSON')
  }
}

const ruleOf = (row: ReadRow) => ('errors' in row ? row.errors.map(({ code }) => code) : [])

test('cells become values of their column’s type, and a cell that cannot is named (D-081)', (t) => {
  const columns = readHeader(['n:number', 'b:boolean', 'j:json', 's'], 'payload')
  t.deepEqual(rowOfCells(columns, ['-1.5e3', 'true', '{"a":[1]}', '007'], 'payload', parse), {
    input: { payload: { credentialSubject: { n: -1500, b: true, j: { a: [1] }, s: '007' } } },
  })
  t.deepEqual(rowOfCells(columns, ['', '', '', ''], 'payload', parse), {
    input: { payload: { credentialSubject: {} } },
  })
  t.deepEqual(rowOfCells(columns, ['1', 'false', '', 'x'], 'claims', parse), {
    input: { claims: { n: 1, b: false, s: 'x' } },
  })
  for (const [cells, rules] of [
    [['1,5', '', '', ''], ['row.number']],
    [['9007199254740993', '', '', ''], ['row.number']],
    [['1e999', '', '', ''], ['row.number']],
    [
      ['0x10', 'yes', '{', 'a\0'],
      ['row.number', 'row.boolean', 'row.json', 'row.text'],
    ],
    [['1'], ['row.columns']],
  ] as [string[], string[]][])
    t.deepEqual(ruleOf(rowOfCells(columns, cells, 'payload', parse)), rules, cells.join())
})

test('a row’s own members win over the options; without contexts of the data model the second one is taken', (t) => {
  const options = {
    format: 'semantic' as const,
    issuer: 'did:e:1',
    proofType: 'a',
    revocable: true,
    tag: 'x',
    types: ['T'],
    contexts: ['https://c'],
  }
  t.deepEqual(completeRow({ payload: { credentialSubject: {} } }, options), {
    payload: {
      '@context': ['https://www.w3.org/ns/credentials/v2', 'https://c'],
      type: ['VerifiableCredential', 'T'],
      issuer: { id: 'did:e:1' },
      credentialSubject: {},
    },
    proofType: 'a',
    revocable: true,
    suspendable: false,
    tag: 'x',
    disclosure: {},
  })
  const credential = { issuer: 'did:e:2', '@context': [], type: 'U' }
  const own = { payload: credential, proofType: 'b', revocable: false, suspendable: true, tag: 'y' }
  t.deepEqual(completeRow(own, options), { ...own, disclosure: {} })
  const terms = { selectively: [['credentialSubject', 'course']], decoys: 2 }
  t.deepEqual(completeRow({ ...own, ...terms }, options), { ...own, disclosure: terms })
  t.true(completeRow({ payload: {} }, { ...options, suspendable: true }).suspendable)
  t.is(issuerOf(own, options), 'did:e:2')
  t.is(issuerOf({ payload: { issuer: { id: 'did:e:3' } } }, options), 'did:e:3')
  t.is(issuerOf({ payload: {} }, options), 'did:e:1')
  t.is(issuerOf({ payload: { issuer: 7 } }, options), undefined)
  t.deepEqual(
    completeRow({ payload: {} }, { ...options, contexts: ['https://www.w3.org/2018/credentials/v1'] }).payload[
      '@context'
    ],
    ['https://www.w3.org/2018/credentials/v1'],
  )
})

test('an unknown member of a JSON row has its nearest name in the message', (t) => {
  const row = rowOfJson({ payload: {}, proof_type: 'x' }, 'payload')
  t.regex('errors' in row ? (row.errors[0]?.message ?? '') : '', /did you mean proofType\?/)
})

test('a JSON row holds what a sign request holds, and nothing else', (t) => {
  t.deepEqual(rowOfJson({ payload: {}, tag: null }, 'payload'), { input: { payload: {}, tag: null } })
  const claims = { claims: {}, issuer_did: null, suspendable: true, tag: 'x' }
  t.deepEqual(rowOfJson(claims, 'claims'), { input: claims })
  for (const [value, rules] of [
    [null, ['row.object']],
    [[], ['row.object']],
    [{}, ['row.required']],
    [{ payload: 'x' }, ['row.type']],
    [{ payload: {}, revocable: 'true', proofType: 1, tag: 'x'.repeat(256) }, ['row.type', 'row.type', 'row.type']],
    [{ payload: {}, suspendable: 'true' }, ['row.type']],
    [{ payload: {}, tenantId: 'x' }, ['row.unknown_member']],
    [{ payload: {}, claims: {} }, ['row.unknown_member']],
    [{ payload: {}, constructor: 1 }, ['row.unknown_member']],
  ] as [unknown, string[]][])
    t.deepEqual(ruleOf(rowOfJson(value, 'payload')), rules, JSON.stringify(value))
  for (const [value, rules] of [
    [{}, ['row.required']],
    [{ payload: {} }, ['row.unknown_member', 'row.required']],
    [{ claims: [] }, ['row.type']],
    [{ claims: {}, issuer_did: 7 }, ['row.type']],
    [{ claims: {}, revocable: true, proofType: 'bbs-2023' }, ['row.unknown_member', 'row.unknown_member']],
  ] as [unknown, string[]][])
    t.deepEqual(ruleOf(rowOfJson(value, 'claims')), rules, JSON.stringify(value))
})

const inPieces = async function* (bytes: Uint8Array, sizes: number[]) {
  let at = 0
  for (let turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1
    yield bytes.subarray(at, at + size)
    at += size
  }
}

const all = async <T>(source: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = []
  for await (const one of source) found.push(one)
  return found
}

const claim = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((text) => text !== '' && text.isWellFormed())

test('JSON lines are the same rows however the network cuts them (property)', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(claim, { maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }),
      fc.constantFrom('\n', '\r\n', '\n\n'),
      async (claims, sizes, end) => {
        const rows = claims.map((course) => ({ payload: { credentialSubject: { course } } }))
        const text = rows.map((row) => JSON.stringify(row)).join(end)
        const read = await all(jsonRows(inPieces(Buffer.from(text), sizes), 'payload'))
        return JSON.stringify(read) === JSON.stringify(rows.map((input) => ({ input })))
      },
    ),
    { numRuns: 300 },
  )
  t.pass()
})

test('CSV is the same rows however the network cuts it, whatever stands in the cells (property, RFC 4180)', async (t) => {
  const printable = claim.filter((text) => !text.includes('\0') && text.trim() !== '')
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(printable, printable), { minLength: 1, maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }),
      fc.constantFrom('\n', '\r\n'),
      async (rows, sizes, end) => {
        const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
        const text = [['a', 'b'], ...rows].map((cells) => cells.map(quoted).join(',')).join(end)
        const read = await all(csvRows(inPieces(Buffer.from(text), sizes), ',', 'payload'))
        const expected = rows.map(([a, b]) => ({ input: { payload: { credentialSubject: { a, b } } } }))
        return JSON.stringify(read) === JSON.stringify(expected)
      },
    ),
    { numRuns: 300 },
  )
  t.pass()
})

test.serial('a line without end takes no more memory than a row may have', async (t) => {
  const part = Buffer.alloc(65_536, 'x')
  const endless = async function* () {
    for (let n = 0; n < 2_000; n++) yield part
    yield Buffer.from('\n{"payload":{}}')
  }
  const before = process.memoryUsage().arrayBuffers
  const rows = await all(jsonRows(endless(), 'payload'))
  t.deepEqual(rows.map(ruleOf), [['row.too_large'], []])
  t.true(process.memoryUsage().arrayBuffers - before < 50_000_000)
})

test('an upload beyond 1 GiB is cut off, and its digest is that of the bytes (D-080)', async (t) => {
  const hash = createHash('sha256')
  await all(measured(inPieces(Buffer.from('some bytes'), [3]), hash))
  t.is(hash.digest('hex'), createHash('sha256').update('some bytes').digest('hex'))
  const large = Buffer.alloc(64 * 1024 * 1024)
  const endless = async function* () {
    for (;;) yield large
  }
  await t.throwsAsync(all(measured(endless(), { update: () => undefined })), { message: /1 GiB/ })
})
