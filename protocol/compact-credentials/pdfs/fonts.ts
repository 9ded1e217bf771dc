import { Readable } from 'node:stream'
import { Encodings } from '@pdf-lib/standard-fonts'
import { create, type Font, type Glyph } from 'fontkit'
import { PDFDocument, type PDFFont, StandardFonts } from 'pdf-lib'
import type { FieldError } from '../../errors.ts'
import { lacking, runsOf } from './shape.ts'
import type { PdfFont } from './template.ts'

/** A glyph, or several that follow each other, as the operator TJ shows them. All lengths are in ems. */
interface Shown {
  /** In hexadecimal. */
  codes: string
  /** By which the pen moves: as the font says without the text around it, and in this text. */
  natural: number
  advance: number
  x: number
  y: number
}

/** A font in a document. */
interface Face {
  font: PDFFont
  ascent: number
  descent: number
  shape(text: string, rightToLeft: boolean): Shown[]
}

/** A font before it is in the document. */
interface Source {
  name: string
  covers(codePoint: number): boolean
  face(): Promise<Face>
}

export interface Piece {
  font: PDFFont
  codes: string
  /** Moves the pen to the right before the codes are shown. */
  before: number
  rise: number
}

/** How the text of a field is shown: in its font, and in others of the template for characters that it lacks. */
export interface Style {
  ascent: number
  descent: number
  widthOf(line: string, rightToLeft: boolean): number
  pieces(line: string, rightToLeft: boolean): Piece[]
}

/** TrueType and OpenType; collections, WOFF and others are none. */
const MAGIC: ReadonlySet<number> = new Set([0x00010000, 0x4f54544f, 0x74727565])
const MAX_GLYPHS = 65_535

/** Characters that most fonts have. */
export const PROBE = 'Aa1'

/** What pdf-lib wants of a subset: its own version of fontkit wrote to streams. */
const subsetOf = (font: Font) => {
  const subset = font.createSubset()
  return Object.assign(subset, { encodeStream: () => Readable.from([subset.encode()], { objectMode: true }) })
}

function readFont(bytes: Uint8Array): Font | undefined {
  if (bytes.length < 12 || !MAGIC.has(Buffer.from(bytes).readUInt32BE())) return undefined
  const font = create(Buffer.from(bytes))
  return 'fonts' in font || !(font.unitsPerEm > 0) || !(font.numGlyphs > 0 && font.numGlyphs <= MAX_GLYPHS)
    ? undefined
    : font
}

/** The first characters of a font that are seen. */
const firstOf = (font: Font): string =>
  String.fromCodePoint(...font.characterSet.filter((codePoint) => codePoint > 32).slice(0, 50))

/** A text that a font of a template shows. */
export function sampleOf(bytes: Uint8Array): string {
  const font = readFont(bytes)
  return font ? firstOf(font) : PROBE
}

/** Shows a text in a document, so that a broken table shows when the font is uploaded, not when a pass is made. */
async function tryFont(bytes: Uint8Array): Promise<boolean> {
  const font = readFont(bytes)
  if (!font) return false
  const document = await PDFDocument.create()
  const { ascent, shape } = await embed(document, font, bytes)
  const shown = shape(`${PROBE}${firstOf(font)}`, false)
  await document.flush()
  return shown.length > 0 && Number.isFinite(ascent) && Number.isFinite(font.bbox.maxX)
}

/** Every fault of the fonts of a template; `pathOf` names the file of one. */
export async function fontErrors(
  fonts: readonly PdfFont[],
  files: ReadonlyMap<string, Uint8Array>,
  pathOf: (font: PdfFont, at: number) => string,
): Promise<FieldError[]> {
  const errors: FieldError[] = []
  for (const [at, font] of fonts.entries()) {
    const bytes = files.get(font.fileName)
    const report = (code: string, message: string) =>
      errors.push({ path: pathOf(font, at), code: `pdf_template.${code}`, message })
    if (!bytes) {
      report('font_missing', `expected the file ${font.fileName}`)
      continue
    }
    try {
      if (!(await tryFont(bytes))) report('font', 'expected a TrueType or OpenType font')
    } catch {
      report('font', 'expected a TrueType or OpenType font with complete tables')
    }
  }
  return errors
}

/** A font of the template, of which the document gets the glyphs that it shows. */
async function embed(document: PDFDocument, font: Font, bytes: Uint8Array): Promise<Face> {
  let shown: Glyph[] = []
  const forPdfLib = Object.create(font, {
    createSubset: { value: () => subsetOf(font) },
    layout: { value: () => ({ glyphs: shown }) },
  })
  document.registerFontkit({ create: () => forPdfLib })
  const embedded = await document.embedFont(bytes, { subset: true })
  const codesOf = (glyph: Glyph) => {
    shown = [glyph]
    return embedded.encodeText('').asString()
  }
  const ems = (units: number) => units / font.unitsPerEm
  return {
    font: embedded,
    ascent: ems(font.ascent),
    descent: ems(font.descent),
    shape(text, rightToLeft) {
      const { glyphs, positions } = font.layout(text, undefined, undefined, undefined, rightToLeft ? 'rtl' : 'ltr')
      return glyphs.map((glyph, at) => {
        const { xAdvance = glyph.advanceWidth, xOffset = 0, yOffset = 0 } = positions[at] ?? {}
        const lengths = { natural: glyph.advanceWidth, advance: xAdvance, x: xOffset, y: yOffset }
        const [natural, advance, x, y] = Object.values(lengths).map(ems) as [number, number, number, number]
        return { codes: codesOf(glyph), natural, advance, x, y }
      })
    },
  }
}

async function standard(document: PDFDocument): Promise<Face> {
  const font = await document.embedFont(StandardFonts.Helvetica)
  return {
    font,
    ascent: 0.718,
    descent: -0.207,
    shape(text) {
      const width = font.widthOfTextAtSize(text, 1)
      return [{ codes: font.encodeText(text).asString(), natural: width, advance: width, x: 0, y: 0 }]
    },
  }
}

function sourceOf(document: PDFDocument, name: string, bytes: Uint8Array): Source {
  const font = readFont(bytes)
  if (!font) throw new Error('a stored font cannot be read')
  let face: Promise<Face> | undefined
  const covers = (codePoint: number) => font.hasGlyphForCodePoint(codePoint)
  const open = () => {
    face ??= embed(document, font, bytes)
    return face
  }
  return { name, covers, face: open }
}

/** Helvetica, which every reader has, for templates without fonts: the characters of Windows code page 1252. */
function helvetica(document: PDFDocument): Source {
  const known = new Set(Encodings.WinAnsi.supportedCodePoints)
  return { name: '', covers: (codePoint) => known.has(codePoint), face: () => standard(document) }
}

const styleOf = (faces: ReadonlyMap<Source, Face>, fontOf: (grapheme: string, before?: Source) => Source): Style => {
  const runs = (line: string, rightToLeft: boolean) =>
    runsOf(line, rightToLeft, fontOf).flatMap(({ text, font, rightToLeft: backwards }) => {
      const face = faces.get(font)
      return face ? [{ face, shown: face.shape(text, backwards) }] : []
    })
  const all = [...faces.values()]
  return {
    ascent: Math.max(...all.map(({ ascent }) => ascent)),
    descent: Math.min(...all.map(({ descent }) => descent)),
    widthOf: (line, rightToLeft) =>
      runs(line, rightToLeft).reduce((sum, { shown }) => shown.reduce((total, { advance }) => total + advance, sum), 0),
    pieces(line, rightToLeft) {
      let pending = 0
      return runs(line, rightToLeft).flatMap(({ face: { font }, shown }) =>
        shown.map(({ codes, natural, advance, x, y }) => {
          const before = pending + x
          pending = advance - natural - x
          return { font, codes, before, rise: y }
        }),
      )
    },
  }
}

/** Of a text without characters. */
const EMPTY: Style = { ascent: 1, descent: 0, widthOf: () => 0, pieces: () => [] }

/** What shows a text: a style, or the first character that no font has. */
export type Choice = { style: Style } | { lacks: number }

/** Chooses among the fonts of a template; only those that show something get into the document. */
export function createChooser(document: PDFDocument, fonts: readonly { name: string; bytes: Uint8Array }[]) {
  const own = fonts.map(({ name, bytes }) => sourceOf(document, name, bytes))
  const sources = own.length > 0 ? own : [helvetica(document)]
  return async (text: string, fontName: string | undefined): Promise<Choice> => {
    const ordered = sources.toSorted((a, b) => Number(b.name === fontName) - Number(a.name === fontName))
    const lacks = lacking((codePoint) => ordered.some(({ covers }) => covers(codePoint)), text)
    if (lacks !== undefined) return { lacks }
    const [first] = ordered
    if (!first) throw new Error('a document has a font at least')
    // the font of the characters before goes on where it can: a blank does not change it
    const fontOf = (grapheme: string, before?: Source): Source =>
      [...(before && !ordered[0]?.covers(grapheme.codePointAt(0) ?? 0) ? [before] : []), ...ordered].find(
        ({ covers }) => lacking(covers, grapheme) === undefined,
      ) ?? first
    const used = new Set(runsOf(text.replaceAll('\n', ' '), false, fontOf).map(({ font }) => font))
    if (used.size === 0) return { style: EMPTY }
    const faces = new Map<Source, Face>()
    for (const source of used) faces.set(source, await source.face())
    return { style: styleOf(faces, fontOf) }
  }
}
