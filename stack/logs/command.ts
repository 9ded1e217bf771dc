import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Dependencies, openDependencies } from '../../activities/index.ts'
import { composeLogs } from '../../activities/tokens-logs/logs/index.ts'
import { asCommand } from '../command.ts'
import { LOCAL, withInstallation } from '../local/installation.ts'

const USAGE = `Use:
  verify [subdomain] [--head FILE]   verifies the log of every tenant, or of one; FILE has a head that was kept, as a compact JWS`

/** Places of one part, between which a long walk says how far it is. */
const PART = 500_000

interface Tenant {
  id: string
  subdomain: string
}

const TENANTS = `select id, subdomain from tenants where $1::text is null or subdomain = $1 order by created_at, id`

/** Verifies the log of one tenant; true if it is intact. Writes a line of JSON. */
async function verify(dependencies: Dependencies, { id, subdomain }: Tenant, head: string | undefined) {
  const { verifyLog } = composeLogs(dependencies)
  let entries = 0
  for (let from: number | undefined; ; ) {
    const verdict = await verifyLog(id, { from, most: PART, head })
    const { intact, complete, checked, fault, keptHead, waiting } = verdict
    entries += Math.max(0, checked.to - checked.from + 1)
    if (complete || !intact) {
      const signedTo = verdict.head?.position ?? null
      const line = {
        tenant: subdomain,
        tenantId: id,
        intact,
        entries,
        to: checked.to,
        signedTo,
        waiting,
        keptHead,
        fault,
      }
      process.stdout.write(`${JSON.stringify(line)}\n`)
      return intact
    }
    process.stderr.write(`${subdomain}: ${checked.to} entries are right so far\n`)
    from = checked.to + 1
  }
}

/** For an operator and for an auditor: ends with 1 if a log has a fault. */
await asCommand(async () => {
  const options = { local: { type: 'string', default: LOCAL }, head: { type: 'string' } } as const
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  const [verb, subdomain, ...more] = positionals
  if (verb !== 'verify' || more.length > 0 || (values.head !== undefined && subdomain === undefined))
    throw new Error(USAGE)
  const head = values.head === undefined ? undefined : readFileSync(values.head, 'utf8').trim()
  await withInstallation(process.env, { local: resolve(values.local) }, async (config) => {
    const { close, ...dependencies } = await openDependencies(config, { patient: true })
    try {
      const { rows } = await dependencies.systemSql.query<Tenant>({ text: TENANTS, values: [subdomain ?? null] })
      if (rows.length === 0) throw new Error(`There is no tenant with the subdomain ${subdomain}.`)
      for (const tenant of rows) if (!(await verify(dependencies, tenant, head))) process.exitCode = 1
    } finally {
      await close()
    }
  })
})
