import { deflateSync } from 'node:zlib'
import test from 'ava'
import {
  bomb,
  fileField,
  lockedPdf,
  openScans,
  outcomeOf,
  pdfOf,
  qrJpeg,
  rawPng,
  shadesPng,
  verifyForm,
} from '../support/pdf/scans.ts'
import type { World } from '../support/world.ts'

let world: World
let image: Buffer
let outcome: Awaited<ReturnType<typeof openScans>>['outcome']
test.before(async () => {
  ;({ world, image, outcome } = await openScans())
})
test.after.always(() => world?.close())

/** Thousands of finder patterns, of which any three may be a QR code. */
const finders = (side: number) =>
  shadesPng(side, side, (x, y) => {
    const [u, v] = [x % 8, y % 8]
    const ring = Math.max(Math.abs(u - 3), Math.abs(v - 3))
    return u < 7 && v < 7 && (ring === 3 || ring <= 1) ? 0 : 255
  })

const HOSTILE: Array<[what: string, file: () => Buffer | Promise<Buffer>, expected: string]> = [
  ['a PNG of 60,000 × 60,000 pixels', () => rawPng(60_000, 60_000, deflateSync(Buffer.alloc(9))), '413 scan.too_many_pixels'],
  ['a PNG of 2^31 × 2^31 pixels', () => rawPng(2 ** 31, 2 ** 31, deflateSync(Buffer.alloc(9))), '413 scan.too_many_pixels'],
  ['a PNG without pixels', () => rawPng(0, 100, deflateSync(Buffer.alloc(9))), '400 scan.unreadable'],
  ['a PNG that unpacks to 800 MB', () => bomb(800e6), '400 scan.unreadable'],
  ['a PNG that is cut off', () => image.subarray(0, image.length / 2), '400 scan.unreadable'],
  ['the first bytes of a PNG', () => image.subarray(0, 20), '400 scan.unreadable'],
  ['a JPEG of 65,535 × 65,535 pixels', () => Buffer.from('ffd8ffc0000b08ffffffff01011100ffd9', 'hex'), '413 scan.too_many_pixels'],
  ['a JPEG that is cut off', () => qrJpeg('CSC:/1/AAAA').subarray(0, 120), '200 PayloadInvalid'],
  ['a JPEG of empty segments', () => Buffer.concat([Buffer.from('ffd8', 'hex'), Buffer.from('ffe00000'.repeat(5_000), 'hex')]), '400 scan.unreadable'],
  ['a PDF of 2,000 pages', () => pdfOf(Array.from({ length: 2_000 }, () => ({}))), '200 PayloadInvalid'],
  ['a PDF with a page of 1,000,000 points', () => pdfOf([{ width: 1e6, height: 1e6, images: [image] }]), '200 PayloadInvalid'],
  ['a PDF with a page that is a line', () => pdfOf([{ width: 1e6, height: 1 }]), '200 PayloadInvalid'],
  ['a PDF with a password', () => lockedPdf(), '400 scan.unreadable'],
  ['a PDF with JavaScript that does not end', () => pdfOf([{ images: [image] }], 'while (true) {}'), '200 verified'],
  ['a PDF that is cut off', async () => (await pdfOf([{ images: [image] }])).subarray(0, 1_000), '400 scan.unreadable'],
  ['a PDF that contains nothing', () => Buffer.from('%PDF-1.7\n'), '400 scan.unreadable'],
  ['noise', () => shadesPng(900, 900, (x, y) => ((x * 7919 + y * 104729) * 2654435761) % 256), '200 PayloadInvalid'],
  ['nothing but finder patterns', () => finders(3_000), '400 scan.too_complex'],
] // biome-ignore format: a table

for (const [what, make, expected] of HOSTILE)
  test.serial(`${what}: ${expected}`, async (t) => {
    t.timeout(120_000)
    t.is(await outcome(await make()), expected)
  })

test.serial('files and forms that are too large are refused before they are read', async (t) => {
  const large = (bytes: number) =>
    outcomeOf(verifyForm(world, [fileField(Buffer.concat([image, Buffer.alloc(bytes - image.length)]))]))
  t.is(await large(1_048_576), '200 verified')
  for (const bytes of [1_048_577, 1_200_000, 3_000_000]) t.is(await large(bytes), '413 request.too_large')
  const many = Array.from({ length: 1_101 }, (): [string, string] => ['trusted_issuers', 'did:example:a'])
  t.is(await outcomeOf(verifyForm(world, [fileField(image), ...many])), '413 request.too_large')
  t.is(await outcomeOf(verifyForm(world, [fileField(image), fileField(image)])), '413 request.too_large')
  t.is(await outcomeOf(verifyForm(world, [fileField(image), ['trusted_issuers', 'x'.repeat(65_000)], ['assert_expiry', 'x'.repeat(65_537)]])), '413 request.too_large') // biome-ignore format: one line
})

test.serial('forms that are none are refused', async (t) => {
  t.is(await outcomeOf(verifyForm(world, [['assert_expiry', 'true']])), '400 request.invalid')
  t.is(await outcomeOf(verifyForm(world, [['file', 'CSC:/1/AAAA']])), '400 request.invalid')
  t.is(await outcomeOf(verifyForm(world, [['image', new Blob([new Uint8Array(image)])]])), '400 request.invalid')
  const send = async (type: string, raw: string) => {
    const reply = await world.ask('/v1/credentials/compact/verify', {
      token: world.token,
      raw,
      headers: { 'content-type': type },
    })
    return `${reply.status} ${reply.json<{ type: string }>().type}`
  }
  const type = 'multipart/form-data; boundary=x'
  const head = '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n'
  for (const [each, raw] of [
    ['multipart/form-data', 'x'],
    ['multipart/form-data;', 'x'],
    [type, '{}'],
    [type, head],
    [type, `${head}\r\n`],
    [type, `${head}${'X: y\r\n'.repeat(10_000)}\r\nabc`],
    [type, `${head}\r\nabc\r\n--x\r\nContent-Disposition: form-data\r\n\r\nabc\r\n--x--\r\n`],
    [type, '--x\r\nContent-Disposition: form-data; filename="a"\r\n\r\nabc\r\n--x--\r\n'],
  ] as const)
    t.is(await send(each, raw), '400 /problems#request.malformed', raw.slice(0, 90))
  t.is(await send('multipart/mixed; boundary=x', 'x'), '415 /problems#request.unsupported_media_type')
})
