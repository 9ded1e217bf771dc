import { allHandlersFinished, condition, continueAsNew, proxyActivities, setHandler } from '@temporalio/workflow'
import type { DomainLooks } from '../activities/domains/look.ts'
import type { DomainLook, DomainSubject } from '../protocol/domains/look.ts'
import type { Payload } from '../protocol/workflows.ts'
import { signalOf, updateOf } from './contract.ts'
import { outward } from './options.ts'
import { createProgressLine } from './progress.ts'

const { lookUpDomain } = proxyActivities<DomainLooks>(outward)

/** Ends the wait for the next look: the domain was deleted, or another verification has begun. */
const changed = signalOf('verifyDomain', 'changed')
/** Looks at once, and answers with what was found. */
const lookNow = updateOf('verifyDomain', 'lookNow')

/** A look has about ten events, and ten requests may wait for it; Temporal takes 2,000 updates in a run. */
const LOOKS_PER_RUN = 100

/**
 * Shows operators why a domain waits. The line has the code alone: the reason names the domain, and is in the details,
 * which are encrypted.
 */
function createDomainLine({ domainId }: DomainSubject) {
  const showProgress = createProgressLine()
  return ({ status, fault, nextInMs }: DomainLook) => {
    const next = nextInMs === undefined ? '' : `, next check at ${new Date(Date.now() + nextInMs).toISOString()}`
    const line = `verify domain ${domainId}: ${status}${fault ? `, ${fault.code}` : ''}${next}`
    showProgress(line, fault ? `${line}\n\n${fault.reason}` : line)
  }
}

/** Looks for the TXT record of a domain until it is there, and again for as long as the domain is verified (D-347). */
export async function verifyDomain({
  looksPerRun = LOOKS_PER_RUN,
  ...subject
}: Payload<'verifyDomain'>): Promise<DomainLook['status']> {
  const show = createDomainLine(subject)
  let [requested, answered, isWoken] = [0, 0, false]
  let look: DomainLook = { status: 'WAITING' }
  setHandler(changed, () => {
    isWoken = true
  })
  setHandler(lookNow, async () => {
    requested += 1
    const own = requested
    await condition(() => answered >= own)
    return look
  })
  for (let looks = 1; ; looks += 1) {
    isWoken = false
    const underWay = requested // a request that comes during the look gets the next one
    look = await lookUpDomain(subject)
    answered = underWay
    show(look)
    if (look.nextInMs === undefined) {
      answered = Number.POSITIVE_INFINITY
      await condition(allHandlersFinished)
      return look.status
    }
    await condition(() => isWoken || requested > answered, look.nextInMs)
    if (looks < looksPerRun || requested > answered) continue
    await condition(allHandlersFinished)
    if (requested === answered) await continueAsNew<typeof verifyDomain>({ looksPerRun, ...subject })
  }
}
