import bidiModule from 'bidi-js'

/** The types say `default` of what the package exports as a whole. */
const exported: unknown = bidiModule
const isFactory = (value: unknown): value is typeof bidiModule.default => typeof value === 'function'
if (!isFactory(exported)) throw new Error('bidi-js does not export the function that it did')
const bidi = exported()

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })
/** Characters that are not seen, and that no font needs to have. */
const UNSEEN = /^\p{Default_Ignorable_Code_Point}$/u

/** The first character of a text that a font does not have. */
export function lacking(covers: (codePoint: number) => boolean, text: string): number | undefined {
  for (const character of text) {
    const codePoint = character.codePointAt(0) ?? 0
    if (character !== '\n' && !UNSEEN.test(character) && !covers(codePoint)) return codePoint
  }
  return undefined
}

export const isRightToLeft = (text: string): boolean => bidi.getEmbeddingLevels(text, 'auto').paragraphs[0]?.level === 1

/** Part of a line in one direction and one font. */
export interface Run<Font> {
  text: string
  rightToLeft: boolean
  font: Font
}

/**
 * The runs of a line in the order in which they are seen (Unicode Standard Annex #9, rules L2 and L4). `fontOf` chooses
 * for a grapheme after the font before it.
 */
export function runsOf<Font>(
  line: string,
  rightToLeft: boolean,
  fontOf: (grapheme: string, before: Font | undefined) => Font,
): Run<Font>[] {
  const embedding = bidi.getEmbeddingLevels(line, rightToLeft ? 'rtl' : 'ltr')
  const mirrored = bidi.getMirroredCharactersMap(line, embedding.levels)
  const runs: { text: string; level: number; font: Font }[] = []
  for (const { segment, index } of graphemes.segment(line)) {
    const font = fontOf(segment, runs.at(-1)?.font)
    for (let at = index; at < index + segment.length; at++) {
      const level = embedding.levels[at] ?? 0
      const character = mirrored.get(at) ?? line.charAt(at)
      const last = runs.at(-1)
      if (last && last.level === level && last.font === font) last.text += character
      else runs.push({ text: character, level, font })
    }
  }
  for (let level = Math.max(0, ...runs.map((run) => run.level)); level > 0; level--)
    for (let from = 0; from < runs.length; from++) {
      let to = from
      while ((runs[to]?.level ?? -1) >= level) to++
      if (to > from) runs.splice(from, to - from, ...runs.slice(from, to).reverse())
      from = Math.max(from, to)
    }
  return runs.map(({ text, level, font }) => ({ text, rightToLeft: level % 2 === 1, font }))
}

const words = new Intl.Segmenter('und', { granularity: 'word' })
const segmentsOf = (segmenter: Intl.Segmenter, text: string) =>
  [...segmenter.segment(text)].map(({ segment }) => segment)

/** The lines of a text in a box of this width: broken between words, and within a word that is wider than the box. */
export function wrap(text: string, width: number, widthOf: (part: string) => number): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const lines: string[] = []
    let line = ''
    let used = 0
    const put = (part: string, partWidth: number) => {
      if (line !== '' && used + partWidth > width) {
        lines.push(line.trimEnd())
        line = part.trimStart()
        used = line === '' ? 0 : partWidth
      } else {
        line += part
        used += partWidth
      }
    }
    for (const word of segmentsOf(words, paragraph)) {
      const wordWidth = widthOf(word)
      if (wordWidth <= width) put(word, wordWidth)
      else for (const grapheme of segmentsOf(graphemes, word)) put(grapheme, widthOf(grapheme))
    }
    return [...lines, line.trimEnd()]
  })
}
