import type { Area } from '../area.ts'
import { InboxPage } from './inbox.tsx'
import { InboxesPage } from './inboxes.tsx'
import { MessagePage } from './message.tsx'
import { NewInboxPage } from './new.tsx'
import { SendPage } from './send.tsx'

export const inboxes: Area = {
  needs: ['messaging:read'],
  page({ standing, parts: [id, messages, messageId, ...rest] }) {
    const mayWrite = standing.scopes.has('messaging:write')
    if (id === undefined) return <InboxesPage standing={standing} />
    if (rest.length > 0) return undefined
    if (messages !== undefined)
      return messages === 'messages' && messageId !== undefined ? (
        <MessagePage inboxId={id} id={messageId} standing={standing} />
      ) : undefined
    if (id === 'new') return mayWrite ? <NewInboxPage /> : undefined
    if (id === 'send') return mayWrite ? <SendPage standing={standing} /> : undefined
    return <InboxPage id={id} standing={standing} />
  },
}
