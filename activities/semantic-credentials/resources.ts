import { digestFaults, digestOfBytes, unknownResources } from '../../protocol/contexts/digests.ts'
import { CONTEXT } from '../../protocol/contexts/index.ts'
import { namedContexts } from '../../protocol/contexts/named.ts'
import { type Json, listOf } from '../../protocol/json.ts'
import type { Reason } from '../../protocol/semantic-credentials/reasons.ts'
import { resourceWarnings, type Warning } from '../../protocol/semantic-credentials/warnings.ts'

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
  (pinnedText: (tenantId: string, url: string) => Promise<string | undefined>) =>
  async (tenantId: string, credential: Json): Promise<ResourceFindings> => {
    if (listOf(credential['@context'])[0] !== CONTEXT.credentialsV2) return { reason: [], warnings: [] }
    const resources = unknownResources(credential)
    const usedUrls = new Set(resources.length > 0 ? namedContexts(credential) : [])
    const findings = resources.map(async (found) => {
      const { path, id, resource } = found
      const text = usedUrls.has(id) ? await pinnedText(tenantId, id) : undefined
      if (text === undefined) return { reason: [], unchecked: [found] }
      const reason = digestFaults(resource, digestOfBytes(text)).map(
        ({ member, message }): Reason => ({
          type: 'Context',
          message: `${path}/${member} ${message}: ${id.slice(0, 200)}`,
        }),
      )
      return { reason, unchecked: [] }
    })
    const all = await Promise.all(findings)
    return {
      reason: all.flatMap(({ reason }) => reason),
      warnings: resourceWarnings(all.flatMap(({ unchecked }) => unchecked)),
    }
  }
