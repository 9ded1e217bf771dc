import { gzipSync } from 'node:zlib'
import { type Schema, schemaOf } from './openapi.ts'

/** A body, or what else a request may hold in place of one, and the answers that are right. */
export interface HostileBody {
  name: string
  body: string | Uint8Array
  expected: number[]
  headers?: Record<string, string>
}

type Json = Record<string, unknown>

const deep = (open: string, close: string, levels: number) => open.repeat(levels) + close.repeat(levels)
const utf16 = (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le')

const GZIP_BOMB = gzipSync(Buffer.alloc(64 * 1024 * 1024))

const unknownMembers = (opened: string): [name: string, body: string][] => [
  ['unknown member', `${opened},"zzz_unknown":1}`],
  ['constructor', `${opened},"constructor":{"prototype":{"isAdmin":true}}}`],
  ...['tenantId', 'tenant_id', 'org_id', 'isVerified', 'verifiedAt', 'disabled_by'].map((name): [string, string] => [
    `mass assignment of ${name}`,
    `${opened},"${name}":"x"}`,
  ]),
]

/** Whole bodies that no operation takes; members that are not known, where the standard says to ignore them. */
export function wholeBodies(valid: Json, ignoresMembers = false): HostileBody[] {
  const text = JSON.stringify(valid)
  const opened = text.slice(0, -1)
  const bad = (name: string, body: string | Uint8Array, expected = [400]): HostileBody => ({ name, body, expected })
  return [
    ...['', 'null', '[]', '"x"', '7', 'true', '{', `${text}}`, `${text}x`, `//c\n${text}`, "{'a':1}", 'NaN'].map(
      (body) => bad(`body ${body.slice(0, 8)}`, body),
    ),
    bad('10 MiB', `{"x":"${'a'.repeat(10 * 1024 * 1024)}"}`, [413]),
    { ...bad('gzip bomb', GZIP_BOMB, [413]), headers: { 'content-encoding': 'gzip' } },
    { ...bad('no gzip', text, [400]), headers: { 'content-encoding': 'gzip' } },
    { ...bad('unknown encoding', text, [415]), headers: { 'content-encoding': 'zstandard' } },
    bad('10,000 arrays deep', deep('[', ']', 10_000)),
    bad('10,000 objects deep', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`),
    bad('a member 10,000 deep', `${opened},"x":${deep('[', ']', 10_000)}}`),
    bad(
      'invalid UTF-8',
      Buffer.concat([Buffer.from(`${opened},"x":"`), Buffer.from([0xff, 0xfe, 0xc0]), Buffer.from('"}')]),
    ),
    bad(
      'overlong UTF-8',
      Buffer.concat([Buffer.from(`${opened},"x":"`), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')]),
    ),
    bad('UTF-16', utf16(text)),
    bad('byte order mark', `\uFEFF${text}`),
    bad('duplicate member', `${opened},${text.slice(1)}`),
    bad('__proto__', `${opened},"__proto__":{"isAdmin":true}}`),
    ...(ignoresMembers ? [] : unknownMembers(opened).map(([name, body]) => bad(name, body))),
    bad('900 unknown members', `{${Array.from({ length: 900 }, (_, at) => `"u${at}":1`).join()}}`),
    bad('20,000 unknown members', `{${Array.from({ length: 20_000 }, (_, at) => `"u${at}":1`).join()}}`),
  ]
}

export const CONTENT_TYPES = [
  'text/plain',
  'text/html',
  'multipart/form-data; boundary=x',
  'application/xml',
  'application/json; charset=utf-16',
  'application/json; charset=iso-8859-1',
  'application/jsonx',
  'application/json, text/plain',
  '*/*',
  '',
]

type Path = (string | number)[]

/** Every place in a body, parents first. */
export const placesIn = (value: unknown, path: Path = []): { path: Path; value: unknown }[] => [
  ...(path.length > 0 ? [{ path, value }] : []),
  ...(typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, inner]) =>
        placesIn(inner, [...path, Array.isArray(value) ? Number(name) : name]),
      )
    : []),
]

/** JSON text of a body with the text of one value replaced; the replacement need not be writable from an object. */
export function withText(body: Json, path: Path, replacement: string): string {
  const mark = '\u{10FFFF}here\u{10FFFF}'
  const copy = structuredClone(body)
  let at: unknown = copy
  for (const name of path.slice(0, -1)) at = (at as Record<string | number, unknown>)[name]
  ;(at as Record<string | number, unknown>)[path.at(-1) ?? ''] = mark
  return JSON.stringify(copy).replace(JSON.stringify(mark), () => replacement)
}

/** Texts that other systems execute. */
export const INJECTIONS = [
  `'; drop table dids; --`,
  `' or '1'='1`,
  `"}); process.exit(1); //`,
  '{{7*7}}$[7*7]<%= 7*7 %>#{7*7}',
  '<script>alert(1)</script>',
  '../../../../etc/passwd',
  'a\r\nset-cookie: x=1',
  '%00%0d%0a',
  '$(reboot)`reboot`',
  '\u202Eabc\uFEFF\u0007',
  'x'.repeat(100_000),
]

/** Replacements that are refused wherever they stand: no reader could keep them as they are. */
export const UNREADABLE = [
  '1e400',
  '-1e400',
  '18446744073709551616',
  '"a\\u0000b"',
  '"\\ud800"',
  '"\\udc00x"',
  '{"__proto__":1}',
  '{"a":1,"a":2}',
]

/** Values of every other type than the schema's. */
export function wrongTypes(declared: Schema | undefined): string[] {
  const { type, nullable, format, enum: values, items, additionalProperties } = schemaOf(declared)
  const samples: Record<string, string> = {
    string: '"x"',
    number: '7',
    boolean: 'true',
    array: '[1]',
    object: '{"a":1}',
    null: 'null',
  }
  const own = type === 'integer' ? 'number' : type
  if (!own) return []
  const others = Object.entries(samples).filter(([name]) => name !== own && !(name === 'null' && nullable))
  return [
    ...others.map(([, text]) => text),
    ...(values || format === 'date-time' ? ['"no such value"'] : []),
    ...(own === 'array' && schemaOf(items).type === 'string'
      ? ['[7]', '[null]', '[["x"]]', '[{}]', `[${'7,'.repeat(15_000)}7]`, `[${'"x",'.repeat(19_000)}7]`]
      : []),
    ...(own === 'object' && typeof additionalProperties === 'object' && schemaOf(additionalProperties).type === 'string'
      ? ['{"keyType":7}', '{"keyType":null}', '{"keyType":["ed25519"]}']
      : []),
  ]
}
