import ContextResolver from 'jsonld/lib/ContextResolver.js'

/** Longer than the usual inline contexts of issuers, and our own. */
const MAX_CHARACTERS = 4_000

const cacheResolvedContext = ContextResolver.prototype._cacheResolvedContext

/**
 * jsonld caches the last hundred inline contexts in processed form, for the life of the process or thread. A hundred
 * hostile ones of a megabyte would fill a thread's memory, and the next document would be refused. So large ones are
 * kept for their own document only. The library has no setting for this.
 */
ContextResolver.prototype._cacheResolvedContext = function (entry) {
  const bounded = entry.key.length <= MAX_CHARACTERS ? entry : { ...entry, tag: undefined }
  return cacheResolvedContext.call(this, bounded)
}
