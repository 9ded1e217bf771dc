import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { useTexts } from '../texts/index.ts'
import { go, useAddress, withQuery } from './router.tsx'

/** The filters of a list are in the address: a link shows the same, and the browser's back button works. */
export function useQuery(path: string) {
  const { query } = useAddress()
  const page = Number(query.get('page') ?? '1')
  const all = Object.fromEntries(query)
  return {
    query: all,
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
    /** Other filters begin on the first page. */
    filter: (form: FormData) =>
      go(
        withQuery(
          path,
          Object.fromEntries([...form].map(([name, value]) => [name, typeof value === 'string' ? value.trim() : ''])),
        ),
      ),
    turn: (to: number) => go(withQuery(path, { ...all, page: String(to) })),
    reset: () => go(path),
  }
}

interface FieldProps {
  label: string
  name: string
  value?: string
  type?: 'text' | 'datetime-local'
  pattern?: string
  title?: string
  list?: string
}

export function Field({ label, name, value = '', type = 'text', ...more }: FieldProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input id={id} name={name} type={type} defaultValue={value} autocomplete="off" spellcheck={false} {...more} />
    </div>
  )
}

interface ChoiceProps {
  label: string
  name: string
  value?: string
  choices: readonly (readonly [value: string, text: string])[]
}

/** One of a few values, or all of them. */
export function Choice({ label, name, value = '', choices }: ChoiceProps) {
  const id = useId()
  const { frame } = useTexts()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} name={name}>
        {[['', frame.all] as const, ...choices].map(([each, text]) => (
          <option key={each} value={each} selected={each === value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}

interface FiltersProps {
  /** What the filters are: when it changes, as by the back button, the fields show it. */
  state: string
  onFilter: (form: FormData) => void
  onReset: () => void
  search: string
  children: ComponentChildren
}

export function Filters({ state, onFilter, onReset, search, children }: FiltersProps) {
  const { credentials } = useTexts()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (event.currentTarget instanceof HTMLFormElement) onFilter(new FormData(event.currentTarget))
  }
  return (
    <search key={state} aria-label={credentials.filters}>
      <form class="filters" onSubmit={submit}>
        {children}
        <div class="actions">
          <button type="submit" class="primary">
            {search}
          </button>
          <button type="button" onClick={onReset}>
            {credentials.reset}
          </button>
        </div>
      </form>
    </search>
  )
}
