import { useTexts } from '../../texts/index.ts'
import type { Verdict } from './formats.ts'

/** What the platform says of a credential: verified or not, with every reason and warning. */
export function Verified({ verdict: { verified, reasons, warnings } }: { verdict: Verdict }) {
  const { credential } = useTexts()
  return (
    <div class={verified ? 'success' : 'failure'}>
      <strong>{verified ? credential.verified : credential.notVerified}</strong>
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
