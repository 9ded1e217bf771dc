import { useCallback, useEffect, useRef, useState } from 'preact/hooks'

export interface Loaded<Data> {
  /** Of the last answer: it stays while another one is asked for, so that nothing jumps. */
  data?: Data
  error?: unknown
  isLoading: boolean
  reload(): void
}

interface Answered<Data> {
  /** The last question that has an answer. */
  question?: string
  key?: string
  data?: Data
  error?: unknown
}

/** Asks when `key` changes, and shows the answer of the last question only. */
export function useLoad<Data>(key: string, ask: () => Promise<Data>): Loaded<Data> {
  const [answered, setAnswered] = useState<Answered<Data>>({})
  const [turn, setTurn] = useState(0)
  const question = `${turn} ${key}`
  const latest = useRef(ask)
  latest.current = ask
  useEffect(() => {
    let isLast = true
    latest.current().then(
      (data) => isLast && setAnswered({ question, key, data }),
      // what was answered to another question does not stand below its error
      (error: unknown) =>
        isLast && setAnswered((last) => ({ question, key, error, ...(last.key === key && { data: last.data }) })),
    )
    return () => {
      isLast = false
    }
  }, [question])
  const isLoading = answered.question !== question
  const reload = useCallback(() => setTurn((last) => last + 1), [])
  return { data: answered.data, error: isLoading ? undefined : answered.error, isLoading, reload }
}

export interface Doing {
  error?: unknown
  isBusy: boolean
  /** One at a time; what it throws is `error`. */
  run(work: () => Promise<void>): Promise<void>
  /** Forgets what the last one threw. */
  clear(): void
}

/** Something that a button does. */
export function useDoing(): Doing {
  const [state, setState] = useState<{ error?: unknown; isBusy: boolean }>({ isBusy: false })
  const busy = useRef(false)
  const run = useCallback(async (work: () => Promise<void>) => {
    if (busy.current) return
    busy.current = true
    setState({ isBusy: true })
    try {
      await work()
      setState({ isBusy: false })
    } catch (error) {
      setState({ error, isBusy: false })
    } finally {
      busy.current = false
    }
  }, [])
  const clear = useCallback(() => setState(({ isBusy }) => ({ isBusy })), [])
  return { ...state, run, clear }
}
