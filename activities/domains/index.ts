import type { Frame } from '../frame/index.ts'
import { createDomains } from './lifecycle.ts'
import { createDomainLooks, type DomainLooks } from './look.ts'
import { createDomainVerification } from './verify.ts'

/** Operations of custom domains. */
export function composeDomains(frame: Frame) {
  const domainLooks = createDomainLooks(frame)
  const domains = createDomains(frame)
  return {
    domains,
    domainLooks,
    domainVerification: createDomainVerification({ ...frame, domains, looks: domainLooks }),
  }
}

/** Activities of the workflows of domains. */
export const domainActivities = ({ domainLooks }: { domainLooks: DomainLooks }) => domainLooks
