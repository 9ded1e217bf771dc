import { randomUUID } from 'node:crypto'
import { OPERATOR_SCOPES } from '../../protocol/tokens-logs/index.ts'
import { addClient, addTenant } from './frame/tenants.ts'
import type { Reply, World } from './world.ts'

export const ECOSYSTEMS = '/v1/ecosystems'

export interface ParticipantAnswer {
  ecosystemId: string
  id: string
  name: string
  identifiers: {
    webSemantic: string | null
    compact: string | null
    compactSemantic: string | null
    mobile: string[]
    sdJwtVc: string | null
  }
  isIssuer: boolean
  isIssuerConstrained: boolean
  isVerified: boolean
  isVerifierConstrained: boolean
}

export interface CredentialAnswer {
  ecosystemId: string
  id: string
  name: string
  profile: string
  type: string
}

export interface PolicyAnswer {
  credentials: CredentialAnswer[]
  participants: (ParticipantAnswer & {
    isIssuerAllowedCredentials: string[]
    isVerifierAllowedCredentials: string[]
  })[]
  policyModifiedAt: string
}

/** A token of an operator's client. */
export async function operatorToken(world: World): Promise<string> {
  const { tenantId } = world.first
  return world.tokenOf(await addClient(world.dependencies.systemSql, { tenantId, scopes: OPERATOR_SCOPES }))
}

/** A participant as a request has it: unconstrained in both roles. */
export const participant = (more: object = {}) => ({
  name: 'Example University',
  identifiers: {},
  isIssuer: true,
  isIssuerConstrained: false,
  isVerifier: true,
  isVerifierConstrained: false,
  ...more,
})

export const newDid = () => `did:web:${randomUUID()}.example`

export const kind = (more: object = {}) => ({
  name: 'A diploma',
  profile: 'web-semantic',
  type: `Diploma${randomUUID()}`,
  ...more,
})

const bodyOf = <Body>(reply: Reply, status: number): Body => {
  if (reply.status !== status) throw new Error(`${reply.status} ${reply.text}`)
  return reply.json<Body>()
}

/** The operations of an operator on one ecosystem. */
export async function newEcosystem(world: World, token: string, name = 'Universities of Example') {
  const ask = (path: string, method: string, body?: object) =>
    world.ask(`${ECOSYSTEMS}${path}`, { method, token, ...(body && { body }) })
  const { id } = bodyOf<{ id: string; name: string }>(await ask('', 'POST', { name }), 201)
  const allowance = (role: 'issuer' | 'verifier', participantId: string) =>
    `/${id}/participants/${participantId}/${role}/credentials`
  return {
    id,
    ask: (path: string, method = 'GET', body?: object) => ask(`/${id}${path}`, method, body),
    participant: async (more: object = {}) =>
      bodyOf<ParticipantAnswer>(await ask(`/${id}/participants`, 'POST', participant(more)), 201),
    update: async (participantId: string, more: object) =>
      bodyOf<ParticipantAnswer>(await ask(`/${id}/participants/${participantId}`, 'PUT', participant(more)), 200),
    credential: async (more: object = {}) =>
      bodyOf<CredentialAnswer>(await ask(`/${id}/credentials`, 'POST', kind(more)), 201),
    allow: async (role: 'issuer' | 'verifier', participantId: string, credentialId: string) =>
      bodyOf<CredentialAnswer>(await ask(allowance(role, participantId), 'POST', { credentialId }), 201),
    async take(role: 'issuer' | 'verifier', participantId: string, credentialId: string): Promise<void> {
      const reply = await ask(`${allowance(role, participantId)}/${credentialId}`, 'DELETE')
      if (reply.status !== 204) throw new Error(reply.text)
    },
    bind: async (tenantId: string, participantId: string | null = null) =>
      bodyOf<object>(await ask(`/${id}/tenants/${tenantId}`, 'PUT', { participantId }), 200),
    async unbind(tenantId: string): Promise<void> {
      const reply = await ask(`/${id}/tenants/${tenantId}`, 'DELETE')
      if (reply.status !== 204) throw new Error(reply.text)
    },
    policy: async () => bodyOf<PolicyAnswer>(await world.ask(`${ECOSYSTEMS}/${id}/policy`), 200),
  }
}

export type TestEcosystem = Awaited<ReturnType<typeof newEcosystem>>

/** What the examples of ecosystems speak of. */
export interface EcosystemSample {
  ecosystemId: string
  ecosystemDid: string
  /** Issuer and verifier. */
  ecosystemParticipantId: string
  ecosystemCredentialId: string
  /** The participant is allowed it, for the operations that take it. */
  allowedCredentialId: string
  /** Bound, and verifies as the participant. */
  boundTenantId: string
  /** For the operations that delete them. */
  spareEcosystemId: string
  spareParticipantId: string
  spareEcosystemCredentialId: string
  spareBoundTenantId: string
}

export async function makeEcosystemSample(world: World): Promise<EcosystemSample> {
  const token = await operatorToken(world)
  const ecosystem = await newEcosystem(world, token)
  const ecosystemDid = newDid()
  const { id: participantId } = await ecosystem.participant({ identifiers: { webSemantic: ecosystemDid } })
  const allowed = await ecosystem.credential()
  for (const role of ['issuer', 'verifier'] as const) await ecosystem.allow(role, participantId, allowed.id)
  const tenants = [await addTenant(world.dependencies.systemSql), await addTenant(world.dependencies.systemSql)]
  const [bound, spare] = tenants.map(({ tenantId }) => tenantId)
  if (bound === undefined || spare === undefined) throw new Error('two tenants were added')
  for (const tenantId of [bound, spare]) await ecosystem.bind(tenantId, participantId)
  return {
    ecosystemId: ecosystem.id,
    ecosystemDid,
    ecosystemParticipantId: participantId,
    ecosystemCredentialId: (await ecosystem.credential()).id,
    allowedCredentialId: allowed.id,
    boundTenantId: bound,
    spareEcosystemId: (await newEcosystem(world, token)).id,
    spareParticipantId: (await ecosystem.participant()).id,
    spareEcosystemCredentialId: (await ecosystem.credential()).id,
    spareBoundTenantId: spare,
  }
}
