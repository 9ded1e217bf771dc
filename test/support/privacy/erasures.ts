import pg from 'pg'
import { until } from '../credentials/dids.ts'
import type { Reply, World as WholeWorld } from '../world.ts'

type World = Pick<WholeWorld, 'ask' | 'token'>

export const ERASURES = '/v1/privacy/erasures'
export const RETENTION = '/v1/privacy/retention'

export interface Erasure {
  id: string
  state: string
  step: string | null
  round: number
  by: string
  credentialStatus: string
  mentioned: number
  mentionedIds: string[]
  erased: Record<string, number>
  stays: { what: string; why: string }[]
}

export const erase = (world: World, body: object, token = world.token): Promise<Reply> =>
  world.ask(ERASURES, { token, body })

/** The erasure when nothing is left to erase. */
export const ended = (world: World, id: string, limitMs?: number): Promise<Erasure> =>
  until(
    'the end of an erasure',
    async () => {
      const found = (await world.ask(`${ERASURES}/${id}`, { token: world.token })).json<Erasure>()
      return found.state === 'ERASED' && found
    },
    limitMs,
  )

/** An erasure from its request to its end. */
export async function erased(world: World, body: object): Promise<Erasure> {
  const reply = await erase(world, body)
  if (reply.status !== 202) throw new Error(reply.text)
  return ended(world, reply.json<Erasure>().id)
}

export const typeOf = (reply: Reply): string | undefined =>
  reply.json<{ type?: string }>().type?.replace('/problems#', '')

/** As the superuser, who sees all rows of all tables. */
export async function openDatabase({ superuserUrl }: { superuserUrl: string }) {
  const client = new pg.Pool({ connectionString: superuserUrl, max: 3 })
  const rows = async <Row extends object>(text: string, ...values: unknown[]): Promise<Row[]> =>
    (await client.query(text, values)).rows as Row[]
  const { columns } = (
    await rows<{ columns: { name: string; column: string }[] }>(
      `select json_agg(json_build_object('name', c.relname, 'column', a.attname)) as columns
       from pg_class c join pg_attribute a on a.attrelid = c.oid
       where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped`,
    )
  )[0] ?? { columns: [] }

  return {
    rows,

    /** Every column of every table where a text stands, as text or within bytes. */
    async placesOf(text: string): Promise<string[]> {
      const found: string[] = []
      for (const { name, column } of columns) {
        const [hit] = await rows(
          `select 1 from ${name} r where strpos(r.${column}::text, $1) > 0 or strpos(r.${column}::text, $2) > 0 limit 1`,
          text,
          Buffer.from(text).toString('hex'),
        )
        if (hit) found.push(`${name}.${column}`)
      }
      return found.sort()
    },

    close: () => client.end(),
  }
}

export type Database = Awaited<ReturnType<typeof openDatabase>>
