import { useEffect, useRef } from 'preact/hooks'

/** Asks again every `everyMs` while `isActive`, one question at a time, and not while nobody sees the page. */
export function usePoll(isActive: boolean, everyMs: number, isLoading: boolean, ask: () => void): void {
  const latest = useRef(ask)
  latest.current = ask
  useEffect(() => {
    if (!isActive || isLoading) return
    const look = () => !document.hidden && latest.current()
    const timer = setInterval(look, everyMs)
    document.addEventListener('visibilitychange', look)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', look)
    }
  }, [isActive, everyMs, isLoading])
}
