import { Refusal } from '../../protocol/errors.ts'
import { jwsAlgorithm } from '../../protocol/jws.ts'
import { metadataUrlOf } from '../../protocol/sd-jwt-credentials/issuers.ts'
import { statusListUrl } from '../../protocol/status-list/credential.ts'
import type { StatusListKind } from '../../protocol/status-list/index.ts'
import { lastHourOf } from '../../protocol/time.ts'
import { LIST_KIND as DID_LIST } from '../compact-credentials/sign.ts'
import { refuseIssuer } from '../credentials/refusals.ts'
import type { StatusEntries, StatusListOwner } from '../credentials/status-lists/allocation.ts'
import type { Signers } from '../dids/signers.ts'
import type { Tenants } from '../frame/tenants/index.ts'
import { LIST_KIND as SIGNER_LIST } from '../mobile-credentials/sign.ts'
import type { MobileSigners } from '../mobile-credentials/signers.ts'
import type { SdJwtTerms } from './terms.ts'

/** Keys of DIDs that sign, best first: ES256, EdDSA, ES384. */
export const KEY_TYPES = ['p256', 'ed25519', 'p384'] as const

/** An issuer that can sign now. */
export interface SdJwtIssuer {
  /** `iss`; absent where the certificate says who it is. */
  iss: string | undefined
  /** As policies know it. */
  judged: string
  /** As batches know it: its DID, or the id of the document signer. */
  name: string
  didId: string | null
  documentSignerId?: string
  keyType: string
  header: { kid: string } | { x5c: string[] }
  sign(data: Uint8Array): Promise<Uint8Array>
  /** Takes an entry of a list that the same issuer signs. */
  takeEntry(together: number): Promise<{ listId: string; index: number; url: string }>
  /** The end of a credential that is issued at `at`. Throws `Refusal('credential.invalid')` where it cannot end then. */
  endOf(wanted: Date | undefined, at: Date): Date | undefined
  /** The beginning of its certificate: nothing was issued before. */
  notBefore?: Date
}

interface Parts {
  tenants: Pick<Tenants, 'byId'>
  entries: StatusEntries
  signers: Signers
  mobileSigners: MobileSigners
}

type Wanted = Pick<SdJwtTerms, 'issuedAs' | 'issuerDid' | 'documentSignerId'>

const wrongIssuer = (path: string, message: string) =>
  new Refusal('credential.invalid', 'The credential names an issuer of another kind.', [
    { path, code: 'issuer', message },
  ])

/**
 * Issuers of SD-JWT VC credentials: DIDs, whose keys sign as the DID itself or as the tenant's address, and document
 * signers with their certificates. Their status lists are those of compact and of mobile credentials, since a Token Status
 * List says nothing of the format.
 */
export function createSdJwtIssuers({ tenants, entries, signers, mobileSigners }: Parts) {
  async function takeEntry(owner: StatusListOwner & { kind: StatusListKind }, together: number) {
    const { listId, index } = await entries.take(owner, together)
    const { baseUrl } = await tenants.byId(owner.tenantId)
    return { listId, index, url: statusListUrl(baseUrl, listId, owner.kind) }
  }

  /** The DID that a request names, or that the tenant chose (D-246). */
  async function didOf(tenantId: string, did: string | undefined, field: string): Promise<string> {
    if (did === '') throw refuseIssuer(field)({ kind: 'unknown', expected: 'expected a DID of /v1/dids' })
    const chosen = did ?? (await signers.chosen(tenantId, KEY_TYPES, refuseIssuer(field)))
    if (chosen !== undefined) return chosen
    throw new Refusal('credential.issuer_unknown', 'The tenant has no DID that can sign SD-JWT VC credentials.', [
      { path: field, code: 'issuer', message: 'expected a DID with a p256, ed25519 or p384 key' },
    ])
  }

  async function ofDid(tenantId: string, { issuedAs, issuerDid }: Wanted, field: string): Promise<SdJwtIssuer> {
    const { baseUrl } = await tenants.byId(tenantId)
    if (issuedAs === 'https' && metadataUrlOf(baseUrl) === undefined)
      throw wrongIssuer('issued_as', 'expected did or x5c: the address of the platform is not https')
    const did = await didOf(tenantId, issuerDid, field)
    const { didId, withKey } = await signers.signerOf(tenantId, did, refuseIssuer(field))
    const signer = withKey({ keyTypes: KEY_TYPES, neededBy: 'an SD-JWT VC' })
    const iss = issuedAs === 'https' ? baseUrl : did
    const proofType = jwsAlgorithm(signer.keyType)
    return {
      iss,
      judged: iss,
      name: did,
      didId,
      keyType: signer.keyType,
      header: { kid: signer.verificationMethod },
      sign: signer.sign,
      takeEntry: (together) =>
        takeEntry({ tenantId, issuerId: didId, kind: DID_LIST, purpose: 'revocation', proofType }, together),
      endOf: (wanted) => wanted,
    }
  }

  async function ofDocumentSigner(tenantId: string, id: string | undefined): Promise<SdJwtIssuer> {
    const signer = await mobileSigners.signerOf(tenantId, id)
    const { iacaId, certificate, notAfter } = signer
    return {
      iss: undefined,
      judged: signer.authority(),
      name: signer.id,
      didId: null,
      documentSignerId: signer.id,
      keyType: 'p256',
      notBefore: signer.notBefore,
      header: { x5c: [Buffer.from(certificate).toString('base64')] },
      sign: (data) => signer.sign(data),
      takeEntry: (together) =>
        takeEntry(
          { tenantId, issuerId: iacaId, kind: SIGNER_LIST, purpose: 'revocation', proofType: 'ES256' },
          together,
        ),
      // nobody verifies it after the end of the certificate
      endOf(wanted, at) {
        if (wanted === undefined) return lastHourOf(notAfter, at)
        if (wanted <= notAfter) return wanted
        throw new Refusal('credential.invalid', 'The credential cannot be valid for this time.', [
          {
            path: '/exp',
            code: 'claim.time',
            message: `expected a time until ${notAfter.toISOString()}, the end of the document signer's certificate`,
          },
        ])
      },
    }
  }

  return {
    /** Throws `credential.issuer_*`, `document_signer.*`; `credential.invalid` for an issuer of another kind. */
    async issuerOf(tenantId: string, wanted: Wanted, field: string): Promise<SdJwtIssuer> {
      const isSigner = wanted.issuedAs === 'x5c'
      if (isSigner && wanted.issuerDid !== undefined)
        throw wrongIssuer(field, 'expected none: a document signer signs with x5c')
      if (!isSigner && wanted.documentSignerId !== undefined)
        throw wrongIssuer('document_signer_id', 'expected only with issued_as x5c')
      return isSigner ? ofDocumentSigner(tenantId, wanted.documentSignerId) : ofDid(tenantId, wanted, field)
    },

    /** This process looks at the document signers of the tenant anew. */
    forget: (tenantId: string) => mobileSigners.forget(tenantId),
  }
}

export type SdJwtIssuers = ReturnType<typeof createSdJwtIssuers>
