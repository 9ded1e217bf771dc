export interface DomainSubject {
  tenantId: string
  domainId: string
  /** Number of the domain's verification. */
  attempt: number
}

/** What a look at a domain's TXT record found. */
export interface DomainLook {
  /** `OVER`: the verification was given up, or another one or none has its place. */
  status: 'WAITING' | 'VERIFIED' | 'GIVEN_UP' | 'OVER'
  /** Why the record does not prove the domain; absent where it does. */
  fault?: { code: string; reason: string }
  /** Absent at the end. */
  nextInMs?: number
}

export interface DomainRun extends DomainSubject {
  /** Looks until the workflow continues as a new run, to keep its history short. */
  looksPerRun?: number
}
