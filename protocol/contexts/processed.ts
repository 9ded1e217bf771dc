import ContextResolver from 'jsonld/lib/ContextResolver.js'

/** Above the contexts that issuers write into their credentials, and our own. */
const MAX_CHARACTERS = 4_000

const cacheResolvedContext = ContextResolver.prototype._cacheResolvedContext

/**
 * jsonld keeps the last hundred contexts that stood in documents, with all that it made of them, for the life of the
 * process or thread. What a hundred strangers' contexts of a megabyte become fills a thread's memory, and the next document
 * would be refused for it: large ones live as long as their document. The library has no setting for this.
 */
ContextResolver.prototype._cacheResolvedContext = function (entry) {
  const kept = entry.key.length <= MAX_CHARACTERS ? entry : { ...entry, tag: undefined }
  return cacheResolvedContext.call(this, kept)
}
