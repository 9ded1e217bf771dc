import { useTexts } from '../texts/index.ts'
import { useFocus } from './focus.ts'
import { Code, Copy } from './parts.tsx'

interface OnceProps {
  /** What was made. */
  title: string
  secrets: readonly (readonly [label: string, value: string])[]
}

/** What the platform shows only now: it has the focus, and the page keeps it until it is left, and nowhere else. */
export function Once({ title, secrets }: OnceProps) {
  const { frame } = useTexts()
  const place = useFocus<HTMLDivElement>(secrets.join())
  return (
    <div ref={place} class="success" role="status" tabIndex={-1}>
      <strong>{title}</strong>
      <p>{frame.onlyNow}</p>
      {secrets.map(([label, value]) => (
        <div key={label}>
          <p>
            {label} <Copy text={value} />
          </p>
          <Code text={value} label={label} />
        </div>
      ))}
    </div>
  )
}
