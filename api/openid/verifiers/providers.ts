import { IncomingMessage } from 'node:http'
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
  /** The form of a request whose body was read; its answer is returned, and not sent. */
  form?: Readonly<Record<string, string>>
}

/** The request as the provider reads it: its addresses are those of the issuer, whatever its headers say. */
function forwarded(request: Request, { issuer }: ProviderFacts, { path, form }: Run): IncomingMessage {
  const { protocol, host, pathname } = new URL(issuer)
  const query = request.originalUrl.includes('?') ? request.originalUrl.slice(request.originalUrl.indexOf('?')) : ''
  const own = { host, 'x-forwarded-host': host, 'x-forwarded-proto': protocol.slice(0, -1) }
  const place = { url: `${path}${query}`, originalUrl: `${pathname}${path}${query}` }
  if (!form) {
    Object.assign(request.headers, own)
    return Object.assign(request, place)
  }
  const body = Buffer.from(new URLSearchParams(form).toString())
  const inner = new IncomingMessage(request.socket)
  const { 'transfer-encoding': _, 'content-encoding': __, ...headers } = request.headers
  const ofForm = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': String(body.length),
  }
  // complete, or its end would close the connection
  Object.assign(inner, { complete: true, method: request.method, headers: { ...headers, ...own, ...ofForm }, ...place })
  inner.push(body)
  inner.push(null)
  return inner
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
     * Has the provider answer a request. Throws what went wrong in the platform, in place of the provider's own error for
     * it.
     */
    async run({ facts, provider }: Running, request: Request, response: Response, run: Run) {
      const { url, originalUrl } = request
      const inner = forwarded(request, facts, run)
      const holder: { answered?: Answered } = {}
      if (run.form) held.set(inner, holder)
      try {
        await provider.callback()(inner, response)
      } finally {
        Object.assign(request, { url, originalUrl })
      }
      if (faults.has(inner)) throw faults.get(inner)
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
