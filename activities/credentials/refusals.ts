import { type FormatName, scopeOf } from '../../protocol/credentials/formats.ts'
import { Refusal } from '../../protocol/errors.ts'
import type { RefuseSigner } from '../dids/signers.ts'
import { hostLost, keysAbsent } from '../dids/standing.ts'

export const credentialNotFound = () => new Refusal('credential.not_found', 'There is no such credential.')

export const listNotFound = () => new Refusal('status_list.not_found', 'There is no such revocation list.')

export const notRevocable = () =>
  new Refusal('credential.not_revocable', 'The credential was signed with revocable false, so it has no status.')

/** Throws `token.insufficient_scope` for credentials of a format that is not among those of the token's scopes (D-336). */
export function assertScope(access: 'read' | 'write', allowed: readonly FormatName[], format: FormatName): void {
  if (allowed.includes(format)) return
  throw new Refusal(
    'token.insufficient_scope',
    `The access token does not have the scope ${scopeOf(format, access)}, which the format of these credentials needs.`,
  )
}

/** Makes refusals of an issuer, `credential.issuer_*`; `field` is the field of the request that names it. */
export const refuseIssuer =
  (field: string): RefuseSigner =>
  (fault) => {
    const refusal = (code: string, message: string) =>
      new Refusal(code, message, [{ path: field, code: 'issuer', message: fault.expected }])
    switch (fault.kind) {
      case 'unknown':
        return refusal('credential.issuer_unknown', 'The issuer is not a DID of this tenant.')
      case 'deleted':
        return refusal('credential.issuer_unknown', 'The issuer was deleted.')
      case 'not_ready':
        return refusal(
          'credential.issuer_not_ready',
          `The registration of the issuer's DID is ${fault.registrationStatus}: its credentials could not be verified yet.`,
        )
      case 'host_lost':
        return hostLost(fault.host, field)
      case 'keys_absent':
        return keysAbsent(field)
      case 'not_chosen':
        return refusal('credential.issuer_not_chosen', `The request names no issuer: ${fault.why}`)
      case 'key_unfit':
        return refusal(
          'credential.issuer_key_unfit',
          `The issuer has no ${fault.keyTypes.join(' or ')} key, which ${fault.neededBy} needs.`,
        )
    }
  }
