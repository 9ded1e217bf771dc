import test from 'ava'
import { limitMemory } from '../../activities/documents/scans/modules.ts'
import { pixelsOf, scanKindOf } from '../../protocol/compact-credentials/scans.ts'
import { qrJpeg, rawPng } from '../support/pdf/scans.ts'

const hex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'))

const HEAD = '0061736d01000000'
/** A memory of one page, at most 32,768, under the name m. */
const MEMORY = '0506010101808002'
const EXPORT = '070501016d0200'

test('a module cannot take more memory than the limit, and works as before below it', (t) => {
  const module = new WebAssembly.Module(limitMemory(hex(HEAD + MEMORY + EXPORT), 3))
  const { m: memory } = new WebAssembly.Instance(module).exports as { m: { grow(pages: number): number } }
  t.is(memory.grow(2), 1)
  t.throws(() => memory.grow(1), { instanceOf: RangeError })
})

for (const [what, binary] of [
  ['no memory', HEAD],
  ['no limit', `${HEAD}0503010001`],
  ['a smaller limit than ours', `${HEAD}050401010102`],
  ['a section that is cut off', `${HEAD}0506010101`],
])
  test(`a module with ${what} is refused when it is loaded: the next version of a library may be another`, (t) => {
    t.throws(() => limitMemory(hex(binary ?? ''), 3), { message: /memory/ })
  })

test('the size of an image is read from its header alone', (t) => {
  t.is(pixelsOf('png', rawPng(3, 5, new Uint8Array())), 15)
  t.is(pixelsOf('png', rawPng(2 ** 31, 2 ** 31, new Uint8Array())), 2 ** 62)
  t.is(pixelsOf('png', rawPng(3, 5, new Uint8Array()).subarray(0, 32)), undefined)
  t.is(pixelsOf('jpeg', qrJpeg('x')), ((21 + 8) * 8) ** 2)
  t.is(pixelsOf('jpeg', hex('ffd8ffffffe0000401ffffc2000b08000200030101110000')), 6) // filling, then a progressive frame
  t.is(pixelsOf('jpeg', hex('ffd8ffc4000b080002000301011100ffd9')), undefined) // tables are no frame
  t.is(pixelsOf('jpeg', hex('ffd8ffe0ffff')), undefined)
  t.is(pixelsOf('jpeg', hex('ffd8000000000000000000')), undefined)
})

test('the kind of a file is in its first bytes', (t) => {
  t.is(scanKindOf(rawPng(1, 1, new Uint8Array())), 'png')
  t.is(scanKindOf(qrJpeg('x')), 'jpeg')
  t.is(scanKindOf(Buffer.from(`${' '.repeat(1_000)}%PDF-1.4`)), 'pdf')
  t.is(scanKindOf(Buffer.from(`${' '.repeat(1_024)}%PDF-1.4`)), undefined)
  t.is(scanKindOf(new Uint8Array()), undefined)
})
