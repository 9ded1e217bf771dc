import { useRef } from 'preact/hooks'
import { idempotencyKey, Problem } from '../../client/index.ts'

/**
 * Writes that may be sent twice: the same question once more, as after a lost connection, keeps its Idempotency-Key until
 * it is answered, so that nothing is made twice. `part`: what no text can say, such as a file.
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
      if (error instanceof Problem) answered()
      throw error
    }
  }
}
