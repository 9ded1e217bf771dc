import { type Column, Table } from '../../../frame/table.tsx'
import { useTexts } from '../../../texts/index.ts'

interface Claim {
  name: string
  value: string
}

const MOST_ROWS = 500

/** Claims one by one, those of objects with dots in their names; at most so many. */
export function claimsIn(subject: unknown): Claim[] {
  const found: Claim[] = []
  const visit = (value: unknown, name: string, depth: number): void => {
    if (found.length >= MOST_ROWS) return
    const isFlat = typeof value !== 'object' || value === null || depth > 10
    if (isFlat) {
      found.push({ name, value: typeof value === 'string' ? value : JSON.stringify(value) })
      return
    }
    const entries = Object.entries(value)
    if (entries.length === 0) found.push({ name, value: JSON.stringify(value) })
    for (const [step, each] of entries) visit(each, name === '' ? step : `${name}.${step}`, depth + 1)
  }
  visit(subject, '', 0)
  return found
}

/** What a credential of JSON says of its subject. */
export function Claims({ subject }: { subject: unknown }) {
  const { decoded } = useTexts()
  const columns: Column<Claim>[] = [
    [decoded.name, ({ name }) => <code>{name}</code>],
    [decoded.value, ({ value }) => <bdi>{value}</bdi>],
  ]
  return <Table label={decoded.claims} columns={columns} rows={claimsIn(subject)} keyOf={(_row, at) => at} />
}
