import type { Request, Response } from 'express'
import { LRUCache } from 'lru-cache'
import type Provider from 'oidc-provider'
import type { Platform } from '../../../activities/index.ts'
import type { ProviderFacts } from '../../../activities/openid/verifiers/facts.ts'
import { createProvider } from './provider.ts'

/** A verifier's provider, as it is now. */
export interface Running {
  facts: ProviderFacts
  provider: Provider
}

/** What the provider answered, where somebody else sends it. */
export interface Answered {
  status: number
  body: unknown
}

interface Run {
  /** The path below the issuer. */
  path: string
  /** The answer is returned, and not sent. */
  isHeld?: boolean
}

/** Providers that a process keeps: each takes some hundred kB. */
const KEPT = 200

/** The providers of verifiers, each made again when its verifier or its keys change. */
export function createProviders(platform: Platform) {
  const kept = new LRUCache<string, Running>({ max: KEPT })
  const faults = new WeakMap<object, unknown>()
  const held = new WeakMap<object, { answered?: Answered }>()

  function make(facts: ProviderFacts): Running {
    const provider = createProvider(platform, facts)
    provider.on('server_error', ({ req }, error) => faults.set(req, error))
    // the first of all: what it changes last is what is sent
    provider.use(async (context, next) => {
      await next()
      const holder = held.get(context.req)
      if (holder) holder.answered = { status: context.status, body: context.body }
      if (holder || faults.has(context.req)) context.respond = false
    })
    return { facts, provider }
  }

  return {
    /** The provider of a verifier. Throws `oidc_verifier.not_found`. */
    async providerAt(host: string, verifierId: string): Promise<Running> {
      const { oidcProviderFacts } = platform
      const facts = await oidcProviderFacts.factsOf(await oidcProviderFacts.placeAt(host, verifierId))
      const known = kept.get(facts.verifierId)
      if (known?.facts.revision === facts.revision) return known
      const made = make(facts)
      kept.set(facts.verifierId, made)
      return made
    },

    /**
     * Has the provider answer a request. Its addresses are those of the issuer, whatever the request's headers say. Throws
     * what went wrong in the platform, in place of the provider's own error for it.
     */
    async run({ facts, provider }: Running, request: Request, response: Response, { path, isHeld = false }: Run) {
      const { protocol, host, pathname } = new URL(facts.issuer)
      const query = request.originalUrl.includes('?') ? request.originalUrl.slice(request.originalUrl.indexOf('?')) : ''
      const { url, originalUrl } = request
      Object.assign(request.headers, { host, 'x-forwarded-host': host, 'x-forwarded-proto': protocol.slice(0, -1) })
      Object.assign(request, { url: `${path}${query}`, originalUrl: `${pathname}${path}${query}` })
      const holder: { answered?: Answered } = {}
      if (isHeld) held.set(request, holder)
      try {
        await provider.callback()(request, response)
      } finally {
        Object.assign(request, { url, originalUrl })
      }
      if (faults.has(request)) throw faults.get(request)
      return holder.answered
    },
  }
}

export type Providers = ReturnType<typeof createProviders>

const ofPlatforms = new WeakMap<Platform, Providers>()

/** The providers of a process: the token endpoint and the pages use the same. */
export function providersOf(platform: Platform): Providers {
  const providers = ofPlatforms.get(platform) ?? createProviders(platform)
  ofPlatforms.set(platform, providers)
  return providers
}
