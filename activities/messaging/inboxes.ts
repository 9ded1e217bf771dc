import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { Inbox } from '../../entities/messaging.ts'
import { inTenant, takeTurn } from '../../entities/orm.ts'
import { Refusal } from '../../protocol/errors.ts'
import { isLabel, LABEL_EXPECTED } from '../../protocol/names.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Call, Operations } from '../frame/operations.ts'
import { inboxNotFound } from './refusals.ts'

export interface InboxRecord {
  id: string
  name: string
}

export interface Page {
  limit: number
  offset: number
}

/** With MAX_BYTES of each (deliver.ts), what a tenant can have others store. */
export const MAX_INBOXES = 100

function checkName(name: string): string {
  if (isLabel(name)) return name
  throw new Refusal('request.invalid', 'The name of the inbox is not valid; see errors.', [
    { path: 'name', code: 'text', message: LABEL_EXPECTED },
  ])
}

/** Finds an inbox and locks it, so that what follows happens in an inbox that stays. */
export async function lockInbox(em: SqlEntityManager, id: string): Promise<Inbox> {
  const row = await em.findOne(Inbox, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!row) throw inboxNotFound()
  return row
}

export async function assertInbox(em: SqlEntityManager, id: string): Promise<void> {
  if ((await em.count(Inbox, { id })) === 0) throw inboxNotFound()
}

const toRecord = ({ id, name }: Inbox): InboxRecord => ({ id, name })

/** Inboxes: create, list, read, update, delete (specification, Messaging and DID cryptography). */
export function createInboxes({
  database,
  now,
  uuid,
  operations,
}: Pick<Dependencies, 'database' | 'now' | 'uuid'> & { operations: Operations }) {
  return {
    async createInbox(call: Call, input: { name: string }): Promise<InboxRecord> {
      const { tenantId } = call
      const [id, name] = [uuid(), checkName(input.name)]
      return operations.change(call, 'createInbox', { id }, async (em) => {
        // of two concurrent requests the second counts what the first created
        await takeTurn(em, `inboxes of ${tenantId}`)
        if ((await em.count(Inbox)) >= MAX_INBOXES)
          throw new Refusal('inbox.too_many', `A tenant can have ${MAX_INBOXES} inboxes. Delete one first.`)
        return toRecord(em.create(Inbox, { id, tenantId, name, createdAt: now() }))
      })
    },

    /** Newest first. */
    listInboxes: (tenantId: string, { limit, offset }: Page) =>
      inTenant(database.tenants, tenantId, async (em) => {
        const orderBy = { createdAt: 'desc', id: 'asc' } as const
        const [rows, total] = await em.findAndCount(Inbox, {}, { orderBy, limit, offset })
        return { inboxes: rows.map(toRecord), total }
      }),

    async readInbox(tenantId: string, id: string): Promise<InboxRecord> {
      const row = await inTenant(database.tenants, tenantId, (em) => em.findOne(Inbox, { id }))
      if (!row) throw inboxNotFound()
      return toRecord(row)
    },

    async updateInbox(call: Call, id: string, input: { name: string }): Promise<InboxRecord> {
      const name = checkName(input.name)
      return operations.change(call, 'updateInbox', { id }, async (em) => {
        const row = await lockInbox(em, id)
        row.name = name
        return toRecord(row)
      })
    },

    /** Deletes the inbox with its messages and registrations (D-386). */
    async deleteInbox(call: Call, id: string): Promise<void> {
      await operations.change(call, 'deleteInbox', { id }, async (em) => {
        if ((await em.nativeDelete(Inbox, { id })) === 0) throw inboxNotFound()
      })
    },
  }
}

export type Inboxes = ReturnType<typeof createInboxes>
