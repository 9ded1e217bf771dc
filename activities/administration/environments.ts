import { LockMode } from '@mikro-orm/core'
import { Environment } from '../../entities/administration/tenants.ts'
import { asSystem } from '../../entities/orm.ts'
import { Refusal } from '../../protocol/errors.ts'
import { isLabel, LABEL_EXPECTED } from '../../protocol/names.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Call, Operations } from '../frame/operations.ts'

export interface EnvironmentRecord {
  id: string
  name: string
  domain: string
  authorizationServerDomain: string
  deploymentModel: string
  region: { id: string; name: string; displayName: string }
}

/** What operators say of an environment; its domain is the installation's. */
export interface EnvironmentInput {
  name: string
  deploymentModel: 'public' | 'private'
  region: { id: string; name: string; displayName: string }
}

export const environmentNotFound = () => new Refusal('environment.not_found', 'There is no such environment.')

export const toEnvironment = (row: Environment): EnvironmentRecord => ({
  id: row.id,
  name: row.name,
  domain: row.domain,
  authorizationServerDomain: row.authorizationServerDomain,
  deploymentModel: row.deploymentModel,
  region: { displayName: row.region.displayName, id: row.region.id, name: row.region.name },
})

function checkInput({ name, deploymentModel, region }: EnvironmentInput): EnvironmentInput {
  const texts = { name, 'region.id': region.id, 'region.name': region.name, 'region.displayName': region.displayName }
  const wrong = Object.entries(texts).filter(([, text]) => !isLabel(text))
  if (wrong.length > 0)
    throw new Refusal(
      'environment.invalid',
      'The environment cannot be described so; see errors.',
      wrong.map(([path]) => ({ path, code: 'text', message: LABEL_EXPECTED })),
    )
  return { name, deploymentModel, region }
}

interface Parts extends Pick<Dependencies, 'config' | 'database' | 'now' | 'uuid'> {
  operations: Operations
}

/** Where tenants live (specification, Environment): read, created and described by operators. */
export function createEnvironments({ config, database, now, uuid, operations }: Parts) {
  const { hostname } = config.publicUrl

  return {
    /** Oldest first: the first one is that of the first start. */
    listEnvironments: ({ limit, offset }: { limit: number; offset: number }) =>
      asSystem(database.system, async (em) => {
        const orderBy = { createdAt: 'asc', id: 'asc' } as const
        const [rows, total] = await em.findAndCount(Environment, {}, { orderBy, limit, offset })
        return { environments: rows.map(toEnvironment), total }
      }),

    async readEnvironment(id: string): Promise<EnvironmentRecord> {
      const row = await asSystem(database.system, (em) => em.findOne(Environment, { id }))
      if (!row) throw environmentNotFound()
      return toEnvironment(row)
    },

    /** Throws `environment.invalid`. */
    async createEnvironment(call: Call, input: EnvironmentInput): Promise<EnvironmentRecord> {
      const values = checkInput(input)
      const id = uuid()
      return operations.changePlatform(call, 'createEnvironment', { id }, async (em) => {
        const [createdAt, places] = [now(), { domain: hostname, authorizationServerDomain: hostname }]
        const row = em.create(Environment, { id, ...values, ...places, createdAt, updatedAt: createdAt })
        await em.flush()
        return toEnvironment(row)
      })
    },

    /** Throws `environment.invalid`, `environment.not_found`. */
    async updateEnvironment(call: Call, id: string, input: EnvironmentInput): Promise<EnvironmentRecord> {
      const values = checkInput(input)
      return operations.changePlatform(call, 'updateEnvironment', { id }, async (em) => {
        const row = await em.findOne(Environment, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
        if (!row) throw environmentNotFound()
        Object.assign(row, { ...values, updatedAt: now() })
        await em.flush()
        return toEnvironment(row)
      })
    },
  }
}

export type Environments = ReturnType<typeof createEnvironments>
