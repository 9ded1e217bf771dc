import type { Sql } from '../../entities/orm.ts'
import { Refusal } from '../../protocol/errors.ts'
import type { Sealer } from './sealing.ts'

/** How long a crashed request holds its key before a retry may continue. */
const LEASE_SECONDS = 30
/** How long an answer is kept for repeated requests. */
export const KEPT_HOURS = 24

/**
 * Seals the committed result of an unfinished request, from which its answer can be made without repeating the work.
 */
export const createEffects = (sealer: Sealer) => ({
  seal: (tenantId: string, key: string, result: unknown): Buffer =>
    sealer.seal(Buffer.from(JSON.stringify(result ?? null)), `effect/${tenantId}/${key}`),
  open: (tenantId: string, key: string, sealed: Uint8Array): unknown =>
    JSON.parse(sealer.open(sealed, `effect/${tenantId}/${key}`).toString()),
})
export type Effects = ReturnType<typeof createEffects>

/** An answer as it was sent. */
export interface Answer {
  status: number
  headers: Record<string, string>
  body: Buffer
}

const packAnswer = ({ status, headers, body }: Answer) =>
  Buffer.from(JSON.stringify({ status, headers, body: body.toString('base64') }))

const unpackAnswer = (packed: Buffer): Answer => {
  const { status, headers, body } = JSON.parse(packed.toString()) as Omit<Answer, 'body'> & { body: string }
  return { status, headers, body: Buffer.from(body, 'base64') }
}

interface Claimed {
  state: 'claimed' | 'answered' | 'running' | 'differs'
  found_effect: Buffer | null
  found_answer: Buffer | null
  since: string
}

/** A request's claim to its key. */
export interface Claim {
  key: string
  /**
   * Time of the key's first use, as PostgreSQL writes it. Key and time together identify all attempts of one request.
   */
  since: string
  /** The result that an earlier attempt of this request committed. */
  effect?: unknown
}

/** Idempotency-Key (draft-ietf-httpapi-idempotency-key-header): repeats the first answer, and never the effect. */
export const createIdempotency = ({ sql, sealer, effects }: { sql: Sql; sealer: Sealer; effects: Effects }) => ({
  /** Returns the first answer, or a claim with the effect of a crashed attempt, if any, to continue from. */
  async claim(tenantId: string, key: string, requestHash: Uint8Array): Promise<{ answer: Answer } | Claim> {
    const { rows } = await sql.query<Claimed>({
      name: 'claim-idempotency-key',
      text: 'select * from claim_idempotency_key($1, $2, $3, $4, $5)',
      values: [tenantId, key, requestHash, LEASE_SECONDS, KEPT_HOURS],
    })
    const claimed = rows[0]
    if (claimed?.state === 'differs')
      throw new Refusal(
        'idempotency.key_reused',
        'This Idempotency-Key was used for another request before. Use a new key for a new request.',
      )
    if (!claimed || claimed.state === 'running')
      throw new Refusal(
        'idempotency.in_flight',
        'A request with this Idempotency-Key is still being processed. Repeat it in a moment.',
      )
    if (claimed.found_answer)
      return { answer: unpackAnswer(sealer.open(claimed.found_answer, `answer/${tenantId}/${key}`)) }
    const claim = { key, since: claimed.since }
    if (!claimed.found_effect) return claim
    return { ...claim, effect: effects.open(tenantId, key, claimed.found_effect) }
  },

  async answer(tenantId: string, key: string, answer: Answer): Promise<void> {
    await sql.query({
      name: 'answer-idempotency-key',
      text: 'select answer_idempotency_key($1, $2, $3)',
      values: [tenantId, key, sealer.seal(packAnswer(answer), `answer/${tenantId}/${key}`)],
    })
  },

  /**
   * Releases the key after a failure without an answer to keep: the next attempt starts again, or from the effect. `forget`:
   * the key may come with another request; else the next attempt has the ids of this one.
   */
  async release(tenantId: string, key: string, { forget }: { forget: boolean }): Promise<void> {
    await sql.query({
      name: 'release-idempotency-key',
      text: 'select release_idempotency_key($1, $2, $3)',
      values: [tenantId, key, forget],
    })
  },
})
export type Idempotency = ReturnType<typeof createIdempotency>
