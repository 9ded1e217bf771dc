import type { DidService } from '../../protocol/dids/index.ts'
import { inboxService } from '../../protocol/messaging/addresses.ts'
import type { Dependencies } from '../dependencies.ts'
import { STANDS } from './standing.ts'

const REGISTERED = `select from inbox_dids r
where r.did = $1 and r.tenant_id = $2 and r.did_id is not null and ${STANDS} limit 1`

/**
 * The services that the documents of our DIDs have besides their keys: the place for messages, for as long as the DID is
 * registered with an inbox. Read for each document, so that a change of the registration is seen at once.
 */
export const createDidServices =
  ({ systemSql, config }: Pick<Dependencies, 'systemSql' | 'config'>) =>
  async (tenantId: string, did: string): Promise<DidService[]> => {
    const query = { name: 'did-is-registered', text: REGISTERED, values: [did, tenantId] }
    const { rows } = await systemSql.query(query)
    return rows.length > 0 ? [inboxService(did, config.publicUrl.href)] : []
  }
