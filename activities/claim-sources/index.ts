import type { Config } from '../../config.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Frame } from '../frame/index.ts'
import { createOutbound, type Outbound } from '../frame/outbound/index.ts'
import { createSealer } from '../frame/sealing.ts'
import { createClaimFetcher, type FetchResult } from './fetch.ts'
import { createClaimSources } from './lifecycle.ts'

const sealerOf = (config: Pick<Config, 'masterKey'>) => createSealer(config.masterKey, 'claim-sources')

/** Operations of claim sources. */
export const composeClaimSources = (frame: Frame) => ({
  claimSources: createClaimSources({ ...frame, sealer: sealerOf(frame.config) }),
})

/** Loopback addresses, for local trials. */
const LOOPBACK = ['127.0.0.0/8', '::1/128']

function outboundOf({ config, log, outbound }: Pick<Dependencies, 'config' | 'log' | 'outbound'>): Outbound {
  if (!config.claimSources.allowPrivate) return outbound
  log.warn('CLAIM_SOURCE_ALLOW_PRIVATE is true: claim sources may have http URLs and be on this machine')
  const allowedRanges = [...config.outbound.allowedRanges, ...LOOPBACK]
  return createOutbound({ ...config.outbound, allowedRanges }, { log, plainHttp: true })
}

interface Parts extends Dependencies {
  claimsFetched?: ((result: FetchResult) => void) | undefined
}

/** Activities of the workflows that issue: they call claim sources. */
export const claimSourceActivities = (parts: Parts) =>
  createClaimFetcher({ ...parts, outbound: outboundOf(parts), sealer: sealerOf(parts.config) })
