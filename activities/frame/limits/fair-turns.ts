/** A task whose turn has come. */
export interface Turn<Task> {
  task: Task
  /** Reports the cost of the task, once it has ended. */
  end(cost: number): void
}

export interface FairTurns<Task> {
  /** Number of waiting tasks. */
  size(): number
  sizeOf(tenantId: string): number
  /** Number of tenants with waiting or running tasks. */
  tenants(): number
  /** Number of tenants that are stored. */
  known(): number
  /** Expected cost of the waiting tasks. */
  expectedCost(): number
  add(tenantId: string, task: Task): void
  /** Returns false when the task does not wait any more. */
  remove(tenantId: string, task: Task): boolean
  /** Starts the next task; undefined when none may begin. */
  next(): Turn<Task> | undefined
}

export interface FairTurnsOptions {
  /** Tasks of one tenant that run at a time. */
  perTenant?: number
  /** Assumed cost of a tenant's first task. */
  firstCost?: number
}

interface Line<Task> {
  waiting: { task: Task; place: number }[]
  running: number
  /** The tenant's work so far, on a scale common to all tenants: the tenant with the least is next. */
  work: number
  /** Recent cost of its tasks, assumed for the running ones. */
  typicalCost: number
}

/** Most idle tenants whose work is stored. */
const KEPT = 1_000

/**
 * Start-time fair queueing (Goyal, Vin, Cheng 1996) among tenants, by what tasks have cost. A tenant that comes after a
 * pause begins where the others are: it owes nothing and has saved nothing. Within a tenant: first come, first served.
 */
export function createFairTurns<Task>(options: FairTurnsOptions = {}): FairTurns<Task> {
  const { perTenant = Number.POSITIVE_INFINITY, firstCost = 1 } = options
  const lines = new Map<string, Line<Task>>()
  /** The work at which the last task began, and at which a new tenant begins. */
  let level = 0
  let places = 0
  let size = 0

  const isIdle = ({ waiting, running }: Line<Task>) => waiting.length + running === 0

  function lineOf(tenantId: string): Line<Task> {
    const line = lines.get(tenantId) ?? { waiting: [], running: 0, work: level, typicalCost: firstCost }
    if (isIdle(line)) line.work = Math.max(line.work, level)
    lines.set(tenantId, line)
    return line
  }

  const firstPlace = ({ waiting: [first] }: Line<Task>) => first?.place ?? Number.POSITIVE_INFINITY

  const isBefore = (one: Line<Task>, other: Line<Task>) =>
    one.work < other.work || (one.work === other.work && firstPlace(one) < firstPlace(other))

  /** Drops idle tenants whose work is below the level, where they would begin anyway. */
  function forget() {
    for (const [tenantId, line] of lines)
      if (isIdle(line) && (line.work <= level || lines.size > KEPT)) lines.delete(tenantId)
  }

  function begin(line: Line<Task>, task: Task): Turn<Task> {
    const assumed = line.typicalCost
    size -= 1
    line.running += 1
    level = Math.max(level, line.work)
    line.work += assumed
    return {
      task,
      end(cost) {
        line.running -= 1
        line.work += cost - assumed
        line.typicalCost = (line.typicalCost + cost) / 2
        forget()
      },
    }
  }

  return {
    size: () => size,
    sizeOf: (tenantId) => lines.get(tenantId)?.waiting.length ?? 0,
    tenants: () => [...lines.values()].filter((line) => !isIdle(line)).length,
    known: () => lines.size,
    expectedCost: () => [...lines.values()].reduce((sum, line) => sum + line.waiting.length * line.typicalCost, 0),

    add(tenantId, task) {
      lineOf(tenantId).waiting.push({ task, place: places++ })
      size += 1
    },

    remove(tenantId, task) {
      const waiting = lines.get(tenantId)?.waiting ?? []
      const index = waiting.findIndex((entry) => entry.task === task)
      if (index < 0) return false
      waiting.splice(index, 1)
      size -= 1
      forget()
      return true
    },

    next() {
      let first: Line<Task> | undefined
      for (const line of lines.values()) {
        if (line.waiting.length === 0 || line.running >= perTenant) continue
        if (first === undefined || isBefore(line, first)) first = line
      }
      const entry = first?.waiting.shift()
      return first && entry && begin(first, entry.task)
    },
  }
}
