import { digestFaults, digestOfBytes, unknownResources } from '../../protocol/contexts/digests.ts'
import { CONTEXT } from '../../protocol/contexts/index.ts'
import { namedContexts } from '../../protocol/contexts/named.ts'
import { type Json, listOf } from '../../protocol/json.ts'
import type { Reason } from '../../protocol/semantic-credentials/reasons.ts'
import { resourceWarnings, type Warning } from '../../protocol/semantic-credentials/warnings.ts'
import { MAX_FOREIGN } from '../documents/contexts.ts'
import type { ContextStore } from '../frame/contexts.ts'

interface ResourceFindings {
  /** Contexts that the credential uses and that have another digest than its issuer gave. */
  reason: Reason[]
  /** Resources that were not fetched. */
  warnings: Warning[]
}

/**
 * Checks the related resources of a verified credential that are not bundled (VC Data Model 2.0, section 5.3). Contexts
 * that the credential names were fetched for its verification, so their bytes are known; no other resource is fetched.
 */
export const resourceCheck =
  (pinnedTexts: ContextStore['pinnedTexts']) =>
  async (tenantId: string, credential: Json): Promise<ResourceFindings> => {
    if (listOf(credential['@context'])[0] !== CONTEXT.credentialsV2) return { reason: [], warnings: [] }
    const resources = unknownResources(credential)
    const ids = new Set(resources.map(({ id }) => id))
    const usedUrls = ids.size > 0 ? namedContexts(credential).filter((url) => ids.has(url)) : []
    // a document with more of them does not verify (D-132)
    const texts =
      usedUrls.length > 0 ? await pinnedTexts(tenantId, usedUrls.slice(0, MAX_FOREIGN)) : new Map<string, string>()
    const all = resources.map((found) => {
      const { path, id, resource } = found
      const text = texts.get(id)
      if (text === undefined) return { reason: [], unchecked: [found] }
      const reason = digestFaults(resource, digestOfBytes(text)).map(
        ({ member, message }): Reason => ({
          type: 'Context',
          message: `${path}/${member} ${message}: ${id.slice(0, 200)}`,
        }),
      )
      return { reason, unchecked: [] }
    })
    return {
      reason: all.flatMap(({ reason }) => reason),
      warnings: resourceWarnings(all.flatMap(({ unchecked }) => unchecked)),
    }
  }
