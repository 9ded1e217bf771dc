import { randomBytes } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import test from 'ava'
import { newSubdomain } from '../../support/administration.ts'
import { type FileWorld, openFileWorld, refusalOf } from '../../support/transfers/files.ts'
import { fileOf } from '../../support/transfers/transfers.ts'

let here: FileWorld
test.before(async () => {
  here = await openFileWorld()
})
test.after.always(() => here?.close())

const header = (more: object) => [
  JSON.stringify({ ...(JSON.parse(here.lines[0] ?? '') as object), ...more }),
  ...here.lines.slice(1),
]

const bomb = () => {
  const zeros = Buffer.alloc(1024 * 1024)
  return Buffer.concat(Array.from({ length: 64 }, () => gzipSync(zeros))) as Buffer<ArrayBuffer>
}

/** A header, and then many small here.lines that say the same: 200 times larger than their body. */
const longBomb = () =>
  gzipSync(`${here.lines[0]}\n${`${here.lines[1]}\n`.repeat(600_000)}`, { level: 9 }) as Buffer<ArrayBuffer>

const AT_ONCE: [what: string, file: () => Buffer<ArrayBuffer>, refusal: (string | number | undefined)[]][] = [
  ['no bytes', () => Buffer.alloc(0), [400, 'tenant_import.file_invalid', '', 'empty']],
  ['a gzip of no bytes', () => gzipSync('') as Buffer<ArrayBuffer>, [400, 'tenant_import.file_invalid', '', 'empty']],
  ['bytes that are no gzip', () => Buffer.from(randomBytes(500)), [400, 'request.malformed', undefined, undefined]],
  [
    'half of a file',
    () => Buffer.from(here.file.subarray(0, here.file.length / 2)),
    [400, 'request.malformed', undefined, undefined],
  ],
  [
    'a file without its last line',
    () =>
      gzipSync(
        here.lines
          .slice(0, -1)
          .map((line) => `${line}\n`)
          .join(''),
      ) as Buffer<ArrayBuffer>,
    [400, 'tenant_import.file_invalid', 'line N', 'truncated'],
  ],
  [
    'a file that ends within a line',
    () => gzipSync(gunzipSync(here.file).subarray(0, -10)) as Buffer<ArrayBuffer>,
    [400, 'tenant_import.file_invalid', 'line N', 'truncated'],
  ],
  [
    'a changed row under the digest of another one',
    () =>
      gzipSync(gunzipSync(here.file).toString('utf8').replace('"vcApi":false', '"vcApi":true ')) as Buffer<ArrayBuffer>,
    [400, 'tenant_import.file_invalid', 'line N: digest', 'digest'],
  ],
  [
    'another version',
    () => fileOf(header({ formatVersion: 2 })),
    [400, 'tenant_import.version_unknown', 'line 1: formatVersion', 'version'],
  ],
  [
    'another format',
    () => fileOf(header({ format: 'zip' })),
    [400, 'tenant_import.file_invalid', 'line 1: format', 'format'],
  ],
  [
    'a header with __proto__',
    () => fileOf([(here.lines[0] ?? '').replace('{', '{"__proto__":{},'), ...here.lines.slice(1)]),
    [400, 'tenant_import.file_invalid', 'line 1: __proto__', 'duplicate_member'],
  ],
  ['a line of 64 MiB in a small body', bomb, [413, 'tenant_import.file_too_large', 'line 1', 'size']],
  [
    'lines that are hundreds of times larger than their body',
    longBomb,
    [413, 'tenant_import.file_too_large', '', 'size'],
  ],
  [
    'more webhooks than a tenant can have',
    () => {
      const hook = here.lines.find((line) => line.startsWith('{"kind":"webhooks"')) ?? ''
      return fileOf([
        ...here.lines.slice(0, here.place('webhooks') - 1),
        ...Array<string>(51).fill(hook),
        ...here.lines.slice(here.place('webhooks')),
      ])
    },
    [400, 'tenant_import.file_invalid', 'line N: counts.webhooks', 'count'],
  ],
]

for (const [what, make, refusal] of AT_ONCE)
  test.serial(`${what}: the upload is refused by its place and rule, and nothing is left`, async (t) => {
    const subdomain = newSubdomain()
    const reply = await here.transfers.import(make(), { subdomain })
    const [status, type, path, code] = refusalOf(reply)
    const shown = String(refusal[2]).startsWith('line N') ? String(path).replace(/^line \d+/, 'line N') : path
    t.deepEqual([status, type, shown, code], refusal, reply.text)
    t.deepEqual(await here.rows('select state from tenant_imports where subdomain = $1', subdomain), [])
    await here.nothingIsLeft(t, subdomain)
  })
