import { CheckEntry, Form, SelectEntry, TextEntry } from '../../frame/form.tsx'
import { useLoad } from '../../frame/load.ts'
import { Failure } from '../../frame/parts.tsx'
import { api } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'
import type { Entry, FieldName } from './kinds.ts'

const REQUIRED = new Set<FieldName>(['slug', 'name', 'title', 'author_id'])
const LINES: Partial<Record<FieldName, number>> = { content: 16, excerpt: 3, description: 3 }
/** As many as one answer has. */
const MOST = 100

function Category({ value }: { value: string }) {
  const { content } = useTexts()
  const { data, error } = useLoad('', () => api.get('/v1/blog/categories', { params: { query: { limit: MOST } } }))
  const named = (data?.data ?? []).map(({ id, name }) => [id, name] as const)
  // the field keeps what the entry has, while the names are on their way
  const choices = value && !named.some(([id]) => id === value) ? [[value, value] as const, ...named] : named
  return (
    <>
      <SelectEntry
        key={choices.length}
        label={content.fields.category_id}
        name="category_id"
        value={value}
        choices={choices}
        hint={content.hints.category_id}
      />
      <Failure error={error} />
    </>
  )
}

function Field({ name, entry }: { name: FieldName; entry: Entry }) {
  const { content } = useTexts()
  const value = String(entry[name] ?? '')
  const label = content.fields[name]
  if (name === 'is_published')
    return (
      <CheckEntry label={label} name={name} isChecked={entry.is_published === 1} hint={content.hints.is_published} />
    )
  if (name === 'category_id') return <Category value={value} />
  const hints: Partial<Record<FieldName, string>> = content.hints
  return (
    <TextEntry
      label={label}
      name={name}
      value={value}
      lines={LINES[name] ?? 1}
      required={REQUIRED.has(name)}
      {...(hints[name] && { hint: hints[name] })}
    />
  )
}

interface ContentFormProps {
  fields: readonly FieldName[]
  entry: Entry
  submit: string
  onSubmit: (form: FormData) => Promise<void>
}

/** The Markdown is edited as text. The console draws none of the HTML that is made of it. */
export function ContentForm({ fields, entry, submit, onSubmit }: ContentFormProps) {
  return (
    <Form submit={submit} onSubmit={onSubmit}>
      {fields.map((name) => (
        <Field key={name} name={name} entry={entry} />
      ))}
    </Form>
  )
}
