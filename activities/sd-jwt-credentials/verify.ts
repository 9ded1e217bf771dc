import type { JudgedCredential, PolicyGate } from '../../protocol/credentials/policy.ts'
import type { TrustGate } from '../../protocol/credentials/trust.ts'
import type { Certificate } from '../../protocol/mobile-credentials/certificates.read.ts'
import { faulty } from '../../protocol/sd-jwt-credentials/faults.ts'
import { type IssuerReference, listedBy } from '../../protocol/sd-jwt-credentials/issuers.ts'
import { type SdJwtVerdict, verifySdJwt } from '../../protocol/sd-jwt-credentials/verify.ts'
import type { NamedLists } from '../credentials/status-lists/named.ts'
import type { Dependencies } from '../dependencies.ts'
import { type FoundKey, type IssuerKeys, namesOf } from './issuer-keys.ts'
import { createSdJwtStatus } from './status.ts'
import type { TypeMetadataReader } from './type-metadata.ts'

export type { SdJwtVerdict } from '../../protocol/sd-jwt-credentials/verify.ts'

export interface SdJwtFound extends SdJwtVerdict {
  /** Types that its own extends by digests that the issuer has signed, of which its issuer is one that the tenant relies on. */
  extended: string[]
  /** Verified certificates of its signer and of who certified it; none where no certificate says who signed. */
  chain: readonly Certificate[]
}

export interface SdJwtVerifyRequest {
  payload: string
  /** Present: a key binding must be there, made for it. */
  keyBinding?: { nonce: string; audience: string }
  checkRevocation: boolean
  /** `where named`: of a credential with vct#integrity, if its type and those that it extends are addresses. */
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

  /** By what a policy knows the issuer (D-856), also where a trust list has the certificate of the signer alone (D-1087). */
  function judged(found: FoundKey, types: readonly string[]): JudgedCredential {
    const [issuer, ...authorities] = namesOf(found)
    return { format: 'sd-jwt-vc', issuer, authorities, types }
  }

  /** Anybody may publish a type that extends another one: its issuer must be one for the other type, too (D-939). */
  async function reliedOn(tenantId: string, found: FoundKey | undefined, types: readonly string[]): Promise<string[]> {
    if (!found) return []
    const kept: string[] = []
    for (const type of types) {
      const asked = judged(found, [type])
      if ((await policyGate.reasonsAgainst(tenantId, asked)).length === 0) kept.push(type)
    }
    return kept
  }

  return {
    async verify(tenantId: string, request: SdJwtVerifyRequest): Promise<SdJwtFound> {
      const { payload, keyBinding, checkRevocation, checkTypeMetadata, trustedIssuers } = request
      const trust = await trustGate.trustFor(tenantId, 'sd-jwt-vc')
      let known: { reference: IssuerReference; found: FoundKey } | undefined
      let assured: readonly string[] = []
      function assertTrusted(names: readonly string[]): void {
        if (trustedIssuers && !names.some((name) => trustedIssuers.includes(name)))
          throw faulty('IssuerKey', 'issuer_not_trusted', 'The issuer is not one of the trusted issuers.')
      }
      function assertRelied(issuer: string): void {
        assertTrusted([issuer])
        if (trust) listedBy(trust.find(issuer))
      }
      const verdict = await verifySdJwt(payload, {
        now: now(),
        toleranceMs: config.clockToleranceMs,
        keyBinding: keyBinding ?? 'unchecked',
        async issuerKey(reference) {
          // nothing is fetched for an issuer that is named and does not count; certificates come along
          if (reference.by !== 'x5c') assertRelied(reference.issuer)
          const found = await issuerKeys.find(tenantId, reference)
          assertTrusted(namesOf(found))
          known = { reference, found }
          return found
        },
        find: trust?.find,
        reasonsAgainst(issuer, types) {
          const found = known?.found
          return policyGate.reasonsAgainst(
            tenantId,
            found ? judged(found, types) : { format: 'sd-jwt-vc', issuer, types },
          )
        },
        ...(checkTypeMetadata && {
          async typeFaults(processed, vct, integrity) {
            if (checkTypeMetadata !== true && integrity === undefined) return []
            const checked = await typeMetadata.check(tenantId, processed, vct, integrity, {
              mayLackAddress: checkTypeMetadata !== true,
            })
            assured = checked?.assured ?? []
            return checked?.faults
          },
        }),
        ...(checkRevocation && {
          async statusOf(entry) {
            if (!known) throw new Error('the status of a credential is asked without its issuer')
            return status.stateIn(tenantId, entry, known.reference, known.found)
          },
        }),
      })
      const extended = verdict.verified ? await reliedOn(tenantId, known?.found, assured) : []
      return { ...verdict, extended, chain: known?.found.path ?? [] }
    },
  }
}

export type SdJwtVerifier = ReturnType<typeof createSdJwtVerifier>
