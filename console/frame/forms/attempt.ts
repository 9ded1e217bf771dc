import { useRef } from 'preact/hooks'
import { idempotencyKey, Problem } from '../../../client/index.ts'

/** Of these the platform keeps no answer (D-004): what was begun may go on, and the same key goes on with it. */
const NOT_KEPT = [401, 403, 408, 409, 429]
const isFinal = (error: unknown) => error instanceof Problem && error.status < 500 && !NOT_KEPT.includes(error.status)

/**
 * Writes that may be sent twice: the same question once more, as after a lost connection or a fault of the platform, keeps
 * its Idempotency-Key until it is answered for good, so that nothing is made twice. `part`: what no text can say, such as a
 * file.
 */
export function useAttempt() {
  const held = useRef<{ of: string; part: unknown; key: string } | undefined>(undefined)
  return async <Answer>(
    question: unknown,
    ask: (headers: ReturnType<typeof idempotencyKey>) => Promise<Answer>,
    part?: unknown,
  ): Promise<Answer> => {
    const of = JSON.stringify(question)
    if (held.current?.of !== of || held.current.part !== part) held.current = { of, part, key: crypto.randomUUID() }
    const { key } = held.current
    const answered = () => {
      if (held.current?.key === key) held.current = undefined
    }
    try {
      const answer = await ask(idempotencyKey(key))
      answered()
      return answer
    } catch (error) {
      if (isFinal(error)) answered()
      throw error
    }
  }
}
