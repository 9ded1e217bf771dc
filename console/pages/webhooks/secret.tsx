import { Arrival } from '../../frame/arrival.tsx'
import { Copy } from '../../frame/parts.tsx'
import { useTexts } from '../../texts/index.ts'

/** The secret of a webhook, as the platform answered it to the request that set it: it never answers it again. */
export function Secret({ secret }: { secret: string }) {
  const { webhooks } = useTexts()
  return (
    <Arrival key={secret} class="success">
      <strong>{webhooks.secretOnce}</strong>
      <p>
        <code>{secret}</code> <Copy text={secret} />
      </p>
      <p>{webhooks.secretOnceHint}</p>
    </Arrival>
  )
}
