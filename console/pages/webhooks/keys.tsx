import type { Schemas } from '../../../client/index.ts'
import { useLoad } from '../../frame/load.ts'
import { Copy, Curl, Heading, Json, Shown } from '../../frame/parts.tsx'
import { api } from '../../frame/session.ts'
import { type Column, Table } from '../../frame/table.tsx'
import { useTexts } from '../../texts/index.ts'

type Key = Schemas['WebhookJwkOut']

const PATH = '/v1/webhooks/jwks'

/** The public keys of deliveries, and what a receiver does with them. */
export function KeySetPage() {
  const { webhooks } = useTexts()
  const loaded = useLoad('', () => api.get(PATH))
  const address = location.origin + PATH
  const columns: Column<Key>[] = [
    [webhooks.keyId, ({ kid }) => <code>{kid}</code>],
    [webhooks.algorithm, ({ alg, crv }) => `${alg} (${crv})`],
    [webhooks.publicKey, ({ x }) => <code>{x}</code>],
  ]
  return (
    <>
      <Heading title={webhooks.keySet}>{webhooks.keySet}</Heading>
      <p>
        <code>{address}</code> <Copy text={address} />
      </p>
      <Shown loaded={loaded}>
        {(keySet) => (
          <>
            <Table label={webhooks.keySet} columns={columns} rows={keySet.keys} keyOf={({ kid }) => kid} />
            <Json value={keySet} summary="JWKS" />
          </>
        )}
      </Shown>
      <h2>{webhooks.receiver}</h2>
      <ol>
        {webhooks.receiverSteps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <Curl path={PATH} />
    </>
  )
}
