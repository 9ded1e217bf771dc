import { type ComponentChildren, createContext } from 'preact'
import { useContext, useId } from 'preact/hooks'
import { Problem } from '../../client/index.ts'
import { useDoing } from './load.ts'
import { Failure, languageOf } from './parts.tsx'

interface Fault {
  message: string
  lang: 'en' | undefined
}

/** What the API said of the last try, field by field. */
const FaultsContext = createContext<ReadonlyMap<string, Fault>>(new Map())

function faultsOf(error: unknown): ReadonlyMap<string, Fault> {
  if (!(error instanceof Problem)) return new Map()
  const lang = languageOf(error)
  return new Map(error.errors.map(({ path, message }) => [path, { message, lang }]))
}

interface FormProps {
  submit: string
  /** Its values are read by name, as the platform would name them in `errors[].path`. What it throws is shown. */
  onSubmit: (form: FormData) => Promise<void>
  isDangerous?: boolean
  children: ComponentChildren
}

/** A form that waits for its answer, and shows what the platform refuses at the fields that it names. */
export function Form({ submit, onSubmit, isDangerous = false, children }: FormProps) {
  const { run, error, isBusy } = useDoing()
  const send = (event: SubmitEvent) => {
    event.preventDefault()
    const { currentTarget } = event
    if (currentTarget instanceof HTMLFormElement) void run(() => onSubmit(new FormData(currentTarget)))
  }
  return (
    <FaultsContext.Provider value={faultsOf(error)}>
      <form class="form" onSubmit={send} aria-busy={isBusy}>
        {children}
        <Failure error={error} />
        <div class="actions">
          <button type="submit" class={isDangerous ? 'danger' : 'primary'} aria-disabled={isBusy}>
            {submit}
          </button>
        </div>
      </form>
    </FaultsContext.Provider>
  )
}

interface EntryProps {
  label: string
  /** As the platform names the member: `options.keyType`. */
  name: string
  hint?: ComponentChildren
}

/** A field with its label, its hint, and the rule that its value broke. */
function Entry({
  label,
  name,
  hint,
  field,
}: EntryProps & { field: (its: Record<string, unknown>) => ComponentChildren }) {
  const id = useId()
  const fault = useContext(FaultsContext).get(name)
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ')
  return (
    <div class="entry">
      <label for={id}>{label}</label>
      {field({ id, name, 'aria-invalid': fault ? true : undefined, 'aria-describedby': described || undefined })}
      {hint && (
        <p class="quiet" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {fault && (
        <p class="fault" id={`${id}-fault`} lang={fault.lang}>
          {fault.message}
        </p>
      )}
    </div>
  )
}

interface TextEntryProps extends EntryProps {
  value?: string
  type?: 'text' | 'url' | 'email' | 'number' | 'date' | 'datetime-local' | 'password'
  required?: boolean
  /** Lines: more than one is a text area. */
  lines?: number
  list?: string
  /** Of a number: `any` where it may have a fraction. */
  step?: string
  placeholder?: string
  autocomplete?: string
  onInput?: (value: string) => void
}

export function TextEntry({
  label,
  name,
  hint,
  value = '',
  type = 'text',
  lines = 1,
  onInput,
  autocomplete = 'off',
  ...more
}: TextEntryProps) {
  const input = (event: { currentTarget: { value: string } }) => onInput?.(event.currentTarget.value)
  // Preact's types know which kinds of field have lists; here the caller does
  const typed: Record<string, unknown> = { ...more, type, autocomplete }
  const field = (its: Record<string, unknown>) =>
    lines > 1 ? (
      <textarea
        {...its}
        required={more.required}
        placeholder={more.placeholder}
        rows={lines}
        defaultValue={value}
        spellcheck={false}
        onInput={input}
      />
    ) : (
      <input {...its} {...typed} defaultValue={value} spellcheck={false} onInput={input} />
    )
  return <Entry label={label} name={name} hint={hint} field={field} />
}

/** So that a file that was corrected since can be chosen again: to a browser its name is no other one. */
export const chooseAgain = ({ currentTarget }: { currentTarget: HTMLInputElement }): void => {
  currentTarget.value = ''
}

/** A file that the reader chooses: the form has it as `File`. */
export function FileEntry({
  label,
  name,
  hint,
  accept,
  required,
}: EntryProps & { accept: string; required?: boolean }) {
  const field = (its: Record<string, unknown>) => (
    <input {...its} type="file" accept={accept} required={required} onClick={chooseAgain} />
  )
  return <Entry label={label} name={name} hint={hint} field={field} />
}

interface SelectEntryProps extends EntryProps {
  value?: string
  choices: readonly (readonly [value: string, text: string])[]
  onChange?: (value: string) => void
}

export function SelectEntry({ label, name, hint, value, choices, onChange }: SelectEntryProps) {
  const field = (its: Record<string, unknown>) => (
    <select {...its} onChange={({ currentTarget }) => onChange?.(currentTarget.value)}>
      {choices.map(([each, text]) => (
        <option key={each} value={each} selected={each === value}>
          {text}
        </option>
      ))}
    </select>
  )
  return <Entry label={label} name={name} hint={hint} field={field} />
}

interface CheckEntryProps extends EntryProps {
  isChecked?: boolean
  required?: boolean
  value?: string
  onChange?: (isChecked: boolean) => void
}

/** A box: its value, `on` unless told, is in the form when it is checked. */
export function CheckEntry({
  label,
  name,
  hint,
  isChecked = false,
  required,
  value = 'on',
  onChange,
}: CheckEntryProps) {
  const id = useId()
  return (
    <div class="entry">
      <label class="check">
        <input
          type="checkbox"
          name={name}
          value={value}
          defaultChecked={isChecked}
          required={required}
          aria-describedby={hint ? id : undefined}
          onChange={({ currentTarget }) => onChange?.(currentTarget.checked)}
        />
        {label}
      </label>
      {hint && (
        <p class="quiet" id={id}>
          {hint}
        </p>
      )}
    </div>
  )
}

/** The text of a field; undefined when nothing is in it. */
export const textOf = (form: FormData, name: string): string | undefined => {
  const value = form.get(name)
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

/** The words of a text, which blanks or commas part. */
export const wordsOf = (text: string | undefined): string[] => text?.split(/[\s,]+/).filter(Boolean) ?? []

const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** Each certificate of a text, and at the end what else it has, so that the platform says what it expects. */
export function certificatesIn(text: string | undefined): string[] {
  const rest = text?.replaceAll(PEM, '').trim()
  return [...(text?.match(PEM) ?? []), ...(rest ? [rest] : [])]
}

/** A password as it was typed: blanks at its ends belong to it. */
export function secretOf(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}
