/** A text is `{"Text": …}` in answers (docs/openid.md); numbers, booleans and null are as they are. */
export function claimText(value: unknown): string {
  const text = typeof value === 'object' && value !== null ? Reflect.get(value, 'Text') : undefined
  if (typeof text === 'string') return text
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
