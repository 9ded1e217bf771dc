const LITERAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

const ZERO = 48

/** A decimal value: its digits without zeros at either end, and the power of ten of the last one. Zero has no digits. */
interface Decimal {
  negative: boolean
  digits: string
  power: number
}

function decimalOf(literal: string): Decimal {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = LITERAL.exec(literal) ?? []
  const all = whole + fraction
  let [from, to] = [0, all.length]
  // no regular expression: with a million zeros it would run for hours
  while (to > from && all.charCodeAt(to - 1) === ZERO) to--
  while (from < to && all.charCodeAt(from) === ZERO) from++
  return {
    negative: sign === '-',
    digits: all.slice(from, to),
    power: from === to ? 0 : Number(exponent) - fraction.length + all.length - to,
  }
}

/**
 * Whether a JSON number is read exactly: the shortest decimal of its double has the same value (D-155). `1.0`, `1e2`
 * and `0.1` are; `-0`, `1e-400`, `0.1234567890123456789` and `9007199254740993` are not.
 */
export function isExactNumber(literal: string): boolean {
  const value = Number(literal)
  if (!Number.isFinite(value)) return false
  const shortest = String(value)
  if (shortest === literal) return true
  return isSameDecimal(literal, shortest)
}

/** Whether two texts are JSON numbers of the same value. Zero has a sign. */
export function isSameDecimal(one: string, other: string): boolean {
  if (!LITERAL.test(one) || !LITERAL.test(other)) return false
  const [first, second] = [decimalOf(one), decimalOf(other)]
  return first.negative === second.negative && first.digits === second.digits && first.power === second.power
}
