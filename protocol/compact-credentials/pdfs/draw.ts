import { PDFOperatorNames as Op, type PDFFont, PDFHexString, PDFName, PDFNumber, PDFOperator } from 'pdf-lib'
import { create } from 'qrcode'
import type { Piece, Style } from './fonts.ts'
import type { Spot } from './form.ts'
import { isRightToLeft, wrap } from './shape.ts'

/** Points: smaller text is not read on paper. */
const MIN_SIZE = 4
const AUTO_SIZE = 12
const PADDING = 2
const LINE_HEIGHT = 1.15
const MARGIN_MODULES = 4
/** Points, 0.17 mm: a smaller module of a QR code gets lost in print (ISO/IEC 15415, typical aperture). */
const MIN_MODULE = 0.5

type Operand = number | PDFName | PDFHexString | string

const number = (value: number) => PDFNumber.of(Math.round(value * 10_000) / 10_000)
const operator = (name: Op, ...operands: Operand[]) =>
  PDFOperator.of(
    name,
    operands.map((each) => (typeof each === 'number' ? number(each) : each)),
  )

/** Marked content with what assistive software reads in its place (ISO 32000-1, 14.9.3 and 14.9.4). */
const spoken = (operators: PDFOperator[], alternative: string | undefined, actual?: string): PDFOperator[] => {
  const members = [
    ...(alternative === undefined ? [] : [`/Alt ${PDFHexString.fromText(alternative)}`]),
    ...(actual === undefined ? [] : [`/ActualText ${PDFHexString.fromText(actual)}`]),
  ]
  const begin = operator('BDC' as Op, PDFName.of('Span'), `<<${members.join(' ')}>>`)
  return [begin, ...operators, operator(Op.EndMarkedContent)]
}

/** The box of a widget, turned as it is (ISO 32000-1, table 189, R), with the operators that lead into it. */
function boxOf({ widget }: Spot) {
  const { x, y, width, height } = widget.getRectangle()
  const turns = (((Math.round((widget.getAppearanceCharacteristics()?.getRotation() ?? 0) / 90) % 4) + 4) % 4) as
    | 0
    | 1
    | 2
    | 3
  const matrix = {
    0: [1, 0, 0, 1, x, y],
    1: [0, 1, -1, 0, x + width, y],
    2: [-1, 0, 0, -1, x + width, y + height],
    3: [0, -1, 1, 0, x, y + height],
  }[turns]
  const isTurned = turns % 2 === 1
  return {
    width: isTurned ? height : width,
    height: isTurned ? width : height,
    enter: [operator(Op.PushGraphicsState), operator(Op.ConcatTransformationMatrix, ...matrix)],
  }
}

type Box = ReturnType<typeof boxOf>

const COLORS: Record<number, { fill: Op; stroke: Op }> = {
  1: { fill: Op.NonStrokingColorGray, stroke: Op.StrokingColorGray },
  3: { fill: Op.NonStrokingColorRgb, stroke: Op.StrokingColorRgb },
  4: { fill: Op.NonStrokingColorCmyk, stroke: Op.StrokingColorCmyk },
}

/** Background and border that the appearance of the widget would have. */
function frameOf({ widget }: Spot, { width, height }: Box): PDFOperator[] {
  const look = widget.getAppearanceCharacteristics()
  const fill = look?.getBackgroundColor() ?? []
  const stroke = look?.getBorderColor() ?? []
  const border = stroke.length > 0 ? (widget.getBorderStyle()?.getWidth() ?? 1) : 0
  const fillOp = COLORS[fill.length]?.fill
  const strokeOp = COLORS[stroke.length]?.stroke
  return [
    ...(fillOp
      ? [operator(fillOp, ...fill), operator(Op.AppendRectangle, 0, 0, width, height), operator(Op.FillNonZero)]
      : []),
    ...(strokeOp && border > 0
      ? [
          operator(strokeOp, ...stroke),
          operator(Op.SetLineWidth, border),
          operator(Op.AppendRectangle, border / 2, border / 2, width - border, height - border),
          operator(Op.StrokePath),
        ]
      : []),
  ]
}

const SIZE = /(?<![\d.])(-?[\d.]+)\s+Tf\b/
const COLOR = /(?<![\d.])((?:-?[\d.]+\s+){1,4})(g|rg|k)\b/

/** Size and colour of the default appearance (ISO 32000-1, 12.7.3.3); size 0 is chosen by us. */
function looksOf({ field, widget }: Spot) {
  const appearance = widget.getDefaultAppearance() ?? field.acroField.getDefaultAppearance() ?? ''
  const size = Number(SIZE.exec(appearance)?.[1] ?? 0)
  const [, values = '0', kind = 'g'] = COLOR.exec(appearance) ?? []
  const colour = values.trim().split(/\s+/).map(Number)
  const count = { g: 1, rg: 3, k: 4 }[kind]
  const fill = COLORS[colour.length]?.fill
  const isColour = colour.length === count && fill && colour.every(Number.isFinite)
  return {
    size: Number.isFinite(size) && size > 0 ? size : undefined,
    colour: isColour ? operator(fill, ...colour) : operator(Op.NonStrokingColorGray, 0),
  }
}

interface Laid {
  size: number
  lines: string[]
}

/** The lines of a text and the largest size, at most `start`, at which they fit; undefined where none does. */
function layOut(
  text: string,
  style: Style,
  box: { width: number; height: number; start: number; multiline: boolean },
): Laid | undefined {
  const lineHeight = (style.ascent - style.descent) * LINE_HEIGHT
  const rightToLeft = isRightToLeft(text)
  const line = text.replaceAll('\n', ' ')
  const width = box.multiline ? 0 : style.widthOf(line, rightToLeft)
  for (let size = box.start; size >= MIN_SIZE; size = size > MIN_SIZE ? Math.max(MIN_SIZE, size * 0.93) : 0) {
    const lines = box.multiline ? wrap(text, box.width / size, (part) => style.widthOf(part, rightToLeft)) : [line]
    const high = box.multiline ? lines.length * lineHeight * size : (style.ascent - style.descent) * size * 0.8
    if (high <= box.height && (box.multiline || width * size <= box.width)) return { size, lines }
  }
  return undefined
}

function showLine({ page }: Spot, pieces: readonly Piece[], size: number): PDFOperator[] {
  const shown: PDFOperator[] = []
  let row = ''
  let [font, rise]: [PDFFont | undefined, number] = [undefined, 0]
  const flush = () => {
    if (row !== '') shown.push(operator(Op.ShowTextAdjusted, `[${row}]`))
    row = ''
  }
  for (const piece of pieces) {
    if (piece.font !== font || piece.rise !== rise) flush()
    if (piece.font !== font)
      shown.push(operator(Op.SetFontAndSize, page.node.newFontDictionary('Pass', piece.font.ref), size))
    if (piece.rise !== rise) shown.push(operator(Op.SetTextRise, piece.rise * size))
    ;[font, rise] = [piece.font, piece.rise]
    const move = Math.round(-piece.before * 100_000) / 100
    row += `${move === 0 ? '' : move}<${piece.codes}>`
  }
  flush()
  return rise === 0 ? shown : [...shown, operator(Op.SetTextRise, 0)]
}

const MULTILINE = 1 << 12

/** Draws a text in the place of a text field; false where it does not fit at the least size. */
export function drawText(spot: Spot, text: string, style: Style, alternative: string | undefined): boolean {
  const box = boxOf(spot)
  const { colour, size: wanted } = looksOf(spot)
  const multiline = ((spot.field.acroField.getFlags() ?? 0) & MULTILINE) !== 0
  const inner = { width: box.width - 2 * PADDING, height: box.height - (multiline ? 2 * PADDING : 0), multiline }
  const start =
    wanted ??
    Math.max(MIN_SIZE, multiline ? AUTO_SIZE : Math.min(AUTO_SIZE, box.height / (style.ascent - style.descent)))
  const laid = text === '' ? { size: start, lines: [] } : layOut(text, style, { ...inner, start })
  if (!laid) return false
  const { size, lines } = laid
  const rightToLeft = isRightToLeft(text)
  const align = alignmentOf(spot) ?? (rightToLeft ? 2 : 0)
  const height = (style.ascent - style.descent) * size
  const top = multiline ? box.height - PADDING - style.ascent * size : (box.height - height) / 2 - style.descent * size
  const shown = lines.flatMap((line, at) => {
    const left = box.width - 2 * PADDING - style.widthOf(line, rightToLeft) * size
    const x = PADDING + (left * align) / 2
    const y = top - at * height * LINE_HEIGHT
    return [operator(Op.SetTextMatrix, 1, 0, 0, 1, x, y), ...showLine(spot, style.pieces(line, rightToLeft), size)]
  })
  const words = [operator(Op.BeginText), colour, ...shown, operator(Op.EndText)]
  const content = lines.length > 0 ? spoken(words, alternative, text) : []
  spot.page.pushOperators(...box.enter, ...frameOf(spot, box), ...content, operator(Op.PopGraphicsState))
  return true
}

/** Centred or to the right (ISO 32000-1, table 222, Q); undefined: at the side where the text begins. */
function alignmentOf({ widget, field }: Spot): 1 | 2 | undefined {
  const name = PDFName.of('Q')
  const value = widget.dict.lookup(name) ?? field.acroField.getInheritableAttribute(name)
  const quadding = value instanceof PDFNumber ? value.asNumber() : 0
  return quadding === 1 || quadding === 2 ? quadding : undefined
}

/** Draws a QR code as large as the box allows, with its margin; false where its modules would be too small. */
export function drawQrCode(spot: Spot, text: string, alternative: string): boolean {
  const box = boxOf(spot)
  const { modules } = create(text, { errorCorrectionLevel: 'M' })
  const side = Math.min(box.width, box.height)
  const unit = side / (modules.size + 2 * MARGIN_MODULES)
  if (unit < MIN_MODULE) return false
  const [left, bottom] = [(box.width - side) / 2, (box.height - side) / 2]
  const dark: PDFOperator[] = []
  for (let row = 0; row < modules.size; row++)
    for (let from = 0; from < modules.size; from++) {
      let to = from
      while (to < modules.size && modules.get(row, to)) to++
      if (to > from) {
        const x = left + (MARGIN_MODULES + from) * unit
        const y = bottom + side - (MARGIN_MODULES + row + 1) * unit
        dark.push(operator(Op.AppendRectangle, x, y, (to - from) * unit, unit))
      }
      from = to
    }
  const drawn = [
    operator(Op.NonStrokingColorGray, 1),
    operator(Op.AppendRectangle, left, bottom, side, side),
    operator(Op.FillNonZero),
    operator(Op.NonStrokingColorGray, 0),
    ...dark,
    operator(Op.FillNonZero),
  ]
  spot.page.pushOperators(...box.enter, ...spoken(drawn, alternative), operator(Op.PopGraphicsState))
  return true
}
