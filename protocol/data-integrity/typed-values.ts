import { tableOf } from '../names.ts'
import { isDayOfMonth } from '../time.ts'
import type { Json } from './hash.ts'
import { notOfType } from './refusals.ts'

const XSD = 'http://www.w3.org/2001/XMLSchema#'

/** The object of a statement that is a literal with a type of XML Schema; a statement of canonical N-Quads is a line. */
const TYPED = /^\S+ <([^>\s]*)> "((?:[^"\\\r\n]|\\.)*)"\^\^<http:\/\/www\.w3\.org\/2001\/XMLSchema#([A-Za-z]+)>/gm

interface Form {
  holds(text: string): boolean
  /** For people. */
  expected: string
}

const ZONE = '(?:Z|[+-](?:0\\d|1[0-3]):[0-5]\\d|[+-]14:00)?'
const DAY = '(-?\\d{4,9})-(\\d\\d)-(\\d\\d)'
const TIME = '(?:(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,12})?|24:00:00(?:\\.0{1,12})?)'

const form = (pattern: string, expected: string): Form => {
  const whole = new RegExp(`^${pattern}$`)
  return { holds: (text) => whole.test(text), expected }
}

/** The first three groups of the pattern are year, month and day. */
const dated = (pattern: string, expected: string): Form => {
  const whole = new RegExp(`^${pattern}$`)
  return {
    holds(text) {
      const [found, year, month, day] = whole.exec(text) ?? []
      return found !== undefined && isDayOfMonth(Number(year), Number(month), Number(day))
    },
    expected,
  }
}

const NUMBER = '[+-]?(?:\\d+(?:\\.\\d*)?|\\.\\d+)'
const FLOAT = form(`(?:${NUMBER}(?:[eE][+-]?\\d+)?|[+-]?INF|NaN)`, 'expected a number')
const whole = (pattern: string, expected: string) => form(pattern, `expected ${expected}`)
const INTEGER = whole('[+-]?\\d+', 'a whole number')

/** XML Schema 1.1 part 2, section 3.3 and 3.4; other types are signed as they are. */
const FORMS = tableOf<Form>({
  date: dated(`${DAY}${ZONE}`, 'expected a day of the calendar such as 2027-06-30'),
  // contexts that many use, such as that of citizenship, give birth dates this type (D-267)
  dateTime: dated(`${DAY}(?:T${TIME}${ZONE})?`, 'expected a date and time such as 2027-06-30T12:00:00Z, or a date'),
  dateTimeStamp: dated(
    `${DAY}T${TIME}(?:Z|[+-]\\d\\d:\\d\\d)`,
    'expected a date and time such as 2027-06-30T12:00:00Z',
  ),
  time: form(`${TIME}${ZONE}`, 'expected a time such as 12:00:00'),
  gYear: form(`-?\\d{4,9}${ZONE}`, 'expected a year such as 2027'),
  gYearMonth: form(`-?\\d{4,9}-(?:0[1-9]|1[0-2])${ZONE}`, 'expected a month such as 2027-06'),
  boolean: form('(?:true|false|1|0)', 'expected true or false'),
  // JSON numbers with a fraction are written as doubles whatever their type (JSON-LD 1.1 API, section 8.2.2)
  decimal: form(`${NUMBER}(?:[eE][+-]?\\d+)?`, 'expected a number'),
  double: FLOAT,
  float: FLOAT,
  integer: INTEGER,
  long: INTEGER,
  int: INTEGER,
  short: INTEGER,
  byte: INTEGER,
  nonNegativeInteger: whole('(?:\\+?\\d+|-0+)', 'a whole number from 0'),
  positiveInteger: whole('\\+?0*[1-9]\\d*', 'a whole number from 1'),
  nonPositiveInteger: whole('(?:-\\d+|\\+?0+)', 'a whole number up to 0'),
  negativeInteger: whole('-0*[1-9]\\d*', 'a whole number below 0'),
})

/**
 * Throws `Refusal('credential.value_type')` for a value that has not the form of its type: `30.06.2026` of a term with
 * the type xsd:date. JSON-LD signs it as it is, and no reader could use it (D-267). `canonical`: the statements.
 */
export function assertTyped(document: Json, canonical: string): void {
  if (!canonical.includes(XSD)) return
  for (const [, predicate = '', text = '', type = ''] of canonical.matchAll(TYPED)) {
    const expected = FORMS.get(type)
    if (expected !== undefined && !expected.holds(text))
      throw notOfType(document, { predicate, text, type: `xsd:${type}`, expected: expected.expected })
  }
}
