import { randomBytes } from 'node:crypto'
import { OidcClient } from '../../../entities/openid/verifiers.ts'
import { inTenant, takeTurn } from '../../../entities/orm.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { type ClientValues, checkClient, hasSecret } from '../../../protocol/openid/verifiers/clients.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Call, Operations } from '../../frame/operations.ts'
import { digestOf } from '../../frame/secrets.ts'
import { type ClientRecord, clientNotFound, findClient, findVerifier, toClient } from './records.ts'

export const MAX_CLIENTS = 100

const SECRET_BYTES = 32

/** The secret is shown once, when it is made. */
export interface ClientWithSecret extends ClientRecord {
  secret?: string
}

interface Parts extends Pick<Dependencies, 'database' | 'now' | 'uuid'> {
  operations: Operations
}

/** Clients of verifiers: create, list, read, update, delete (specification, OIDC verifier client). */
export function createVerifierClients({ database, now, uuid, operations }: Parts) {
  const columns = (values: ClientValues) => ({
    name: values.name,
    applicationType: values.applicationType,
    redirectUris: [...values.redirectUris],
    grantTypes: [...values.grantTypes],
    responseTypes: [...values.responseTypes],
    tokenEndpointAuthMethod: values.tokenEndpointAuthMethod,
    idTokenSignedResponseAlg: values.idTokenSignedResponseAlg,
    logoUri: values.logoUri,
    updatedAt: now(),
  })

  return {
    /** Throws `oidc_verifier.not_found`, `oidc_client.invalid`, `oidc_client.too_many`. */
    async createClient(call: Call, verifierId: string, values: ClientValues): Promise<ClientWithSecret> {
      const { tenantId } = call
      checkClient(values)
      const id = uuid()
      return operations.change(call, 'createOidcVerifierClient', { id, verifierId }, async (em) => {
        await findVerifier(em, verifierId)
        await takeTurn(em, `clients of verifier ${verifierId}`)
        if ((await em.count(OidcClient, { verifierId })) >= MAX_CLIENTS)
          throw new Refusal('oidc_client.too_many', `A verifier can have ${MAX_CLIENTS} clients. Delete one first.`)
        const secret = hasSecret(values.tokenEndpointAuthMethod)
          ? randomBytes(SECRET_BYTES).toString('base64url')
          : undefined
        const secretDigest = secret === undefined ? null : digestOf(secret)
        const row = em.create(OidcClient, {
          ...{ id, tenantId, verifierId, ...columns(values), secretDigest, createdAt: now() },
        })
        await em.flush()
        return { ...toClient(row), ...(secret !== undefined && { secret }) }
      })
    },

    /** Newest first. */
    async listClients(tenantId: string, verifierId: string, { limit, offset }: { limit: number; offset: number }) {
      const orderBy = { createdAt: 'desc', id: 'asc' } as const
      return inTenant(database.tenants, tenantId, async (em) => {
        await findVerifier(em, verifierId)
        const [rows, total] = await em.findAndCount(OidcClient, { verifierId }, { orderBy, limit, offset })
        return { clients: rows.map(toClient), total }
      })
    },

    async readClient(tenantId: string, verifierId: string, id: string): Promise<ClientRecord> {
      return toClient(await inTenant(database.tenants, tenantId, (em) => findClient(em, verifierId, id)))
    },

    /** A client that gets a method with a secret gets one now; one that loses it keeps none. */
    async updateClient(call: Call, verifierId: string, id: string, values: ClientValues): Promise<ClientWithSecret> {
      checkClient(values)
      return operations.change(call, 'updateOidcVerifierClient', { id, verifierId }, async (em) => {
        const row = await findClient(em, verifierId, id, true)
        Object.assign(row, columns(values))
        const isSecret = hasSecret(values.tokenEndpointAuthMethod)
        const secret = isSecret && !row.secretDigest ? randomBytes(SECRET_BYTES).toString('base64url') : undefined
        if (secret !== undefined) row.secretDigest = digestOf(secret)
        if (!isSecret) row.secretDigest = null
        return { ...toClient(row), ...(secret !== undefined && { secret }) }
      })
    },

    /** What the client was given ends with it. */
    async deleteClient(call: Call, verifierId: string, id: string): Promise<void> {
      await operations.change(call, 'deleteOidcVerifierClient', { id, verifierId }, async (em) => {
        if ((await em.nativeDelete(OidcClient, { id, verifierId })) === 0) throw clientNotFound()
        return null
      })
    },
  }
}

export type VerifierClients = ReturnType<typeof createVerifierClients>
