import { useTexts } from '../../texts/index.ts'
import { textOf } from '../form.tsx'
import { Inexact, type JsonRules, parseTyped, refusedAt } from './typed.ts'

/** The JSON that somebody typed into a field; what is wrong with it is said there. */
export function jsonOf(form: FormData, name: string, { rule, inexact }: JsonRules): unknown {
  try {
    return parseTyped(textOf(form, name) ?? '')
  } catch (error) {
    if (error instanceof Inexact) throw refusedAt(name, 'number', `${inexact} ${error.literal}`)
    const why = error instanceof Error ? ` ${error.message}` : ''
    throw refusedAt(name, 'json', rule + why)
  }
}

/** As `jsonOf`, with the words of the page for a number of too many digits; `rule` is said where it is no JSON. */
export function useJson() {
  const { frame } = useTexts()
  return (form: FormData, name: string, rule: string) => jsonOf(form, name, { rule, inexact: frame.inexact })
}
