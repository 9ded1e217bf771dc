import { inTenant } from '../../entities/orm.ts'
import { statusListUrl } from '../../protocol/status-list/credential.ts'
import type { StatusPublisher } from '../credentials/status-lists/publish.ts'
import type { Dependencies } from '../dependencies.ts'
import { LIST_KIND } from './sign.ts'
import type { PublishedForms } from './status-lists.sign.ts'

interface Owner {
  id: string
  baseUrl: string
}

/** A list whose issuer was deleted cannot be signed any more, and is not among them. */
const LISTS = `from status_lists l join dids d on d.tenant_id = l.tenant_id and d.id = l.did_id and d.deleted_at is null
where l.kind = ?`

/** The published lists of a tenant. */
export const createPublishedLists = ({
  database,
  statusPublisher,
}: Pick<Dependencies, 'database'> & { statusPublisher: StatusPublisher }) => ({
  /** Newest first. */
  listLists({ id: tenantId, baseUrl }: Owner, { limit, offset }: { limit: number; offset: number }) {
    return inTenant(database.tenants, tenantId, async (em) => {
      const [counted] = await em.execute<{ total: number }[]>(`select count(*)::int as total ${LISTS}`, [LIST_KIND])
      const page = `select l.id, d.did as issuer ${LISTS} order by l.created_at desc, l.id limit ? offset ?`
      const rows = await em.execute<{ id: string; issuer: string }[]>(page, [LIST_KIND, limit, offset])
      const lists = rows.map(({ id, issuer }) => ({ id, issuer, url: statusListUrl(baseUrl, id, LIST_KIND) }))
      return { lists, total: counted?.total ?? 0 }
    })
  },

  /** Throws `status_list.not_found`, `Unavailable('keys')`. */
  async readList(tenantId: string, id: string): Promise<{ forms: PublishedForms; etag: string }> {
    const { credential, etag } = await statusPublisher.publishedList(tenantId, id, [LIST_KIND])
    return { forms: credential as PublishedForms & typeof credential, etag }
  },
})
