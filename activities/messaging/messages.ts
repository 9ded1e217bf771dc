import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { InboxMessage } from '../../entities/messaging.ts'
import { inTenant } from '../../entities/orm.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Call, Operations } from '../frame/operations.ts'
import type { Sealer } from '../frame/sealing.ts'
import { assertInbox, type Page } from './inboxes.ts'
import { messageNotFound } from './refusals.ts'

export interface MessageRecord {
  id: string
  inboxId: string
  payload: string
  /** ISO time. */
  createdAt: string
}

/** What a sealed payload belongs to: it opens in no other row. */
export const placeOf = ({ tenantId, inboxId, id }: Pick<InboxMessage, 'tenantId' | 'inboxId' | 'id'>): string =>
  `message/${tenantId}/${inboxId}/${id}`

/** Bytes that are decrypted before other requests have their turn. */
const TURN_BYTES = 1024 * 1024

interface Parts extends Pick<Dependencies, 'database'> {
  operations: Operations
  messageSealer: Sealer
}

/** Messages of inboxes: list, read, delete. */
export function createMessages({ database, operations, messageSealer }: Parts) {
  const open = (row: InboxMessage): MessageRecord => ({
    id: row.id,
    inboxId: row.inboxId,
    payload: messageSealer.open(row.payload, placeOf(row)).toString(),
    createdAt: row.createdAt.toISOString(),
  })

  async function openAll(rows: readonly InboxMessage[]): Promise<MessageRecord[]> {
    const messages: MessageRecord[] = []
    let bytes = 0
    for (const row of rows) {
      messages.push(open(row))
      bytes += row.size
      if (bytes < TURN_BYTES) continue
      bytes = 0
      await nextTurn()
    }
    return messages
  }

  const find = async (em: SqlEntityManager, inboxId: string, id: string): Promise<InboxMessage> => {
    await assertInbox(em, inboxId)
    const row = await em.findOne(InboxMessage, { inboxId, id })
    if (!row) throw messageNotFound()
    return row
  }

  return {
    /** Newest first. */
    async listMessages(tenantId: string, inboxId: string, { limit, offset }: Page) {
      const [rows, total] = await inTenant(database.tenants, tenantId, async (em) => {
        await assertInbox(em, inboxId)
        const orderBy = { createdAt: 'desc', id: 'asc' } as const
        return em.findAndCount(InboxMessage, { inboxId }, { orderBy, limit, offset })
      })
      return { messages: await openAll(rows), total }
    },

    readMessage: async (tenantId: string, inboxId: string, id: string): Promise<MessageRecord> =>
      open(await inTenant(database.tenants, tenantId, (em) => find(em, inboxId, id))),

    async deleteMessage(call: Call, inboxId: string, id: string): Promise<void> {
      await operations.change(call, 'deleteMessage', { id, inboxId }, async (em) => {
        await assertInbox(em, inboxId)
        if ((await em.nativeDelete(InboxMessage, { inboxId, id })) === 0) throw messageNotFound()
      })
    },
  }
}

export type Messages = ReturnType<typeof createMessages>
