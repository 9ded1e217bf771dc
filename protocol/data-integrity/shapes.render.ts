import { createHash } from 'node:crypto'
import type { Part, Template } from './shapes.template.ts'
import { doubleOf } from './shapes.values.ts'

/** The statement of a line, `label` for each blank node. */
function fill(parts: readonly Part[], values: readonly string[], label: (node: number) => string): string {
  let line = ''
  for (const part of parts) {
    if (typeof part === 'string') line += part
    else if (typeof part === 'number') line += values[part]
    else line += 'node' in part ? label(part.node) : doubleOf(Number(values[part.double]))
  }
  return line
}

/**
 * The labels of the blank nodes by their order: that of the hashes of the statements about each (RDFC-1.0, section 4.6).
 * Undefined if two have the same hash: then the library compares what is around them.
 */
function labelsOf({ statements, nodes }: Template, values: readonly string[]): string[] | undefined {
  const hashes = nodes.map((mentions, own) => {
    const about = mentions.map(
      (index) => `${fill(statements[index] ?? [], values, (node) => (node === own ? '_:a' : '_:z'))}\n`,
    )
    return createHash('sha256').update(about.sort().join('')).digest('hex')
  })
  const order = [...new Set(hashes)].sort()
  if (order.length < hashes.length) return undefined
  const rank = new Map(order.map((hash, index) => [hash, `_:c14n${index}`]))
  return hashes.map((hash) => rank.get(hash) ?? '')
}

/**
 * Fills values in, each as its literal or IRI. Undefined where the template does not hold: a value is an IRI of the shape,
 * two blank nodes are alike, or two statements become one, which the library may write twice.
 */
export function render(template: Template, values: readonly string[]): string | undefined {
  const { statements, iris } = template
  if (values.some((value) => iris.has(value))) return undefined
  const labels = labelsOf(template, values)
  if (!labels) return undefined
  const lines = statements.map((parts) => fill(parts, values, (node) => labels[node] ?? '')).sort()
  if (lines.some((line, index) => line === lines[index + 1])) return undefined
  return lines.map((line) => `${line}\n`).join('')
}
