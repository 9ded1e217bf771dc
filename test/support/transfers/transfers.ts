import { gunzipSync, gzipSync } from 'node:zlib'
import { chained } from '../../../protocol/administration/transfers/file.ts'
import type { Json } from '../../../protocol/json.ts'
import { newSubdomain, TENANTS, tenantsOf } from '../administration.ts'
import { until } from '../credentials/dids.ts'
import type { Reply, World } from '../world.ts'

export interface ExportAnswer {
  id: string
  tenantId: string
  state: string
  counts: { kind: string; rows: number }[]
  lines: number
  size: number
  reason: { code: string } | null
  createdAt: string
  expiresAt: string
}

export interface ImportAnswer {
  id: string
  state: string
  tenantId: string
  subdomain: string
  keepsIds: boolean
  lines: number
  counts: { kind: string; rows: number }[]
  needs: { kind: string; id: string; name: string; what: string; operation: string }[]
  moreNeeds: number
  failure: { code: string; message: string; errors: { path: string; code: string; message: string }[] } | null
  client: { clientId: string; clientSecret: string | null }
  createdAt: string
  expiresAt: string
}

export const IMPORTS = `${TENANTS}/imports`

/** How long an end is waited for. */
const WAIT_MS = 180_000

/** Exports and imports as an operator makes them; `token` is the operator's. */
export const transfersOf = (world: Pick<World, 'ask' | 'url'>, token: string, waitMs = WAIT_MS) => ({
  create: (tenantId: string): Promise<Reply> => world.ask(`${TENANTS}/${tenantId}/exports`, { method: 'POST', token }),
  read: (tenantId: string, id: string): Promise<Reply> => world.ask(`${TENANTS}/${tenantId}/exports/${id}`, { token }),
  /** The export when it ended. */
  async exported(tenantId: string): Promise<ExportAnswer> {
    const reply = await this.create(tenantId)
    if (reply.status !== 202) throw new Error(`no export: ${reply.text}`)
    return this.ended(tenantId, reply.json<ExportAnswer>().id)
  },
  async ended(tenantId: string, id: string): Promise<ExportAnswer> {
    let answer: ExportAnswer | undefined
    await until(
      'the end of an export',
      async () => {
        answer = (await this.read(tenantId, id)).json<ExportAnswer>()
        return answer.state !== 'RUNNING'
      },
      waitMs,
    )
    if (!answer) throw new Error('the export has no answer')
    return answer
  },
  /** The file as it is sent. */
  async content(tenantId: string, id: string): Promise<Buffer<ArrayBuffer>> {
    const response = await fetch(`${world.url}${TENANTS}/${tenantId}/exports/${id}/content`, {
      headers: { authorization: `Bearer ${token}` },
    })
    if (response.status !== 200) throw new Error(`no file: ${await response.text()}`)
    return Buffer.from(await response.arrayBuffer())
  },
  async import(
    file: Uint8Array<ArrayBuffer>,
    { type = 'application/gzip', headers = {}, ...query }: Record<string, unknown> & { headers?: object } = {},
  ): Promise<Reply> {
    const environmentId = await tenantsOf(world, token).environmentId()
    const parameters = new URLSearchParams({ environmentId, subdomain: newSubdomain(), ...(query as object) })
    return world.ask(`${IMPORTS}?${parameters}`, {
      method: 'POST',
      token,
      raw: file,
      headers: { 'content-type': String(type), ...(headers as Record<string, string>) },
    })
  },
  readImport: (id: string): Promise<Reply> => world.ask(`${IMPORTS}/${id}`, { token }),
  /** The import when it ended, with the client of its first answer. */
  async imported(file: Uint8Array<ArrayBuffer>, more: Record<string, unknown> = {}): Promise<ImportAnswer> {
    const reply = await this.import(file, more)
    if (reply.status !== 202) throw new Error(`no import: ${reply.text}`)
    const { id, client } = reply.json<ImportAnswer>()
    let answer: ImportAnswer | undefined
    await until(
      'the end of an import',
      async () => {
        answer = (await this.readImport(id)).json<ImportAnswer>()
        return answer.state === 'DONE' || answer.state === 'FAILED'
      },
      waitMs,
    )
    if (!answer) throw new Error('the import has no answer')
    return { ...answer, client }
  },
})

/** The lines of a file. */
export const linesOf = (file: Uint8Array): string[] => gunzipSync(file).toString('utf8').trimEnd().split('\n')

export const rowsOf = (file: Uint8Array, kind: string): Json[] =>
  linesOf(file)
    .map((line) => JSON.parse(line) as { kind: string; row: Json })
    .filter((line) => line.kind === kind)
    .map(({ row }) => row)

/** A file of changed lines with a right end. */
export function fileOf(lines: readonly string[]): Buffer<ArrayBuffer> {
  const body = lines.filter((line) => !line.startsWith('{"kind":"end"'))
  const counts: Record<string, number> = {}
  for (const line of body.slice(1)) {
    const kind = /^\{"kind":"([^"]*)"/.exec(line)?.[1] ?? 'other'
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  const digest = body.reduce<Buffer | null>(chained, null)
  const end = { kind: 'end', counts, lines: body.length, digest: digest?.toString('hex') ?? '' }
  return gzipSync([...body, JSON.stringify(end)].map((line) => `${line}\n`).join('')) as Buffer<ArrayBuffer>
}
