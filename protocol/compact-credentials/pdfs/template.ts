import { type FieldError, within } from '../../errors.ts'
import { isObject, type Json, listOf } from '../../json.ts'
import { parseValue } from './values.ts'

export interface PdfField {
  /** Name of the text field in the PDF; QR_CODE: of the credential's QR code, which only has an alternative text. */
  key: string
  value: string
  isRequired: boolean
  alternativeText?: string
  fontName?: string
}

export interface PdfFont {
  name: string
  fileName: string
}

/** The template of many PDFs (specification, PDF template); its PDF and fonts are kept beside it. */
export interface PdfTemplate {
  name: string
  fileName: string
  metadata: Record<string, string>
  fonts: PdfFont[]
  fields: PdfField[]
}

/** The button of the PDF in whose place the QR code is drawn. */
export const QR_CODE = 'qrCode'
export const PDF_FILE = 'template.pdf'
export const CONFIG_FILE = 'config.json'
export const FONT_FOLDER = 'fonts/'

export const MAX_FIELDS = 200
export const MAX_FONTS = 10
const MAX_NAME = 255
const MAX_VALUE = 1_000
const MAX_TEXT = 500
const METADATA = ['title', 'author', 'subject', 'keywords']

/** One line of characters that are seen. */
const LINE = /^(?!\s)[^\p{C}\u2028\u2029]+(?<!\s)$/u
/** No part of a path, no hidden file, and no character that a system keeps for itself (RFC 6266, section 4.3). */
const FILE = /^(?![.\s])[^\p{C}\u2028\u2029/\\:*?"<>|]+(?<![.\s])$/u
const FONT_FILE = /^[A-Za-z0-9_][A-Za-z0-9._ -]{0,99}\.(otf|ttf)$/i

/** Members under the name of the specification and the one of other platforms, which mean the same. */
const NAMES: Record<string, string> = {
  file_name: 'fileName',
  is_required: 'isRequired',
  alternative_text: 'alternativeText',
  font_name: 'fontName',
}

type Report = (path: string, code: string, message: string) => void

/** Members by the names of other platforms; reports those that are unknown or stand twice. */
function membersOf(given: unknown, known: readonly string[], at: string, report: Report): Json {
  if (!isObject(given)) {
    report(at, 'object', 'expected an object')
    return {}
  }
  const members: Json = {}
  for (const [name, value] of Object.entries(given)) {
    const ours = NAMES[name] ?? name
    const path = within(at, name.slice(0, MAX_NAME))
    if (!known.includes(ours)) report(path, 'unknown', `expected one of ${known.join(', ')}`)
    else if (ours in members) report(path, 'twice', 'expected one of its two names')
    else if (value !== null) members[ours] = value
  }
  return members
}

const isText = (value: unknown, most: number, pattern = /^/): value is string =>
  typeof value === 'string' && value.length <= most && pattern.test(value)

function readFont(given: unknown, at: string, report: Report): PdfFont {
  const { name, fileName } = membersOf(given, ['name', 'fileName'], at, report)
  if (!isText(name, MAX_NAME, LINE))
    report(within(at, 'name'), 'name', `expected one line of 1 to ${MAX_NAME} characters`)
  const file =
    typeof fileName === 'string' && fileName.startsWith(FONT_FOLDER) ? fileName.slice(FONT_FOLDER.length) : fileName
  if (!isText(file, MAX_NAME, FONT_FILE))
    report(
      within(at, 'file_name'),
      'file_name',
      'expected a name such as Regular.ttf: letters, digits, . _ -, and .ttf or .otf',
    )
  return { name: String(name), fileName: String(file) }
}

function readField(given: unknown, at: string, fonts: readonly PdfFont[], report: Report): PdfField {
  const known = ['key', 'value', 'isRequired', 'alternativeText', 'fontName']
  const { key, value = '', isRequired = false, alternativeText, fontName } = membersOf(given, known, at, report)
  if (!isText(key, MAX_NAME, LINE)) report(within(at, 'key'), 'key', `expected the name of a field of the PDF`)
  if (!isText(value, MAX_VALUE))
    report(within(at, 'value'), 'value', `expected a text of at most ${MAX_VALUE} characters`)
  else if (!parseValue(value))
    report(
      within(at, 'value'),
      'placeholder',
      "expected {{ claim }} or {{ date claim 'dd MMM yyyy' }} (tokens of Unicode TS 35)",
    )
  else if (key === QR_CODE && value !== '')
    report(within(at, 'value'), 'value', 'expected no value: the QR code is the credential')
  if (typeof isRequired !== 'boolean') report(within(at, 'is_required'), 'is_required', 'expected true or false')
  if (alternativeText !== undefined && !isText(alternativeText, MAX_TEXT, LINE))
    report(within(at, 'alternative_text'), 'alternative_text', `expected one line of 1 to ${MAX_TEXT} characters`)
  if (fontName !== undefined && !fonts.some(({ name }) => name === fontName))
    report(within(at, 'font_name'), 'font_name', 'expected the name of one of fonts')
  return {
    key: String(key),
    value: String(value),
    isRequired: isRequired === true,
    ...(alternativeText !== undefined && { alternativeText: String(alternativeText) }),
    ...(fontName !== undefined && { fontName: String(fontName) }),
  }
}

function readList<Item>(
  value: unknown,
  most: number,
  at: string,
  report: Report,
  read: (item: unknown, at: string) => Item,
) {
  if (value !== undefined && !Array.isArray(value)) report(at, 'array', 'expected an array')
  const items = Array.isArray(value) ? listOf(value) : []
  if (items.length <= most) return items.map((item, index) => read(item, within(at, index)))
  report(at, 'too_many', `expected at most ${most}`)
  return []
}

/** Reports each item whose name another one has. */
function reportTwice(names: readonly string[], at: string, member: string, report: Report): void {
  for (const [index, name] of names.entries())
    if (names.indexOf(name) < index) report(within(at, index, member), 'twice', 'expected a name that no other one has')
}

function readMetadata(given: unknown, report: Report): Record<string, string> {
  const members = membersOf(given ?? {}, METADATA, 'metadata', report)
  for (const [name, value] of Object.entries(members))
    if (!isText(value, MAX_TEXT, LINE))
      report(within('metadata', name), 'text', `expected one line of 1 to ${MAX_TEXT} characters`)
  return members as Record<string, string>
}

/** Reads a template with its members under either name, and every breach of its rules. */
export function readTemplate(given: unknown): { template: PdfTemplate; errors: FieldError[] } {
  const errors: FieldError[] = []
  const report: Report = (path, code, message) => errors.push({ path, code: `pdf_template.${code}`, message })
  const { name, fileName, metadata, ...lists } = membersOf(
    given,
    ['name', 'fileName', 'metadata', 'fonts', 'fields'],
    '',
    report,
  )
  if (!isText(name, MAX_NAME, LINE)) report('name', 'name', `expected one line of 1 to ${MAX_NAME} characters`)
  if (!isText(fileName, MAX_NAME, FILE))
    report(
      'file_name',
      'file_name',
      `expected 1 to ${MAX_NAME} characters without / \\ : * ? " < > | and control characters, no dot first`,
    )
  const fonts = readList(lists.fonts, MAX_FONTS, 'fonts', report, (font, at) => readFont(font, at, report))
  reportTwice(
    fonts.map((font) => font.name),
    'fonts',
    'name',
    report,
  )
  reportTwice(
    fonts.map((font) => font.fileName.toLowerCase()),
    'fonts',
    'file_name',
    report,
  )
  const fields = readList(lists.fields, MAX_FIELDS, 'fields', report, (field, at) =>
    readField(field, at, fonts, report),
  )
  reportTwice(
    fields.map((field) => field.key),
    'fields',
    'key',
    report,
  )
  const template = {
    name: String(name),
    fileName: String(fileName),
    metadata: readMetadata(metadata, report),
    fonts,
    fields,
  }
  return { template, errors }
}
