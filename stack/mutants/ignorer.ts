import type { Ignorer } from '@stryker-mutator/api/ignore'

interface Node {
  type?: string
  value?: unknown
  quasis?: { value: { raw: string } }[]
}

const textOf = ({ type, value, quasis = [] }: Node): string | undefined => {
  if (type === 'StringLiteral') return String(value)
  return type === 'TemplateLiteral' ? quasis.map((quasi) => quasi.value.raw).join('x') : undefined
}

const SQL = /\b(select|insert|update|delete|from|where|set)\b/

/** Texts for people, which tests do not assert: they assert codes (CONTRIBUTING.md). */
export const proseIgnorer: Ignorer = {
  shouldIgnore(path) {
    const text = textOf((path as { node?: Node }).node ?? {})
    return text?.includes(' ') && !SQL.test(text) ? 'a text for people' : undefined
  },
}
