import { useFocus } from '../../frame/focus.ts'
import { Copy } from '../../frame/parts.tsx'
import { useTexts } from '../../texts/index.ts'

/** The secret of a webhook, as the platform answered it to the request that set it: it never answers it again, and it has the focus. */
export function Secret({ secret }: { secret: string }) {
  const { webhooks } = useTexts()
  const place = useFocus<HTMLDivElement>(secret)
  return (
    <div ref={place} class="success" role="status" tabIndex={-1}>
      <strong>{webhooks.secretOnce}</strong>
      <p>
        <code>{secret}</code> <Copy text={secret} />
      </p>
      <p>{webhooks.secretOnceHint}</p>
    </div>
  )
}
