import { readFileSync } from 'node:fs'
import type { TLSConfig } from '@temporalio/client'
import type { Config } from '../../../config.ts'

/** How a connection to Temporal is secured, as both SDKs take it. */
interface Secured {
  tls?: TLSConfig
  apiKey?: string
}

/** Reads the files of TLS for Temporal, so that a process with a wrong path ends at its start. Empty without TLS. */
export function secured(tls: Config['temporal']['tls']): Secured {
  if (!tls) return {}
  const { ca, cert, key, apiKey } = tls
  return {
    tls: {
      ...(ca && { serverRootCACertificate: readFileSync(ca) }),
      ...(cert && { clientCertPair: { crt: readFileSync(cert), key: readFileSync(key) } }),
    },
    ...(apiKey && { apiKey }),
  }
}
