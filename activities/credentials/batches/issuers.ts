import type { Signers } from '../../dids/signers.ts'
import type { BatchIssuers } from '../format.ts'
import { refuseIssuer } from '../refusals.ts'

/** Issuers that are DIDs of the tenant. */
export const didIssuers = (signers: Signers): BatchIssuers => ({
  /** The keys of a deleted issuer may be destroyed a moment before its DID is seen to be deleted. */
  goneCodes: ['credential.issuer_unknown', 'did.host_lost', 'key.not_found'],

  forget: (tenantId, did) => signers.forget(tenantId, did),

  async usable(tenantId, did) {
    signers.forget(tenantId, did)
    return (await signers.signerOf(tenantId, did, refuseIssuer('issuer'))).did
  },
})
