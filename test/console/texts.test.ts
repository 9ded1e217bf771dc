import { readFileSync } from 'node:fs'
import test from 'ava'
import { IntlMessageFormat } from 'intl-messageformat'
import { PROBLEMS } from '../../api/frame/problems.ts'

interface Texts {
  [name: string]: string | Texts
}

const read = (language: string): Texts =>
  JSON.parse(readFileSync(new URL(`../../console/texts/${language}.json`, import.meta.url), 'utf8'))

const flat = (texts: Texts, above = ''): [name: string, text: string][] =>
  Object.entries(texts).flatMap(([name, value]) =>
    typeof value === 'string' ? [[above + name, value]] : flat(value, `${above}${name}.`),
  )

/** The values that an ICU message takes. */
const valuesOf = (text: string): string[] => [
  ...new Set([...text.matchAll(/\{(\w+)[,}]/g)].map(([, name]) => name ?? '')),
]

const [english, german] = [flat(read('en')), flat(read('de'))]

test('German has the texts of English, each with the same values', (t) => {
  const values = (texts: typeof english) => texts.map(([name, text]) => [name, valuesOf(text).toSorted()])
  t.deepEqual(values(german), values(english))
  t.true(english.length > 200)
})

test('every text with values is a message that can be written', (t) => {
  for (const [language, texts] of Object.entries({ en: english, de: german }))
    for (const [name, text] of texts) {
      const values = Object.fromEntries(valuesOf(text).map((value) => [value, 2]))
      if (text.includes('{'))
        t.notThrows(() => new IntlMessageFormat(text, language, undefined, { ignoreTag: true }).format(values), name)
      t.not(text.trim(), '', name)
    }
})

test('both languages have a title for the same codes of problems, each of which the platform answers', (t) => {
  const codesOf = (language: string) => {
    const { problem } = read(language)
    const { titles } = typeof problem === 'object' ? problem : {}
    return Object.keys(typeof titles === 'object' ? titles : {})
  }
  const codes = codesOf('en')
  t.true(codes.length >= 40)
  t.deepEqual(codesOf('de'), codes)
  const known = new Set(PROBLEMS.map(({ code }) => code))
  t.deepEqual(
    codes.filter((code) => !known.has(code)),
    [],
  )
})
