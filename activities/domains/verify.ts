import { TAKEN } from '../../protocol/domains/verification.ts'
import { Refusal, Unavailable } from '../../protocol/errors.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Call } from '../frame/operations.ts'
import { updateWorkflow } from '../frame/temporal/contract.ts'
import type { Tenants } from '../frame/tenants/index.ts'
import { type Domains, domainNotFound, domainTaken } from './lifecycle.ts'
import type { DomainLooks } from './look.ts'

interface Parts extends Pick<Dependencies, 'temporal' | 'log'> {
  domains: Domains
  looks: DomainLooks
  tenants: Pick<Tenants, 'forgetHost'>
}

/** Verification of a domain on request. */
export const createDomainVerification = ({ temporal, log, domains, looks, tenants }: Parts) => ({
  /**
   * Asks the workflow of a domain to look now. Where Temporal or the worker is away, this process looks itself: the row
   * has the result, and the workflow goes on from there. Throws `domain.not_verified` with what was found,
   * `domain.taken`, `domain.not_found`.
   */
  async verifyDomain({ tenantId }: Call, id: string): Promise<void> {
    const { domain, subject } = await domains.resumeVerification(tenantId, id)
    const look = await updateWorkflow(temporal, 'verifyDomain', 'lookNow', subject, { domain }).catch(
      (error: unknown) => {
        if (!(error instanceof Unavailable)) throw error
        log.warn({ err: error, ...subject }, 'a domain was looked up without its workflow')
        return looks.lookUpDomain(subject)
      },
    )
    tenants.forgetHost(domain)
    if (look.status === 'OVER') throw domainNotFound()
    if (look.fault?.code === TAKEN.code) throw domainTaken()
    if (look.fault)
      throw new Refusal('domain.not_verified', look.fault.reason, [
        { path: 'id', code: look.fault.code, message: 'expected a domain whose TXT record is its verificationToken' },
      ])
  },
})
