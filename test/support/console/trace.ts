import type { Page } from 'playwright-core'

/** An event of Chromium's trace; times are in microseconds. */
interface TraceEvent {
  name: string
  ph: string
  pid: number
  tid: number
  dur?: number
  tdur?: number
  args?: { name?: string }
}

/**
 * What the browser did on the page's main thread while `work` ran: milliseconds of each task, in time of the thread, so that
 * what else the machine does is not held against the page.
 */
export async function traced(page: Page, work: () => Promise<void>): Promise<number[]> {
  const browser = page.context().browser()
  if (!browser) throw new Error('the page has no browser of its own')
  await browser.startTracing(page)
  let trace: Buffer
  try {
    await work()
  } finally {
    trace = await browser.stopTracing()
  }
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] }
  const main = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  )
  return traceEvents
    .filter(({ name, ph, pid, tid }) => name.endsWith('RunTask') && ph === 'X' && main.has(`${pid} ${tid}`))
    .map(({ tdur, dur = 0 }) => (tdur ?? dur) / 1_000)
}
