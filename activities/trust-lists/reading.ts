import { DocumentFault, isOutboundFault, Refusal } from '../../protocol/errors.ts'
import { hasCome, isToCome } from '../../protocol/time.ts'
import { invalidSource, refuseSource } from '../../protocol/trust-lists/etsi/listed.ts'
import type { SourceFormat } from '../../protocol/trust-lists/sources.ts'
import { type Aged, isOlder, type KnownAge } from '../../protocol/trust-lists/standing.ts'
import type { Dependencies } from '../dependencies.ts'
import { OutboundFault } from '../frame/outbound/faults.ts'
import { createTexts, type Sharing } from './texts.ts'

const MAX_BYTES = 8 * 1024 * 1024
const TIMEOUT_MS = 15_000

/** What a reading of several texts has left for the next one. */
interface Bounds {
  maxBytes: number
  timeoutMs: number
  /** Why a text is refused that is within the bounds of every text, and not within these. */
  exceeded(): Refusal
}

/** Whether a text failed by what the ones before it have left of the bounds. */
const isExceeded = (error: unknown, { maxBytes, timeoutMs }: Bounds): boolean =>
  (error instanceof Refusal && error.code === 'outbound.too_large' && maxBytes < MAX_BYTES) ||
  (error instanceof OutboundFault && error.kind === 'timeout' && timeoutMs < TIMEOUT_MS)

const ACCEPT: Readonly<Record<SourceFormat, string>> = {
  'ts-119-602': 'application/jose, application/jwt, application/json;q=0.9, */*;q=0.1',
  'ts-119-612': 'application/vnd.etsi.tsl+xml, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.1',
}

/** What the readings of a list and of a list of lists have in common. */
export function createReading({
  outbound,
  now,
  config,
  log,
}: Pick<Dependencies, 'outbound' | 'now' | 'config' | 'log'>) {
  const texts = createTexts({ now })

  async function fetchText(tenantId: string, url: string, format: SourceFormat, left?: Bounds): Promise<string> {
    try {
      const maxBytes = Math.min(MAX_BYTES, left?.maxBytes ?? MAX_BYTES)
      const timeoutMs = Math.min(TIMEOUT_MS, left?.timeoutMs ?? TIMEOUT_MS)
      const request = { url, accept: ACCEPT[format], maxBytes, timeoutMs, readFor: tenantId }
      const { status, body } = await outbound.fetch(request)
      if (status === 200) return Buffer.from(body).toString('utf8')
      throw refuseSource('trust_list.source_unavailable', `The address of the list answered with status ${status}.`)
    } catch (error) {
      if (left && isExceeded(error, left)) throw left.exceeded()
      const isRefused = error instanceof Refusal && error.code.startsWith('outbound.')
      // too many calls of the platform wait for the host: that is no fact about the list
      const isBusy = error instanceof OutboundFault && error.kind === 'busy'
      if (isBusy || !(isRefused || isOutboundFault(error))) throw error
      throw refuseSource('trust_list.source_unavailable', `The list could not be read. ${error.message}`)
    }
  }

  return {
    /** `sharing`: the text may be one that was fetched for another list; undefined: it is fetched now. */
    fetched: (
      tenantId: string,
      url: string,
      format: SourceFormat,
      sharing: Sharing | undefined,
      left?: Bounds,
    ): Promise<string> => texts.text(`${format} ${url}`, sharing, () => fetchText(tenantId, url, format, left)),

    /** A list that our own code fails over is one that cannot be read: the other lists of the schedule go on. */
    async processed<List>(tenantId: string, url: string | undefined, work: () => Promise<List>): Promise<List> {
      try {
        return await work()
      } catch (err) {
        if (!(err instanceof DocumentFault)) throw err
        // what follows the host may be a secret
        log.error({ err, tenantId, host: url && new URL(url).host }, 'a trust list could not be processed')
        throw invalidSource('The list could not be processed.')
      }
    },

    /** A list that was replaced by the one that is known comes from somebody who kept it. `keys`: of its signers. */
    assertNewest(list: Aged, known: KnownAge | undefined, keys: readonly string[] | undefined): void {
      if (isToCome(list.issuedAt, { now: now(), toleranceMs: config.clockToleranceMs }))
        throw invalidSource('The list says that it was issued in the future.')
      if (isOlder(list, known, keys))
        throw refuseSource('trust_list.source_older', 'The list is older than the one that is known.')
    },

    /** A list that is over comes from somebody who kept it, too. */
    overdue(staleAt: Date | null): Refusal | undefined {
      if (!staleAt || !hasCome(staleAt, { now: now() })) return undefined
      return refuseSource(
        'trust_list.source_expired',
        'The next update of the list was due, and its time of grace is over.',
      )
    },
  }
}

export type Reading = ReturnType<typeof createReading>
