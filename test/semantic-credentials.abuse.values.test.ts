import test from 'ava'
import { errorsAsCsv } from '../api/semantic-credentials.batches.files.ts'
import { CONTEXT, createDocumentLoader } from '../protocol/contexts/index.ts'
import { canonizePlain } from '../protocol/data-integrity.canonize.ts'
import { Refusal } from '../protocol/errors.ts'

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

test('no cell of an error file is a formula (OWASP, CSV Injection)', async (t) => {
  const begins = ['=', '+', '-', '@', '\t', '\r']
  const page = begins.map((sign, row) => ({
    row,
    field: `${sign}HYPERLINK("https://x.example")`,
    code: `${sign}1`,
    rule: `${sign}"1`,
    message: `${sign}1,2\r\n${sign}3`,
  }))
  const pages = (async function* () {
    yield page
  })()
  let text = ''
  for await (const part of errorsAsCsv(pages)) text += part
  const cells = text.split(/,(?=')|\r\n(?=\d)|,(?=")/)
  t.is(cells.length, 1 + begins.length * 5)
  for (const cell of cells.slice(1)) t.regex(cell, /^("?'|\d+$)/, JSON.stringify(cell))
})
