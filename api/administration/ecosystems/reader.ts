import type { Request } from 'express'
import type { EcosystemReader } from '../../../activities/administration/ecosystems/rows.ts'
import { Refusal } from '../../../protocol/errors.ts'

/**
 * Who reads ecosystems: an operator by platform:read, or a tenant by administration:read. Throws
 * `Refusal('token.insufficient_scope')` for a token with neither.
 */
export function readerOf({ caller }: Pick<Request, 'caller'>): EcosystemReader {
  const isOperator = caller?.scopes.includes('platform:read') === true
  if (caller && (isOperator || caller.scopes.includes('administration:read')))
    return { tenantId: caller.tenantId, isOperator }
  throw new Refusal(
    'token.insufficient_scope',
    'The access token does not have the scope platform:read or administration:read.',
  )
}
