const LITERAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** A decimal value as text: sign, digits without zeros at either end, and the power of ten of the last one. */
function decimalOf(literal: string): string | undefined {
  const [match, sign, whole = '', fraction = '', exponent = '0'] = LITERAL.exec(literal) ?? []
  if (match === undefined) return undefined
  const all = whole + fraction
  let [from, to] = [0, all.length]
  // no regular expression: with a million zeros it would run for hours
  while (to > from && all[to - 1] === '0') to--
  while (from < to && all[from] === '0') from++
  const power = from === to ? 0 : Number(exponent) - fraction.length + all.length - to
  return `${sign}${all.slice(from, to)}e${power}`
}

/**
 * Whether a JSON number is read exactly, as the platform asks it of all numbers (D-155): the shortest decimal of its double
 * has the same value. Only the page can tell, because the platform gets what the browser has read.
 */
export function isExactNumber(literal: string): boolean {
  const value = Number(literal)
  if (!Number.isFinite(value)) return false
  const exact = decimalOf(literal)
  return exact !== undefined && exact === decimalOf(String(value))
}
