import type { ExecutionContext } from 'ava'
import type { Json } from '../../../protocol/json.ts'
import { OPERATOR_SCOPES } from '../../../protocol/tokens-logs/index.ts'
import { tenantsOf } from '../administration.ts'
import { createDid, sign } from '../credentials/credentials.ts'
import { until } from '../credentials/dids.ts'
import { createTemplate } from '../credentials/templates.ts'
import { addClient } from '../frame/tenants.ts'
import { openWorld, type Reply } from '../world.ts'
import { linesOf, transfersOf } from './transfers.ts'

/** The status, the code and the first error of a refusal. */
export const refusalOf = (reply: Reply) => {
  const { type, errors } = reply.json<{ type: string; errors?: { path: string; code: string }[] }>()
  return [reply.status, type.replace('/problems#', ''), errors?.[0]?.path, errors?.[0]?.code]
}

/** A platform with the file of a small tenant, to be changed. */
export async function openFileWorld() {
  const world = await openWorld({ workflows: true, env: { RATE_LIMIT_PER_MINUTE: '100000' } })
  const { systemSql } = world.dependencies
  const operator = await world.tokenOf(
    await addClient(systemSql, { tenantId: world.first.tenantId, scopes: OPERATOR_SCOPES }),
  )
  const client = await world.addTenant()
  const token = await world.tokenOf(client)
  const did = await createDid(world, 'ed25519', token, true)
  await sign(world, did, { token, revocable: true })
  await createTemplate(world, {}, token)
  const hook = { url: 'https://hooks.example.com/', events: ['OpenIdCredentialIssued'] }
  const reply = await world.ask('/v1/webhooks', { token, body: hook })
  if (reply.status >= 300) throw new Error(reply.text)
  const transfers = transfersOf(world, operator)
  const { id } = await transfers.exported(client.tenantId)
  const file = await transfers.content(client.tenantId, id)
  const lines = linesOf(file)
  const rows = async <Row extends object>(text: string, ...values: unknown[]): Promise<Row[]> =>
    (await systemSql.query<Row>({ text, values })).rows
  return {
    world,
    operator,
    transfers,
    file,
    lines,
    rows,
    /** The lines with the rows of a kind changed. */
    changed: (kind: string, change: (row: Json) => object | undefined): string[] =>
      lines.map((line) => {
        const read = JSON.parse(line) as { kind: string; row: Json }
        return read.kind === kind ? JSON.stringify({ kind, row: { ...read.row, ...change(read.row) } }) : line
      }),
    /** The line of the first row of a kind. */
    place: (kind: string): number => lines.findIndex((line) => line.startsWith(`{"kind":"${kind}"`)) + 1,
    /** Nothing of an import is there: no tenant that anybody finds, no upload. */
    async nothingIsLeft(t: ExecutionContext, subdomain: string): Promise<void> {
      const { inboxes } = await tenantsOf(world, operator).list('?limit=1000')
      t.false(inboxes.some((tenant) => tenant.subdomain.startsWith(`${subdomain}.`)))
      const segments =
        'select 1 from tenant_import_segments s join tenant_imports i on i.id = s.import_id where i.subdomain = $1'
      await until(
        'the end of what was begun',
        async () =>
          (await rows('select 1 from tenants where subdomain = $1', subdomain)).length === 0 &&
          (await rows(segments, subdomain)).length === 0,
        60_000,
      )
    },
    close: () => world.close(),
  }
}

export type FileWorld = Awaited<ReturnType<typeof openFileWorld>>
