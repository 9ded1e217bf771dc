import { DocumentFault, isOutboundFault, Refusal } from '../../protocol/errors.ts'
import { HOUR_MS, hasCome, isToCome, LAST_MOMENT } from '../../protocol/time.ts'
import { invalidSource, refuseSource } from '../../protocol/trust-lists/etsi/listed.ts'
import type { ListFacts, SourceFormat } from '../../protocol/trust-lists/sources.ts'
import type { Dependencies } from '../dependencies.ts'

const MAX_BYTES = 8 * 1024 * 1024
const TIMEOUT_MS = 15_000

const ACCEPT: Readonly<Record<SourceFormat, string>> = {
  'ts-119-602': 'application/jose, application/jwt, application/json;q=0.9, */*;q=0.1',
  'ts-119-612': 'application/vnd.etsi.tsl+xml, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.1',
}

/** What a list says of its age. */
interface Aged {
  sequence: number
  issuedAt: Date
}

/** What is known of the list that it takes the place of. */
interface KnownAge {
  sequenceNumber: number
  issuedAt: string
}

/** When lists count no more whose next updates are these: when the first of them was due, and its grace is over. */
export function staleAtOf(nextUpdates: readonly (Date | undefined)[], graceHours: number): Date | null {
  const due = nextUpdates.flatMap((next) => (next ? [next.getTime()] : []))
  return due.length === 0 ? null : new Date(Math.min(Math.min(...due) + graceHours * HOUR_MS, LAST_MOMENT))
}

/** When the list, and the list of lists that names its signers, are due to be replaced. */
export const nextUpdatesOf = ({ nextUpdate, listOfLists }: ListFacts): Date[] =>
  [nextUpdate, listOfLists?.nextUpdate].flatMap((at) => (at ? [new Date(at)] : []))

/** What the readings of a list and of a list of lists have in common. */
export function createReading({
  outbound,
  now,
  config,
  log,
}: Pick<Dependencies, 'outbound' | 'now' | 'config' | 'log'>) {
  return {
    async fetched(tenantId: string, url: string, format: SourceFormat): Promise<string> {
      try {
        const request = { url, accept: ACCEPT[format], maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS, readFor: tenantId }
        const { status, body } = await outbound.fetch(request)
        if (status === 200) return Buffer.from(body).toString('utf8')
        throw refuseSource('trust_list.source_unavailable', `The address of the list answered with status ${status}.`)
      } catch (error) {
        const isOfNetwork = isOutboundFault(error) || (error instanceof Refusal && error.code.startsWith('outbound.'))
        if (!isOfNetwork) throw error
        throw refuseSource('trust_list.source_unavailable', `The list could not be read. ${error.message}`)
      }
    },

    /** A list that our own code fails over is one that cannot be read: the other lists of the schedule go on. */
    async processed<List>(tenantId: string, url: string | undefined, work: () => Promise<List>): Promise<List> {
      try {
        return await work()
      } catch (err) {
        if (!(err instanceof DocumentFault)) throw err
        log.error({ err, tenantId, url }, 'a trust list could not be processed')
        throw invalidSource('The list could not be processed.')
      }
    },

    /** A list that is over, or that was replaced by the one that is known, comes from somebody who kept it. */
    assertNewest({ sequence, issuedAt }: Aged, staleAt: Date | null, known: KnownAge | undefined): void {
      if (isToCome(issuedAt, { now: now(), toleranceMs: config.clockToleranceMs }))
        throw invalidSource('The list says that it was issued in the future.')
      if (staleAt && hasCome(staleAt, { now: now() }))
        throw refuseSource(
          'trust_list.source_expired',
          'The next update of the list was due, and its time of grace is over.',
        )
      const isOlder =
        known &&
        (sequence < known.sequenceNumber ||
          (sequence === known.sequenceNumber && issuedAt.getTime() < Date.parse(known.issuedAt)))
      if (isOlder) throw refuseSource('trust_list.source_older', 'The list is older than the one that is known.')
    },
  }
}

export type Reading = ReturnType<typeof createReading>
