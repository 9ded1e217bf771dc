import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import ts from 'typescript'

const root = fileURLToPath(new URL('../..', import.meta.url))
const files = globSync('{api,activities,protocol,workflows,entities,stack}/**/*.ts', {
  cwd: root,
  exclude: ['**/*.d.ts'],
})

/** Wordings that readers took for riddles, each with what says the same. */
const RIDDLES: [wording: RegExp, instead: string][] = [
  [/\bunless (told|named|asked|said)\b/, 'default: …'],
  [/\bby way of\b/, 'by, or through'],
  [/\b(?!it)\w+ alone\b(?!:)/, 'only'],
  [/\bfor (tests|people|strangers) alone\b/, 'only for'],
  [/, for (it|they|he|there)\b/, 'because'],
  [/\b(is|are|was|were|be) (told|believed)\b/, 'what the program does'],
  [/\bexpected (a|some) (part )?of:/, 'expected one or more of'],
  [/\bby now\b/, 'so far'],
  [/\brows (that|which) name none\b/, 'without, and the noun'],
  [/\bin one go\b/, 'in one request'],
  [/\bgoes on by itself\b/, 'continues by itself'],
]

/** Texts of several words: a message, a description, a line of output. */
function textsIn(path: string): string[] {
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) found.push(node.text)
    if (ts.isTemplateExpression(node)) found.push(node.getText())
    node.forEachChild(visit)
  }
  visit(ts.createSourceFile(path, readFileSync(`${root}/${path}`, 'utf8'), ts.ScriptTarget.Latest, true))
  return found.filter((text) => /[a-z]+ \S+ \S/.test(text))
}

const described = (value: unknown): string[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([name, member]) =>
        ['description', 'summary'].includes(name) && typeof member === 'string' ? [member] : described(member),
      )

const riddlesIn = (texts: string[]) =>
  texts.flatMap((text) =>
    RIDDLES.flatMap(([wording, instead]) => (wording.test(text) ? [`${text} (write: ${instead})`] : [])),
  )

test('messages, outputs and the API document have no wording that readers took for a riddle (D-265)', (t) => {
  const texts = [...files, 'config.variables.ts'].flatMap(textsIn)
  const document = described(JSON.parse(readFileSync(`${root}/build/openapi.json`, 'utf8')))
  t.true(texts.length > 500 && document.length > 200, 'texts are found')
  t.deepEqual(riddlesIn([...texts, ...document]), [])
})

test('a planted riddle is found', (t) => {
  for (const planted of ['20 unless told', 'options knows keyType alone', 'expected a part of: dids:read'])
    t.is(riddlesIn([planted]).length, 1, planted)
})
