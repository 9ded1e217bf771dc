/**
 * What a form changes of what it was filled with: the rest is not sent, because somebody else may have changed it
 * meanwhile. Such forms are keyed by what fills them, so that they show what they are compared with.
 */
export function changesIn<Next extends object>(next: Next, was: object): Partial<Next> {
  const before = new Map<string, unknown>(Object.entries(was))
  const isChanged = ([name, value]: [string, unknown]) => JSON.stringify(value) !== JSON.stringify(before.get(name))
  return Object.fromEntries(Object.entries(next).filter(isChanged)) as Partial<Next>
}
