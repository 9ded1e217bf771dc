import type { ErasureKind } from '../../../protocol/administration/privacy/erasures.ts'
import type { Dependencies } from '../../dependencies.ts'
import { createSealer } from '../../frame/sealing.ts'
import { createBlindIndex } from '../../keys/blind-index.ts'

/** Seals whom an erasure is about, for its row alone. */
export function createSubjects({ config }: Pick<Dependencies, 'config'>) {
  const sealer = createSealer(config.masterKey, 'privacy')
  const index = createBlindIndex(config.masterKey, 'privacy-subjects')
  const boundTo = (tenantId: string, id: string) => `${tenantId}/privacy/erasures/${id}`
  return {
    /** Keyed: whoever has the database alone finds nobody by trying. */
    digest: (tenantId: string, kind: ErasureKind, subject: string): Buffer => index(tenantId, [kind, subject]),
    seal: (tenantId: string, id: string, subject: string): Buffer =>
      sealer.seal(Buffer.from(subject), boundTo(tenantId, id)),
    open: (tenantId: string, id: string, sealed: Uint8Array): string =>
      sealer.open(sealed, boundTo(tenantId, id)).toString('utf8'),
  }
}

export type Subjects = ReturnType<typeof createSubjects>
