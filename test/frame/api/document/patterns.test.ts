import test from 'ava'
import { SCHEMAS } from '../../../../api/frame/openapi/areas.ts'
import { LABEL_PATTERN } from '../../../../api/frame/openapi/patterns.ts'
import { readTemplate } from '../../../../protocol/compact-credentials/pdfs/template.ts'
import { isLabel } from '../../../../protocol/names.ts'
import { isTypeName } from '../../../../protocol/sd-jwt-credentials/templates.rules.ts'
import { type TemplateDefinition, templateErrors } from '../../../../protocol/semantic-credentials/templates/index.ts'
import { answerFault, operationOf } from '../../../support/frame/conforming.ts'
import { document } from '../../../support/frame/openapi.ts'

interface Patterned {
  pattern: string
  example?: unknown
}

function* patternsIn(value: unknown): Generator<Patterned> {
  if (typeof value !== 'object' || value === null) return
  if ('pattern' in value && typeof value.pattern === 'string') yield value as Patterned
  for (const [name, member] of Object.entries(value))
    if (name !== 'example' && name !== 'examples') yield* patternsIn(member)
}

test('patterns are those of ECMA-262 5.1, as OpenAPI 3.0 has them: without categories, and read without the flag u', (t) => {
  const patterns = [...patternsIn(document)]
  t.true(patterns.length > 300, String(patterns.length))
  for (const { pattern, example } of patterns) {
    t.notRegex(pattern, /\\[pP]\{|\\u\{|\(\?<|\(\?[a-z]/, pattern)
    for (const flags of ['', 'u']) {
      const read = new RegExp(pattern, flags)
      if (typeof example === 'string') t.regex(example, read, pattern)
    }
  }
})

const patternOf = (name: string) => (SCHEMAS as Record<string, { pattern?: string } | undefined>)[name]?.pattern ?? '^$'
const takes = (pattern: string, value: string) => ['', 'u'].map((flags) => new RegExp(pattern, flags).test(value))

const NAMES = [
  'Example',
  '東京大学',
  'جامعة القاهرة',
  'Ελλάδα',
  '🎓',
  '🎓 B.A.',
  '«A»',
  "'t Gymnasium",
  '2',
  'a\u0301',
  '  a',
]
/** What is no line, or nothing to read. */
const NO_NAMES = ['', ' ', '\u3000', '\u200b', '\ufeff', 'a\nb', 'a\u0000', 'a\u0085', '\u2028', 'a\u202eb', 'a\u2066b']

test('names of every script match, as the platform takes them, and what is none does not', (t) => {
  const rules: [string, (name: string) => boolean][] = [
    [LABEL_PATTERN, isLabel],
    [patternOf('DisplayName'), (name) => templateErrors({ ...DEFINITION, name }, new Date()).length === 0],
  ]
  for (const [pattern, isTaken] of rules) {
    for (const name of NAMES) t.deepEqual([...takes(pattern, name), isTaken(name)], [true, true, true], name)
    for (const name of NO_NAMES.filter((each) => each !== '\u200b'))
      t.deepEqual([...takes(pattern, name), isTaken(name)], [false, false, false], JSON.stringify(name))
    t.deepEqual(takes(pattern, '\u200b'), [false, false])
  }
  t.deepEqual([...takes(LABEL_PATTERN, 'a\u200fb'), isLabel('a\u200fb')], [false, false, false])
  t.deepEqual(takes(patternOf('DisplayName'), 'a\u200fb'), [true, true], 'a wallet shows it')
})

test('types of every script match, as the platform takes them', (t) => {
  const rules: [string, (type: string) => boolean][] = [
    [patternOf('SdJwtType'), isTypeName],
    [patternOf('CredentialType'), (type) => templateErrors({ ...DEFINITION, type }, new Date()).length === 0],
  ]
  for (const [pattern, isTaken] of rules) {
    for (const type of ['Course', 'urn:a:b', 'Führerschein', '学位', 'https://a.example/b?c=d#e', '_x'])
      t.deepEqual([...takes(pattern, type), isTaken(type)], [true, true, true], type)
    for (const type of ['', 'a b', 'a\u00a0b', 'a\u200bb', 'a\u0085b', 'a\u202eb', 'a\ue000'])
      t.deepEqual([...takes(pattern, type), isTaken(type)], [false, false, false], JSON.stringify(type))
  }
})

const DEFINITION: TemplateDefinition = {
  name: 'Course',
  type: 'Course',
  additionalTypes: [],
  contexts: ['https://www.w3.org/ns/credentials/v2', { '@vocab': 'https://example.edu/terms#' }],
  issuer: { name: 'University' },
  revocable: false,
}

/** The example of an answer with other members, and why the document does not allow it. */
const faultOf = (operationId: string, status: string, change: object) => {
  const example = operationOf(operationId)?.responses[status]?.content?.['application/json']?.example as object
  return answerFault(operationId, Number(status), { ...example, ...change })
}

for (const logo of [
  'https://cdn.example.edu/logo.png?size=2',
  'https://Cdn.example.edu:8443/a/b;c=1,d/%C3%A4.png?x=[1]#y',
  'https://xn--j1aef.xn--p1ai/logo.svg',
  'https://example.edu?logo',
  'https://münchen.example/ä.png',
])
  test(`an answer with a name in any script and the logo ${logo} is one of the document's, as the platform takes it`, (t) => {
    for (const name of NAMES) {
      const issuer = { name, iconUrl: logo, logoUrl: logo }
      const branding = { backgroundColor: 'RebeccaPurple', watermarkImageUrl: logo }
      const definition = { ...DEFINITION, name, type: '学位', issuer, credentialBranding: branding }
      t.deepEqual(templateErrors(definition, new Date()), [])
      const members = {
        ...{ name, type: '学位', issuer: { name, icon_url: logo, logo_url: logo }, credential_branding: branding },
      }
      t.is(faultOf('getWebSemanticCredentialTemplate', '200', members), undefined, name)
    }
  })

test('an answer with names of a PDF in any script is one of the document’s, as the platform takes them', (t) => {
  for (const name of NAMES.filter((each) => !each.startsWith(' '))) {
    const fields = [{ key: name, value: '', is_required: true, alternative_text: name, font_name: name }]
    const fonts = [{ name, file_name: 'A.ttf' }]
    const members = { name, file_name: `${name}.pdf`, metadata: { title: name }, fields, fonts }
    t.deepEqual(readTemplate(members).errors, [], name)
    t.is(faultOf('getCompactCredentialPdfTemplateById', '200', members), undefined, name)
  }
  for (const file of ['', '.pdf', 'a/b', 'a.', 'a\\b', ' a', 'a ', 'a"b', 'a\nb', 'a:b'])
    t.deepEqual(takes(patternOf('PdfFileName'), file), [false, false], file)
})
