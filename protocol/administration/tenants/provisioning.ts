/** A tenant that the first tenant's operators work on. */
export interface TenantSubject {
  /** The first tenant: what operators do is its work, and its log has it. */
  tenantId: string
  /** The tenant that is made or deleted. */
  subjectTenantId: string
}

/** What is made for a new tenant besides its rows, when its creation asks for it. */
export interface WantedOfTenant {
  /** The request that asked for it. */
  requestId?: string
  /** A did:key with a key of this type, as the tenant's default issuer. */
  did?: { keyType: string }
  /** An IACA with a key of its own, for mobile credentials. */
  iaca?: { country: string; commonName?: string; stateOrProvinceName?: string }
}
