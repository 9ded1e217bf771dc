import { randomBytes } from 'node:crypto'
import { LockMode } from '@mikro-orm/core'
import { OpenIdConfiguration } from '../../entities/openid/configuration.ts'
import { inTenant, takeTurn } from '../../entities/orm.ts'
import { type FieldError, Refusal, within } from '../../protocol/errors.ts'
import type { Json } from '../../protocol/json.ts'
import { isReservedName } from '../../protocol/names.ts'
import { leavesOf, listed } from '../../protocol/openid/claims.ts'
import { type InteractionAnswer, readAnswer, signQuestion, timeoutOf } from '../../protocol/openid/interaction.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Call, Operations } from '../frame/operations.ts'
import { assertCallable } from '../frame/outbound/url.ts'
import type { Sealer } from '../frame/sealing.ts'
import type { Tenants } from '../frame/tenants/index.ts'

export interface ConfigurationInput {
  url: string
  claims: string[]
  disabled: boolean
  sessionTimeoutSeconds: number
}

export interface ConfigurationRecord extends ConfigurationInput {
  /** 32 bytes in base64, which sign the JWTs of both sides. */
  secret: string
}

export interface HookQuestion {
  sessionId: string
  userId: string
  claims: Json
  /** Where the hook sends the holder back to. */
  redirectUrl: string
}

const SECRET_BYTES = 32
const MAX_CLAIMS = 50
const MAX_NAME = 255

const boundTo = (tenantId: string) => `${tenantId}/openid/configuration/secret`

/** A new secret of the hook, as its row keeps it. `sealer` is the area's. */
export const newHookSecret = (sealer: Sealer, tenantId: string): Buffer =>
  sealer.seal(randomBytes(SECRET_BYTES), boundTo(tenantId))

const notFound = () =>
  new Refusal('openid_configuration.not_found', 'The tenant has no interaction hook. Set one with PUT.')

interface Parts extends Pick<Dependencies, 'config' | 'database' | 'now' | 'uuid'> {
  operations: Operations
  sealer: Sealer
  tenants: Pick<Tenants, 'byId'>
}

/** Throws `Refusal('openid_configuration.invalid')` with each rule that the hook breaks. */
export function checkHook(
  config: Pick<Dependencies['config'], 'outbound'>,
  { url, claims, sessionTimeoutSeconds }: ConfigurationInput,
): void {
  const urlFaults = (url: string): FieldError[] => {
    const fault = (code: string, message: string): FieldError[] => [{ path: 'url', code, message }]
    if (url.includes('#') || url.includes('?')) return fault('url', 'expected a URL without query and fragment')
    try {
      assertCallable(url, config.outbound)
      return []
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return fault(error.code.replace(/^outbound\./, ''), `expected an https URL of a public host: ${error.message}`)
    }
  }
  const isName = (name: string) =>
    name.length > 0 && name.length <= MAX_NAME && !/\p{Cc}/u.test(name) && !isReservedName(name)
  const errors: FieldError[] = [
    ...urlFaults(url),
    ...(claims.length > MAX_CLAIMS
      ? [{ path: 'claims', code: 'count', message: `expected at most ${MAX_CLAIMS}` }]
      : claims.flatMap((name, at) => {
          const path = within('claims', at)
          if (!isName(name)) return [{ path, code: 'claim', message: 'expected the name of a claim' }]
          return claims.indexOf(name) < at ? [{ path, code: 'repeated', message: 'expected each once' }] : []
        })),
    ...(Number.isSafeInteger(sessionTimeoutSeconds) && sessionTimeoutSeconds >= 0
      ? []
      : [{ path: 'session_timeout_in_sec', code: 'range', message: 'expected a whole number of seconds, 0 or more' }]),
  ]
  if (errors.length > 0)
    throw new Refusal('openid_configuration.invalid', 'The interaction hook cannot be used; see errors.', errors)
}

/** The interaction hook of a tenant (specification, OpenID configuration). */
export function createConfiguration({ config, database, now, uuid, operations, sealer, tenants }: Parts) {
  const check = (input: ConfigurationInput): void => checkHook(config, input)

  const toRecord = (row: OpenIdConfiguration): ConfigurationRecord => ({
    url: row.url,
    claims: row.claims,
    disabled: row.disabled,
    sessionTimeoutSeconds: Number(row.sessionTimeoutSeconds),
    secret: sealer.open(row.secret, boundTo(row.tenantId)).toString('base64'),
  })

  async function readConfiguration(tenantId: string): Promise<ConfigurationRecord> {
    const row = await inTenant(database.tenants, tenantId, (em) => em.findOne(OpenIdConfiguration, { tenantId }))
    if (!row) throw notFound()
    return toRecord(row)
  }

  /** The hook that holders are sent to. */
  async function hookOf(tenantId: string) {
    const { url: hook, secret, ...hooked } = await readConfiguration(tenantId)
    if (hooked.disabled) throw new Refusal('openid_configuration.disabled', 'The interaction hook is disabled.')
    const { baseUrl: platform } = await tenants.byId(tenantId)
    return { hook, platform, secret: new Uint8Array(Buffer.from(secret, 'base64')), ...hooked }
  }

  return {
    readConfiguration,

    /** Whether holders are sent to a hook. */
    hasHook: (tenantId: string): Promise<boolean> =>
      inTenant(
        database.tenants,
        tenantId,
        async (em) => (await em.count(OpenIdConfiguration, { disabled: false })) > 0,
      ),

    /** Sets the hook. Its secret is made with it, and stays. Throws `openid_configuration.invalid`. */
    async updateConfiguration(call: Call, input: ConfigurationInput): Promise<ConfigurationRecord> {
      const { tenantId } = call
      check(input)
      const { url, claims, disabled } = input
      return operations.change(call, 'updateOpenIDConfiguration', { disabled }, async (em) => {
        // of two concurrent first ones the second finds the row of the other
        await takeTurn(em, `openid configuration of ${tenantId}`)
        const values = { url, claims, disabled, sessionTimeoutSeconds: BigInt(input.sessionTimeoutSeconds) }
        const found = await em.findOne(OpenIdConfiguration, { tenantId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
        const secret = found?.secret ?? newHookSecret(sealer, tenantId)
        const row =
          found ?? em.create(OpenIdConfiguration, { id: uuid(), tenantId, ...values, secret, updatedAt: now() })
        Object.assign(row, { ...values, updatedAt: now() })
        await em.flush()
        return toRecord(row)
      })
    },

    /**
     * Returns what the hook gets by POST through the holder's browser: its URL, and the JWT with those of the claims that
     * the configuration names. Throws `openid_configuration.not_found`, `openid_configuration.disabled`.
     */
    async askHook(tenantId: string, { claims, ...question }: HookQuestion) {
      const { claims: names, sessionTimeoutSeconds, ...hook } = await hookOf(tenantId)
      const timeoutSeconds = timeoutOf(sessionTimeoutSeconds)
      const of = { ...hook, ...question, claims: listed(claims, names), timeoutSeconds, now: now() }
      return { url: hook.hook, sessionToken: await signQuestion(of), timeoutSeconds }
    },

    /**
     * Reads the JWT with which the hook sent the holder back. The caller accepts one answer for each session. Throws
     * `interaction.invalid_answer`, `authentication.claims_too_large`.
     */
    async readHookAnswer(tenantId: string, sessionId: string, token: string): Promise<InteractionAnswer> {
      const { hook, platform, secret } = await hookOf(tenantId)
      const rules = { now: now(), toleranceMs: config.clockToleranceMs }
      const answer = await readAnswer(token, { hook, platform, secret, sessionId }, rules)
      leavesOf(answer.claims)
      return answer
    },
  }
}

export type HookConfiguration = ReturnType<typeof createConfiguration>
