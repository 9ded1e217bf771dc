import { ApplicationFailure, proxyActivities } from '@temporalio/workflow'
import { quick, refusalCode } from '../../../workflows/options.ts'

export interface FrameActivities {
  repeat(input: { words: string }): Promise<{ words: string }>
  refuse(input: { words: string }): Promise<void>
  count(input: { name: string }): Promise<void>
}

const { repeat, refuse, count } = proxyActivities<FrameActivities>(quick)

export async function repeatWords(input: { words: string }): Promise<{ words: string }> {
  return repeat(input)
}

export async function failWithWords(input: { words: string }): Promise<void> {
  throw ApplicationFailure.nonRetryable(`failed on ${input.words}`)
}

/** The code of the refusal. */
export async function beRefused(input: { words: string }): Promise<string | undefined> {
  try {
    await refuse(input)
    return undefined
  } catch (error) {
    return refusalCode(error)
  }
}

export async function countOnce(input: { name: string }): Promise<void> {
  await count(input)
}

export async function tick(): Promise<void> {
  await count({ name: 'tick' })
}

/** So many activities at once. */
export async function repeatMany({ words, times }: { words: string; times: number }): Promise<void> {
  await Promise.all(Array.from({ length: times }, () => repeat({ words })))
}
