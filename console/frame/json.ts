import { Problem } from '../../client/index.ts'
import { textOf } from './form.tsx'

/** The JSON that somebody typed into a field; `rule` is said at the field where it is none. */
export function jsonOf(form: FormData, name: string, rule: string): unknown {
  try {
    return JSON.parse(textOf(form, name) ?? '')
  } catch (error) {
    const message = error instanceof Error ? `${rule} ${error.message}` : rule
    throw new Problem(new Response(null, { status: 400 }), {
      detail: rule,
      errors: [{ path: name, code: 'json', message }],
    })
  }
}
