import type { Schemas } from '../../../client/index.ts'
import { Confirm } from '../../frame/dialogs/confirm.tsx'
import { useLoad } from '../../frame/load.ts'
import { Code, Copy, Curl, Facts, Heading, Shown, Time } from '../../frame/parts.tsx'
import { go, Link, pathOf } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'
import { contentOf } from './content.ts'

function Payload({ message: { payload } }: { message: Schemas['MessageOut'] }) {
  const { inboxes } = useTexts()
  const { json } = contentOf(payload)
  return (
    <>
      <Copy text={payload} />
      <Code text={json === undefined ? payload : JSON.stringify(json, null, 2)} label={inboxes.message} />
    </>
  )
}

/** A message as it came. */
export function MessagePage({ inboxId, id, standing }: { inboxId: string; id: string; standing: Standing }) {
  const { inboxes } = useTexts()
  const path = { params: { path: { id: inboxId, messageId: id } } }
  const loaded = useLoad(id, () => api.get('/v1/messaging/inboxes/{id}/messages/{messageId}', path))
  const remove = async () => {
    await api.delete('/v1/messaging/inboxes/{id}/messages/{messageId}', path)
    go(pathOf('inboxes', inboxId))
  }
  return (
    <>
      <Heading title={`${inboxes.message} ${id}`}>{inboxes.message}</Heading>
      <Shown loaded={loaded}>
        {(message) => {
          const { type, from } = contentOf(message.payload)
          return (
            <>
              <Facts
                facts={[
                  [inboxes.came, <Time at={message.createdAt} />],
                  [inboxes.inbox, <Link href={pathOf('inboxes', inboxId)}>{inboxId}</Link>],
                  [inboxes.id, <code>{id}</code>],
                  [inboxes.type, type && <bdi>{type}</bdi>],
                  [inboxes.from, from && <code>{from}</code>],
                ]}
              />
              {standing.scopes.has('messaging:write') && (
                <div class="actions">
                  <Confirm
                    isDangerous
                    action={inboxes.delete}
                    question={inboxes.deleteMessageAsk}
                    text={inboxes.deleteMessageText}
                    run={remove}
                  />
                </div>
              )}
              <Payload message={message} />
            </>
          )
        }}
      </Shown>
      <Curl path={`/v1/messaging/inboxes/${inboxId}/messages/${id}`} />
    </>
  )
}
