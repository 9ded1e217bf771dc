import test from 'ava'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import type { RowError } from '../../../activities/credentials/batches/files.ts'
import { errorsAsCsv } from '../../../api/credentials/batches/files.ts'
import { CONTEXT, createDocumentLoader } from '../../../protocol/contexts/index.ts'
import { canonizePlain } from '../../../protocol/data-integrity/canonize.ts'
import { Refusal } from '../../../protocol/errors.ts'

const documentLoader = createDocumentLoader()
const SECRET = 'Erika Mustermann'

const document = (subject: object) => ({
  '@context': [
    CONTEXT.credentialsV2,
    {
      knows: { '@id': 'https://x.example/knows', '@type': '@id' },
      kind: { '@id': 'https://x.example/kind', '@type': '@vocab' },
      note: 'https://x.example/note',
      names: { '@id': 'https://x.example/names', '@container': '@language' },
    },
  ],
  type: 'VerifiableCredential',
  issuer: 'did:example:issuer',
  credentialSubject: subject,
})

/** Values where JSON-LD wants something else: its libraries say in their errors what they found. */
const wrong: object[] = [
  { knows: { id: SECRET } },
  { knows: SECRET },
  { knows: `urn:x:${SECRET}` },
  { kind: SECRET },
  { type: SECRET },
  { knows: { type: [SECRET] } },
  { note: { '@id': SECRET } },
  { note: { '@type': SECRET } },
  { note: { '@value': SECRET, '@language': SECRET } },
  { note: { '@value': SECRET, '@direction': SECRET } },
  { note: { '@value': [SECRET] } },
  { note: { '@value': null, '@type': SECRET } },
  { note: { '@list': [SECRET], '@set': [SECRET] } },
  { names: { en: [7, SECRET] } },
  { '@reverse': { knows: SECRET } },
  { '@included': SECRET },
  { '@nest': SECRET },
]

test('the fields of an error tell place and rule, and never a value: batches keep them in their error files (D-083)', async (t) => {
  for (const subject of wrong) {
    const error = await t.throwsAsync(canonizePlain(document(subject), { documentLoader }))
    if (!(error instanceof Refusal)) return t.fail(`${JSON.stringify(subject)}: ${error?.message}`)
    t.true(error.errors.length > 0, `${JSON.stringify(subject)} would be told by its message: ${error.message}`)
    t.false(JSON.stringify(error.errors).includes(SECRET), JSON.stringify(error.errors))
  }
})

test('a language that is none has a code of its own, at its place', async (t) => {
  const errorsOf = async (subject: object) => {
    const error = await t.throwsAsync(canonizePlain(document(subject), { documentLoader }))
    return error instanceof Refusal && [error.code, ...error.errors.map(({ path, code }) => `${path} ${code}`)]
  }
  t.deepEqual(await errorsOf({ note: { '@value': 'x', '@language': 'not a tag' } }), [
    'credential.invalid',
    '/credentialSubject/note/@language credential.language_invalid',
  ])
  t.deepEqual(await errorsOf({ names: { 'not a tag': 'x' } }), [
    'credential.invalid',
    '/credentialSubject/names/not a tag credential.language_invalid',
  ])
  t.deepEqual(await errorsOf({ knows: 'relative' }), [
    'credential.invalid',
    '/credentialSubject/knows credential.uri_relative',
  ])
})

async function csvOf(errors: RowError[]): Promise<string> {
  const pages = (async function* () {
    yield errors
  })()
  let text = ''
  for await (const part of errorsAsCsv(pages)) text += part
  return text
}

const FORMULA = /^[\s"]*[=+\-@＝＋－＠]/

const cellsOf = (csv: string): string[] => parse(csv).flat()

test('no cell of an error file is a formula, whatever character parts the cells (OWASP, CSV Injection)', async (t) => {
  const signs = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']
  const text = fc
    .array(fc.constantFrom(...signs, ',', ';', '|', ' ', '"', "'", 'HYPERLINK("https://x.example")', '1', 'a'), {
      maxLength: 6,
    })
    .map((parts) => parts.join(''))
  const row = fc.record({ row: fc.constant(7), field: text, code: text, rule: text, message: text })
  await fc.assert(
    fc.asyncProperty(row, async (error) => {
      const csv = await csvOf([error])
      const written = cellsOf(csv).some((each) => FORMULA.test(each) || /^[\t\r\n]/.test(each))
      return !written && !csv.split(/[,;|\t\r\n]/).some((each) => FORMULA.test(each))
    }),
    { numRuns: 2_000 },
  )
  for (const sign of signs) {
    const csv = await csvOf([{ row: 1, field: `${sign}1`, code: 'a', rule: 'b', message: 'x;=1' }])
    t.deepEqual(cellsOf(csv).slice(5), ['1', `'${sign}1`, 'a', 'b', "x;'=1"])
  }
})

test('a number of an error file stays a number', async (t) => {
  const csv = await csvOf([{ row: -12, field: 'a', code: 'b', rule: 'c', message: 'd' }])
  t.is(csv.split('\r\n')[1], '-12,a,b,c,d')
})
