/** The context packages are plain JavaScript; each of them exports its documents by URL. */
declare module 'jsonld/lib/ContextResolver.js' {
  interface Entry {
    /** URL, or the text of an inline context. */
    key: string
    resolved: unknown
    /** `static`: shared by everything that the process does. */
    tag?: 'static' | undefined
  }
  export default class ContextResolver {
    _cacheResolvedContext(entry: Entry): unknown
  }
}
declare module '@digitalbazaar/credentials-context' {
  export const contexts: Map<string, object>
}
declare module '@digitalbazaar/data-integrity-context' {
  export const contexts: Map<string, object>
}
declare module '@digitalbazaar/multikey-context' {
  export const contexts: Map<string, object>
}
declare module '@digitalbazaar/security-context' {
  export const contexts: Map<string, object>
}
declare module '@digitalbazaar/vc-bitstring-status-list-context' {
  export const contexts: Map<string, object>
}
declare module '@digitalbazaar/vc-status-list-context' {
  export const contexts: Map<string, object>
}
declare module 'did-context' {
  export const contexts: Map<string, object>
}
declare module 'ed25519-signature-2018-context' {
  export const contexts: Map<string, object>
}
declare module 'ed25519-signature-2020-context' {
  export const contexts: Map<string, object>
}
declare module 'vc-revocation-list-context' {
  export const contexts: Map<string, object>
}
declare module '@digitalbazaar/citizenship-context' {
  export const contexts: Map<string, object>
}
declare module '@digitalbazaar/credentials-examples-context' {
  export const contexts: Map<string, object>
}
declare module '@digitalbazaar/odrl-context' {
  export const contexts: Map<string, object>
}
declare module '@digitalbazaar/vdl-context' {
  export const contexts: Map<string, object>
}
