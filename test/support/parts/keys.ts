import { randomUUID } from 'node:crypto'
import type { EnvelopeRow, EnvelopeRows } from '../../../activities/keys/envelope.ts'
import type { KeyRef, KeyType } from '../../../activities/keys/index.ts'
import { Refusal, Unavailable } from '../../../protocol/errors.ts'

export const newRef = (keyType: KeyType, tenantId: string = randomUUID()): KeyRef => ({
  tenantId,
  keyId: randomUUID(),
  keyType,
})

/** Envelopes in memory, with a count of the looks into them. */
export function memoryEnvelopes() {
  const rows = new Map<string, EnvelopeRow>()
  const name = (ref: KeyRef) => [ref.tenantId, ref.keyId, ref.keyType].join('/')
  const envelopes: EnvelopeRows & { finds: number; rows: Map<string, EnvelopeRow> } = {
    rows,
    finds: 0,
    async insert(ref, row) {
      if (!rows.has(name(ref))) rows.set(name(ref), row)
    },
    async find(ref) {
      envelopes.finds += 1
      return rows.get(name(ref))
    },
    async remove(ref) {
      rows.delete(name(ref))
    },
  }
  return envelopes
}

/** The code of the refusal that `work` ends in; `unavailable` for `Unavailable`; `none` when it goes well. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'none'
  } catch (error) {
    if (error instanceof Refusal) return error.code
    if (error instanceof Unavailable) return 'unavailable'
    throw error
  }
}
