import type { ClaimSource } from '../../entities/claim-sources.ts'
import { type Authorization, destinationsOf, maskSecret } from '../../protocol/claim-sources/authorization.ts'
import type { RequestParameters } from '../../protocol/claim-sources/parameters.ts'
import type { Sealer } from '../frame/sealing.ts'

export interface ClaimSourceRecord {
  id: string
  tenantId: string
  name: string
  url: string
  requestMethod: 'GET' | 'POST'
  requestParameters: RequestParameters
  /** Null: the platform proves nothing to the source. */
  authorization: { terms: Authorization; maskedSecret: string } | null
}

interface HeldTerms {
  terms: Authorization
}

/** An authorization with its secret. */
export interface OpenAuthorization extends HeldTerms {
  secret: string
}

/**
 * Binds a secret to its row and to the servers that get it: in another row, or with another URL in this one, it does not
 * open.
 */
const boundTo = ({ tenantId, id, url }: Pick<ClaimSource, 'tenantId' | 'id' | 'url'>, terms: Authorization): string =>
  JSON.stringify([tenantId, 'claim-sources', id, 'secret', ...destinationsOf(url, terms)])

export const sealSecret = (
  sealer: Sealer,
  row: Pick<ClaimSource, 'tenantId' | 'id' | 'url'>,
  { terms, secret }: OpenAuthorization,
): Buffer => sealer.seal(Buffer.from(secret), boundTo(row, terms))

/**
 * Null: the source has no authorization. `secret` is absent where there is none, because it stayed behind in a transfer,
 * and where it does not open: the row was altered, or the master key is another one.
 */
export function openAuthorization(sealer: Sealer, row: ClaimSource): (HeldTerms & { secret?: string }) | null {
  const { auth: terms, secret } = row
  if (!terms) return null
  if (!secret) return { terms }
  try {
    return { terms, secret: sealer.open(secret, boundTo(row, terms)).toString() }
  } catch {
    return { terms }
  }
}

export function toRecord(sealer: Sealer, row: ClaimSource): ClaimSourceRecord {
  const authorization = openAuthorization(sealer, row)
  const { id, tenantId, name, url, requestMethod, requestParameters } = row
  return {
    ...{ id, tenantId, name, url, requestMethod, requestParameters },
    authorization: authorization && {
      terms: authorization.terms,
      maskedSecret: maskSecret(authorization.secret ?? ''),
    },
  }
}
