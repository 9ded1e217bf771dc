import { textOf } from '../../frame/form.tsx'

/** Days, or without end where nothing is typed. What is no number is left to the platform to refuse. */
export const daysOf = (form: FormData, name: string): number | null => {
  const text = textOf(form, name)
  return text === undefined ? null : Number(text)
}
