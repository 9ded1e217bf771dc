import { useState } from 'preact/hooks'
import { type Doing, useDoing } from './load.ts'
import { Failure } from './parts.tsx'

export interface Acts extends Doing {
  /** What was done last, in words. */
  said: string
  /** How many acts were done. */
  count: number
  say(text: string): void
  /** Says what was done, and shows the object as it is now. */
  done(text: string): void
}

/** What may be done with an object of a page: one act at a time, with what came of it. */
export function useActs(reload: () => void): Acts {
  const doing = useDoing()
  const [said, say] = useState('')
  const [count, setCount] = useState(0)
  const done = (text: string) => {
    say(text)
    setCount((last) => last + 1)
    reload()
  }
  return { ...doing, said, count, say, done }
}

/** What came of the last act: what was done, or why not. */
export function Outcome({ acts: { said, error } }: { acts: Acts }) {
  return (
    <>
      <p role="status">{said}</p>
      <Failure error={error} />
    </>
  )
}
