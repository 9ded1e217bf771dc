const QUOTE = 34
const COMMA = 44
const [ARRAY, ARRAY_END, BACKSLASH] = [91, 93, 92]
const [OBJECT, OBJECT_END] = [123, 125]

/** Index of the quote that closes the string at `start`; the length of the text if there is none. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes++
    if (escapes % 2 === 0) return end
  }
  return text.length
}

/** What a JSON text shows before any code recurses over its tree. */
export interface JsonShape {
  /** Levels of nesting. */
  depth: number
  /** An object or a list that has any counts for itself too. */
  values: number
  /** Colons outside of strings: as many as members, each name counted as often as it stands there. */
  members: number
  /** No number has a fraction or an exponent. */
  isWhole: boolean
}

const [COLON, DOT, E, SMALL_E] = [58, 46, 69, 101]

const isDigit = (code: number): boolean => code >= 48 && code <= 57

/** Looks at raw characters; those in strings do not count. For text that is not JSON it means nothing. */
export function jsonShape(text: string): JsonShape {
  const shape = { depth: 0, values: 1, members: 0, isWhole: true }
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) at = endOfString(text, at)
    else if (char === COMMA) shape.values += 1
    else if (char === COLON) shape.members += 1
    else if (char === OBJECT || char === ARRAY) {
      shape.depth = Math.max(shape.depth, ++depth)
      shape.values += 1
    } else if (char === OBJECT_END || char === ARRAY_END) depth -= 1
    else if (char === DOT || char === E || (char === SMALL_E && isDigit(text.charCodeAt(at - 1)))) shape.isWhole = false
  }
  return shape
}

/**
 * Returns the first name that an object of a JSON text repeats; undefined when there is none. JSON has no rule for such
 * names, so two readers may see two documents (RFC 8259, section 4). For text that JSON.parse accepts.
 */
export function repeatedName(text: string): string | undefined {
  /** The names of each open object; undefined for an array. */
  const open: (Set<string> | undefined)[] = []
  let isName = false
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) {
      const end = endOfString(text, at)
      if (isName) {
        const raw = text.slice(at, end + 1)
        const name = raw.includes('\\') ? String(JSON.parse(raw)) : raw.slice(1, -1)
        if (open.at(-1)?.has(name)) return name
        open.at(-1)?.add(name)
        isName = false
      }
      at = end
    } else if (char === OBJECT || char === ARRAY) {
      open.push(char === OBJECT ? new Set() : undefined)
      isName = char === OBJECT
    } else if (char === OBJECT_END || char === ARRAY_END) open.pop()
    else if (char === COMMA) isName = open.at(-1) !== undefined
  }
  return undefined
}
