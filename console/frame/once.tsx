import { useTexts } from '../texts/index.ts'
import { Arrival } from './arrival.tsx'
import { Code, Copy } from './parts.tsx'

interface OnceProps {
  /** What was made. */
  title: string
  secrets: readonly (readonly [label: string, value: string])[]
}

/** What the platform shows only now: the page keeps it until it is left, and nowhere else. */
export function Once({ title, secrets }: OnceProps) {
  const { frame } = useTexts()
  return (
    <Arrival key={secrets.join()} class="success">
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
    </Arrival>
  )
}
