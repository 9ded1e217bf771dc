import type { PolicyGate } from '../../protocol/credentials/policy.ts'
import type { TrustGate } from '../../protocol/credentials/trust.ts'
import { faulty } from '../../protocol/sd-jwt-credentials/faults.ts'
import type { IssuerReference } from '../../protocol/sd-jwt-credentials/issuers.ts'
import { type SdJwtVerdict, verifySdJwt } from '../../protocol/sd-jwt-credentials/verify.ts'
import type { NamedLists } from '../credentials/status-lists/named.ts'
import type { Dependencies } from '../dependencies.ts'
import type { FoundKey, IssuerKeys } from './issuer-keys.ts'
import { createSdJwtStatus } from './status.ts'
import type { TypeMetadataReader } from './type-metadata.ts'

export type { SdJwtVerdict } from '../../protocol/sd-jwt-credentials/verify.ts'

export interface SdJwtVerifyRequest {
  payload: string
  /** Present: a key binding must be there, made for it. */
  keyBinding?: { nonce: string; audience: string }
  checkRevocation: boolean
  /** `where named`: of a credential with vct#integrity. */
  checkTypeMetadata: boolean | 'where named'
  /** Absent: any issuer whose key is found. */
  trustedIssuers?: readonly string[]
}

interface Parts extends Pick<Dependencies, 'now' | 'config'> {
  namedLists: NamedLists
  issuerKeys: IssuerKeys
  policyGate: Pick<PolicyGate, 'reasonsAgainst'>
  trustGate: TrustGate
  typeMetadata: TypeMetadataReader
}

/** Verifies SD-JWT VC credentials of any issuer. A bad credential is a verdict, and only a broken request throws. */
export function createSdJwtVerifier(parts: Parts) {
  const { now, config, issuerKeys, policyGate, trustGate, typeMetadata } = parts
  const status = createSdJwtStatus(parts)

  return {
    async verify(tenantId: string, request: SdJwtVerifyRequest): Promise<SdJwtVerdict> {
      const { payload, keyBinding, checkRevocation, checkTypeMetadata, trustedIssuers } = request
      const trust = await trustGate.trustFor(tenantId, 'sd-jwt-vc')
      let known: { reference: IssuerReference; found: FoundKey } | undefined
      return verifySdJwt(payload, {
        now: now(),
        toleranceMs: config.clockToleranceMs,
        keyBinding: keyBinding ?? 'unchecked',
        async issuerKey(reference) {
          const found = await issuerKeys.find(tenantId, reference)
          if (trustedIssuers && !trustedIssuers.includes(found.issuer))
            throw faulty('IssuerKey', 'issuer_not_trusted', 'The issuer is not one of the trusted issuers.')
          known = { reference, found }
          return found
        },
        find: trust?.find,
        reasonsAgainst: (issuer, types) => policyGate.reasonsAgainst(tenantId, { format: 'sd-jwt-vc', issuer, types }),
        ...(checkTypeMetadata && {
          typeFaults: async (processed, vct, integrity) =>
            checkTypeMetadata === true || integrity !== undefined
              ? typeMetadata.faults(tenantId, processed, vct, integrity)
              : [],
        }),
        ...(checkRevocation && {
          async statusOf(entry) {
            if (!known) throw new Error('the status of a credential is asked without its issuer')
            return (await status.isSet(tenantId, entry, known.reference, known.found)) ? 'revoked' : 'valid'
          },
        }),
      })
    },
  }
}

export type SdJwtVerifier = ReturnType<typeof createSdJwtVerifier>
