import { LRUCache } from 'lru-cache'
import { inTenant } from '../../../entities/orm.ts'
import type { Dependencies } from '../../dependencies.ts'
import { singleFlight } from '../../frame/caches.ts'
import { createPartChecks, type PartStates } from '../../frame/parts.ts'
import { type Figures, figures, type UnpublishedList, unpublished } from './statements.ts'

/** Whoever asks more often gets the same answer: nobody makes it expensive. */
const KEPT_MS = 2_000
const MOST_KEPT = 1_000
/** An idle worker polls anew each minute. */
const POLLED_SECONDS = 90

export interface Parts extends PartStates {
  /** unknown: Temporal, which knows it, does not answer. */
  worker: 'up' | 'down' | 'unknown'
}

export interface TenantHealth extends Figures {
  lists: UnpublishedList[]
}

/** Asks once at a time and for a while, for all who want to know. A failure is not kept. */
function kept<Answer extends object>() {
  const answers = new LRUCache<string, Answer>({ max: MOST_KEPT, ttl: KEPT_MS })
  const flight = singleFlight<Answer>()
  return async (name: string, ask: () => Promise<Answer>): Promise<Answer> =>
    answers.get(name) ??
    flight(name, async () => {
      const answer = await ask()
      answers.set(name, answer)
      return answer
    })
}

type Needed = 'config' | 'database' | 'systemSql' | 'sql' | 'keys' | 'temporal' | 'selfTest' | 'log' | 'now'

/** How the parts of the platform are, and what waits longer than it should. */
export function createHealth(dependencies: Pick<Dependencies, Needed>) {
  const { config, database, systemSql, temporal, log, now } = dependencies
  const check = createPartChecks(dependencies)
  const texts = { figures: figures(config.statusWindowSeconds), lists: unpublished(config.statusWindowSeconds) }
  const [parts, ofTenants, ofPlatform] = [kept<Parts>(), kept<TenantHealth>(), kept<Figures>()]

  async function worker(): Promise<Parts['worker']> {
    try {
      const at = await temporal.polledAt()
      return at !== undefined && now().getTime() - at.getTime() < POLLED_SECONDS * 1000 ? 'up' : 'down'
    } catch (error) {
      log.debug({ err: error }, 'Temporal does not say who polls')
      return 'unknown'
    }
  }

  const onlyOne = (rows: Figures[]): Figures => {
    if (rows[0]) return rows[0]
    throw new Error('the database returned no figures')
  }

  return {
    partsNow: (): Promise<Parts> =>
      parts('', async () => {
        const [states, polls] = await Promise.all([check(), worker()])
        return { ...states, worker: states.temporal === 'up' ? polls : 'unknown' }
      }),

    tenantNow: (tenantId: string): Promise<TenantHealth> =>
      ofTenants(tenantId, () =>
        inTenant(database.tenants, tenantId, async (em) => {
          const found = onlyOne(await em.execute<Figures[]>(texts.figures))
          const lists = found.listsUnpublished > 0 ? await em.execute<UnpublishedList[]>(texts.lists) : []
          return { ...found, lists }
        }),
      ),

    /** Of all tenants. */
    platformNow: (): Promise<Figures> =>
      ofPlatform('', async () => onlyOne((await systemSql.query<Figures>({ text: texts.figures, values: [] })).rows)),
  }
}
