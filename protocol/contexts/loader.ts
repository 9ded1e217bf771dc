import { Refusal } from '../errors.ts'
import { bundledContexts } from './bundled.ts'
import { contextErrors } from './form.ts'
import { refuseImports } from './imports.ts'

/** The result of a document loader (JSON-LD API 1.1, section 9.6 RemoteDocument). */
export interface RemoteDocument {
  contextUrl: null
  documentUrl: string
  document: object
  /** `static` lets jsonld keep the processed context for every later document of the process. */
  tag?: 'static'
}
export type DocumentLoader = (url: string) => Promise<RemoteDocument>

/** Returns the document of a registered or pinned context, or undefined where there is none. */
export type ContextLookup = (url: string) => object | undefined | Promise<object | undefined>

export interface LoaderOptions {
  /** Contexts in addition to the bundled ones: those that the tenant registered, or that were pinned on first use. */
  contexts?: ReadonlyMap<string, object> | ContextLookup
}

export const contextUnknown = (url: string): Refusal =>
  new Refusal('context.unknown', `The JSON-LD context ${url.slice(0, 500)} is unknown. Register it first.`, [
    { path: '/@context', code: 'context.unknown', message: `${url.slice(0, 500)} is unknown` },
  ])

/** A context from a URL must have the same form as an inline one. */
function assertForm(url: string, document: object): void {
  const [error] = contextErrors(document)
  if (error === undefined) return
  const message = `${url.slice(0, 500)} is malformed: ${error.path} ${error.message}`
  throw new Refusal('context.invalid', `The JSON-LD context ${message}.`, [
    { path: '/@context', code: error.code, message },
  ])
}

/**
 * Returns a loader of the bundled contexts and of `contexts`, without network. An unknown URL is
 * `Refusal('context.unknown')`, a context that imports another or is malformed `Refusal('context.invalid')`. Only
 * bundled documents have the tag `static`: jsonld has one cache per process, and two tenants may have pinned different
 * content under one URL. The loader returns copies, since jsonld resolves relative context references in place.
 */
export function createDocumentLoader({ contexts }: LoaderOptions = {}): DocumentLoader {
  const lookup: ContextLookup = typeof contexts === 'function' ? contexts : (url) => contexts?.get(url)
  return async (url) => {
    const bundled = bundledContexts.get(url)
    if (bundled !== undefined)
      return { contextUrl: null, documentUrl: url, document: structuredClone(bundled), tag: 'static' }
    const document = await lookup(url)
    if (document === undefined) throw contextUnknown(url)
    refuseImports(document)
    assertForm(url, document)
    return { contextUrl: null, documentUrl: url, document: structuredClone(document) }
  }
}
