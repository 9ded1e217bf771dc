import {
  Body,
  Controller,
  Example,
  Get,
  OperationId,
  Put,
  Request,
  Response,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime'
import type { Platform } from '../../activities/index.ts'
import type { ConfigurationRecord } from '../../activities/openid/configuration.ts'
import type { Called } from '../frame/authentication.ts'
import type { Problem } from '../frame/problem.ts'
import type { Count } from '../frame/wire.ts'

/** An https URL of a public host, without query and fragment. */
export type HookUrl = string

/** Names of claims, each once. */
export type HookClaims = string[]

/** Seconds. 0: 1200. More than 86400 counts as 86400. */
export type HookSeconds = Count

export interface OpenIDConfigurationIn {
  /** The claims of the holder that the hook gets. */
  claims: HookClaims
  /** true: holders are not sent to the hook. */
  disabled: boolean
  /** Seconds that a holder has at the hook. */
  session_timeout_in_sec: HookSeconds
  url: HookUrl
}

export interface OpenIDConfigurationOut {
  claims: string[]
  disabled: boolean
  session_timeout_in_sec: Count
  url: string
}

/** What who may change the hook gets, and nobody else: with the secret, anybody can answer in the hook's place. */
export interface OpenIDConfigurationSecretOut extends OpenIDConfigurationOut {
  /** 32 bytes in base64: the key of the HMAC (HS256) over the JWTs of both sides. */
  secret: string
}

const toWire = ({ url, claims, disabled, sessionTimeoutSeconds }: ConfigurationRecord): OpenIDConfigurationOut => ({
  claims,
  disabled,
  session_timeout_in_sec: sessionTimeoutSeconds,
  url,
})

const CONFIGURATION: OpenIDConfigurationOut = {
  claims: ['email', 'given_name'],
  disabled: false,
  session_timeout_in_sec: 1200,
  url: 'https://hook.university.example/interaction',
}

const WITH_SECRET: OpenIDConfigurationSecretOut = {
  claims: ['email', 'given_name'],
  disabled: false,
  session_timeout_in_sec: 1200,
  url: 'https://hook.university.example/interaction',
  secret: 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
}

@Route('v1/openid/configuration')
@Tags('OpenID')
export class OpenIDConfigurationController extends Controller {
  constructor(private readonly platform: Platform) {
    super()
  }

  /**
   * Returns the interaction hook of the tenant, without its secret: an update answers with it.
   * @summary Read the interaction hook
   */
  @Get()
  @OperationId('getOpenIDConfiguration')
  @Security('bearerAuth', ['openid:read'])
  @Example<OpenIDConfigurationOut>(CONFIGURATION)
  @Response<Problem>(404, 'the tenant has no interaction hook')
  async read(@Request() called: Called): Promise<OpenIDConfigurationOut> {
    return toWire(await this.platform.openIdConfiguration.readConfiguration(called.user.tenantId))
  }

  /**
   * Sets the interaction hook: a page of yours that a holder is sent to between authentication and credential, with a
   * signed JWT, and that sends the holder back with another one. The secret is made with the first update, and stays.
   * @summary Set the interaction hook
   */
  @Put()
  @OperationId('updateOpenIDConfiguration')
  @Security('bearerAuth', ['openid:write'])
  @SuccessResponse(200)
  @Example<OpenIDConfigurationSecretOut>(WITH_SECRET)
  async update(@Request() called: Called, @Body() body: OpenIDConfigurationIn): Promise<OpenIDConfigurationSecretOut> {
    const { session_timeout_in_sec: sessionTimeoutSeconds, ...input } = body
    const { openIdConfiguration } = this.platform
    const record = await openIdConfiguration.updateConfiguration(called.user, { ...input, sessionTimeoutSeconds })
    return { ...toWire(record), secret: record.secret }
  }
}
