import type { Certificate } from '../../../protocol/credentials/certificate.ts'
import type { FormatName } from '../../../protocol/credentials/formats.ts'
import type { TrustGate } from '../../../protocol/credentials/trust.ts'
import { type FieldError, within } from '../../../protocol/errors.ts'
import { authorityOf } from '../../../protocol/mobile-credentials/authority.ts'
import type { DcqlCredential, DcqlFormat, DcqlQuery } from '../../../protocol/openid/dcql/query.ts'
import { invalidRequest } from '../../../protocol/openid/presentations/requests.ts'

const FORMATS: Readonly<Record<DcqlFormat, FormatName>> = {
  'dc+sd-jwt': 'sd-jwt-vc',
  mso_mdoc: 'mobile',
  ldp_vc: 'semantic',
}

/** Trust lists that a query names by their URLs (OpenID4VP 1.0, section 6.1.1.2). */
export const createListedAuthorities = ({ trustGate }: { trustGate: Pick<TrustGate, 'urlsOf'> }) => ({
  /** URLs of the lists that have the issuer, or a verified certificate that leads to it, where the query asks for some. */
  async of(
    tenantId: string,
    asked: DcqlCredential,
    issuer: string | undefined,
    path: readonly Certificate[] = [],
  ): Promise<readonly string[]> {
    if (issuer === undefined || !asked.trusted_authorities?.some(({ type }) => type === 'etsi_tl')) return []
    return trustGate.urlsOf(tenantId, FORMATS[asked.format], [issuer, ...path.map(authorityOf)])
  },

  /** Throws `openid_presentation.invalid` for a list that the tenant does not have for the format. */
  async assertOwn(tenantId: string, { credentials }: DcqlQuery): Promise<void> {
    const errors: FieldError[] = []
    for (const [nth, { format, trusted_authorities: authorities = [] }] of credentials.entries())
      for (const [place, { type, values }] of authorities.entries()) {
        if (type !== 'etsi_tl') continue
        const known = await trustGate.urlsOf(tenantId, FORMATS[format])
        const at = within('dcqlQuery', 'credentials', nth, 'trusted_authorities', place, 'values')
        for (const [index, url] of values.entries())
          if (!known.includes(url))
            errors.push({
              path: within(at, index),
              code: 'trust_list',
              message: 'expected the URL of the source of a trust list that the tenant has for this format',
            })
      }
    if (errors.length > 0) throw invalidRequest(errors.slice(0, 50))
  },
})

export type ListedAuthorities = ReturnType<typeof createListedAuthorities>
