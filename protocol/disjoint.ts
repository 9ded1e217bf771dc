type Joined<Tables extends readonly object[]> = Tables extends readonly [infer First, ...infer Rest extends object[]]
  ? First & Joined<Rest>
  : Tables extends readonly []
    ? unknown
    : Tables[number]

/** Joins tables into one. Throws if two have the same key, since one would hide the other. */
export function disjoint<const Tables extends object[]>(...tables: Tables): Joined<Tables> {
  const entries = tables.flatMap((table) => Object.entries(table))
  const keys = entries.map(([key]) => key)
  const double = keys.filter((key, index) => keys.indexOf(key) !== index)
  if (double.length > 0) throw new Error(`Two tables have the same key: ${double.join(', ')}.`)
  return Object.fromEntries(entries) as Joined<Tables>
}
