import { LockMode } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { ClaimSource } from '../../entities/claim-sources.ts'
import { inTenant, takeTurn } from '../../entities/orm.ts'
import {
  destinationsOf,
  isMask,
  maskSecret,
  readAuthorization,
  refuseSecret,
} from '../../protocol/claim-sources/authorization.ts'
import { type RequestParameters, readParameters } from '../../protocol/claim-sources/parameters.ts'
import { readClaimSourceUrl, readTokenEndpoint, refusedByOutbound } from '../../protocol/claim-sources/urls.ts'
import { Refusal } from '../../protocol/errors.ts'
import { isLabel, LABEL_EXPECTED } from '../../protocol/names.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Call, Operations } from '../frame/operations.ts'
import { assertCallable, parseTarget } from '../frame/outbound/url.ts'
import type { Sealer } from '../frame/sealing.ts'
import { type ClaimSourceRecord, type OpenAuthorization, openAuthorization, sealSecret, toRecord } from './records.ts'

const MAX_CLAIM_SOURCES = 100

export const claimSourceNotFound = () => new Refusal('claim_source.not_found', 'There is no such claim source.')

/** What a caller gives. */
export interface ClaimSourceInput {
  name: string
  url: string
  /** Default: GET. */
  requestMethod?: 'GET' | 'POST' | null
  requestParameters: unknown
  /** Of an update: absent, the authorization stays; null takes it away. */
  authorization?: unknown
}

function checkName(name: string): string {
  if (isLabel(name)) return name
  throw new Refusal('claim_source.invalid_name', 'The name of the claim source cannot be used; see errors.', [
    { path: 'name', code: 'text', message: LABEL_EXPECTED },
  ])
}

interface Parts extends Pick<Dependencies, 'config' | 'database' | 'now' | 'uuid'> {
  operations: Operations
  sealer: Sealer
}

/** What is read of an input, without the row. */
interface ReadInput {
  name: string
  url: string
  requestMethod: 'GET' | 'POST'
  requestParameters: RequestParameters
  /** undefined: it stays. */
  authorization: OpenAuthorization | null | undefined
}

/** Reads what a caller gives of a claim source, by the rules that need no row. */
export function createClaimSourceReader(config: Pick<Dependencies['config'], 'claimSources' | 'outbound'>) {
  const { allowPrivate } = config.claimSources

  /** Throws `Refusal('claim_source.invalid_url')` for what no outbound call may have. */
  function callable(member: 'url' | 'token_endpoint', url: string): string {
    try {
      if (allowPrivate) parseTarget(url, { plainHttp: true })
      else assertCallable(url, config.outbound)
      return url
    } catch (error) {
      throw error instanceof Refusal ? refusedByOutbound(member, error) : error
    }
  }

  function authorizationOf(given: unknown): OpenAuthorization | null | undefined {
    if (given === undefined || given === null) return given
    const { terms, secret } = readAuthorization(given)
    if (terms.kind === 'ApiKey') return { terms, secret }
    const tokenEndpoint = callable('token_endpoint', readTokenEndpoint(terms.tokenEndpoint, { allowPrivate }))
    return { terms: { ...terms, tokenEndpoint }, secret }
  }

  const readInput = (input: ClaimSourceInput): ReadInput => ({
    name: checkName(input.name),
    url: callable('url', readClaimSourceUrl(input.url, { allowPrivate })),
    requestMethod: input.requestMethod ?? 'GET',
    requestParameters: readParameters(input.requestParameters),
    authorization: authorizationOf(input.authorization),
  })

  return { readInput }
}

/** Area 10, claim sources: create, list, read, update, delete (specification, Claim source). */
export function createClaimSources({ config, database, now, uuid, operations, sealer }: Parts) {
  const { readInput } = createClaimSourceReader(config)

  const masked = ({ terms }: OpenAuthorization): never =>
    refuseSecret(terms.kind, 'masked', 'expected the secret itself, and not the stars that stand for it')

  /**
   * The authorization after an update. A secret that the caller does not send stays for the servers that it was given
   * for: otherwise everybody who may change the source could have it sent to a server of theirs.
   */
  function updated(row: ClaimSource, { url, authorization: given }: ReadInput): OpenAuthorization | null {
    if (given === null) return null
    const held = openAuthorization(sealer, row)
    if (given && !isMask(given.secret)) return given
    if (given && (held?.terms.kind !== given.terms.kind || given.secret !== maskSecret(held.secret ?? '')))
      return masked(given)
    if (!held) return null
    const { terms } = given ?? held
    const [before, after] = [destinationsOf(row.url, held.terms), destinationsOf(url, terms)]
    if (held.secret !== undefined && before.join(' ') === after.join(' ')) return { terms, secret: held.secret }
    return refuseSecret(
      held.terms.kind,
      'required',
      'expected the secret again: it would go to another server, or cannot be read any more',
    )
  }

  async function find(em: SqlEntityManager, id: string): Promise<ClaimSource> {
    const row = await em.findOne(ClaimSource, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
    if (!row) throw claimSourceNotFound()
    return row
  }

  const authColumns = (row: Pick<ClaimSource, 'tenantId' | 'id' | 'url'>, authorization: OpenAuthorization | null) => ({
    auth: authorization?.terms ?? null,
    secret: authorization && sealSecret(sealer, row, authorization),
  })

  return {
    /**
     * Throws `claim_source.invalid_name`, `claim_source.invalid_url`, `claim_source.invalid_parameters`,
     * `claim_source.invalid_authorization`, `claim_source.too_many`.
     */
    async createClaimSource(call: Call, input: ClaimSourceInput): Promise<ClaimSourceRecord> {
      const { tenantId } = call
      const { authorization = null, ...read } = readInput(input)
      if (authorization && isMask(authorization.secret)) return masked(authorization)
      const id = uuid()
      return operations.change(call, 'createClaimSource', { id }, async (em) => {
        await takeTurn(em, `claim sources of ${tenantId}`)
        if ((await em.count(ClaimSource)) >= MAX_CLAIM_SOURCES)
          throw new Refusal(
            'claim_source.too_many',
            `A tenant can have ${MAX_CLAIM_SOURCES} claim sources. Delete one first.`,
          )
        const time = now()
        const row = em.create(ClaimSource, {
          ...{ id, tenantId, ...read, createdAt: time, updatedAt: time },
          ...authColumns({ id, tenantId, url: read.url }, authorization),
        })
        await em.flush()
        return toRecord(sealer, row)
      })
    },

    /** Newest first. */
    async listClaimSources(
      tenantId: string,
      { limit, offset }: { limit: number; offset: number },
    ): Promise<{ claimSources: ClaimSourceRecord[]; total: number }> {
      return inTenant(database.tenants, tenantId, async (em) => {
        const orderBy = { createdAt: 'desc', id: 'asc' } as const
        const [rows, total] = await em.findAndCount(ClaimSource, {}, { orderBy, limit, offset })
        return { claimSources: rows.map((row) => toRecord(sealer, row)), total }
      })
    },

    async readClaimSource(tenantId: string, id: string): Promise<ClaimSourceRecord> {
      const row = await inTenant(database.tenants, tenantId, (em) => em.findOne(ClaimSource, { id }))
      if (!row) throw claimSourceNotFound()
      return toRecord(sealer, row)
    },

    /** Replaces name, URL, method and parameters. A call under way uses what it began with. */
    async updateClaimSource(call: Call, id: string, input: ClaimSourceInput): Promise<ClaimSourceRecord> {
      const read = readInput(input)
      return operations.change(call, 'updateClaimSource', { id }, async (em) => {
        const row = await find(em, id)
        const authorization = updated(row, read)
        const { name, url, requestParameters } = read
        const requestMethod = input.requestMethod ?? row.requestMethod
        Object.assign(row, { name, url, requestMethod, requestParameters, updatedAt: now() })
        Object.assign(row, authColumns(row, authorization))
        await em.flush()
        return toRecord(sealer, row)
      })
    },

    /** Templates that name it stay: their next issuance fails with a named reason. */
    async deleteClaimSource(call: Call, id: string): Promise<void> {
      await operations.change(call, 'deleteClaimSource', { id }, async (em) => {
        em.remove(await find(em, id))
        await em.flush()
      })
    },
  }
}
