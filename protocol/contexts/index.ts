import './processed.ts'

export { bundledContexts } from './bundled.ts'
export { assertContexts, contextErrors } from './form.ts'
export { refuseImports } from './imports.ts'
export {
  type ContextLookup,
  contextUnknown,
  createDocumentLoader,
  type DocumentLoader,
  type LoaderOptions,
  type RemoteDocument,
} from './loader.ts'
export { CONTEXT } from './urls.ts'
