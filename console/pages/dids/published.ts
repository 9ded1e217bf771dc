/** Where verifiers read the document of a did:web (its method's specification); undefined for other DIDs. */
export function publishedAt(did: string): string | undefined {
  const [scheme, method, host, ...path] = did.split(':')
  if (scheme !== 'did' || method !== 'web' || !host) return undefined
  const place = path.length > 0 ? path : ['.well-known']
  return ['https:', '', host.replace(/%3a/i, ':'), ...place, 'did.json'].join('/')
}
