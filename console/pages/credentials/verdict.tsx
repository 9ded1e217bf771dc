import { useTexts } from '../../texts/index.ts'
import { Outcome } from '../presentations/outcome.tsx'
import type { Verdict } from './formats.ts'

/** What the platform says of a credential: verified or not, with every reason and warning. */
export function Verified({ verdict: { verified, reasons, warnings, notMade } }: { verdict: Verdict }) {
  const { credential } = useTexts()
  return (
    <div class={verified ? 'success' : 'failure'}>
      <strong>
        <Outcome verified={verified} notMade={notMade} />
      </strong>
      {reasons.length > 0 && (
        <ul>
          {reasons.map(({ type, message }) => (
            <li key={`${type} ${message}`}>
              <code>{type}</code> {message}
            </li>
          ))}
        </ul>
      )}
      {warnings.length > 0 && (
        <>
          <p>
            <strong>{credential.warnings}</strong>
          </p>
          <ul>
            {warnings.map((message) => (
              <li key={message}>{message}</li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}
