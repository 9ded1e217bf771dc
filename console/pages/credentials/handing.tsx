import { save } from '../../frame/download.ts'
import { Copy, Json } from '../../frame/parts.tsx'
import { useTexts } from '../../texts/index.ts'
import { encodedOf, type Format, memberOf } from './formats.ts'

/** Name and type of the file that a holder gets. */
const FILES: Record<Format, { ending: string; type: string }> = {
  'web-semantic': { ending: 'json', type: 'application/vc' },
  compact: { ending: 'txt', type: 'text/plain' },
  'compact-semantic': { ending: 'txt', type: 'text/plain' },
  mobile: { ending: 'txt', type: 'text/plain' },
  'sd-jwt-vc': { ending: 'txt', type: 'application/dc+sd-jwt' },
}

/** The credential itself, without what the platform keeps beside it. */
const textOf = (format: Format, document: unknown): string =>
  format === 'web-semantic' ? JSON.stringify(memberOf(document, 'credential'), null, 2) : encodedOf(document)

interface HandingProps {
  id: string
  format: Format
  document: unknown
}

/** The credential to hand over: what its holder gets and a verifier reads. */
export function Handing({ id, format, document }: HandingProps) {
  const { credential } = useTexts()
  const text = textOf(format, document)
  const { ending, type } = FILES[format]
  return (
    <>
      <h2>{credential.handing}</h2>
      <p>{credential.handingHint}</p>
      <div class="actions">
        <button type="button" onClick={() => save(`${id}.${ending}`, new Blob([text], { type }))}>
          {credential.download}
        </button>
        <Copy text={text} />
      </div>
      <Json value={text} summary={credential.itself} />
    </>
  )
}
