import type { RequestListener } from 'node:http'
import { openWorld, type WorldOptions } from '../world.ts'
import { startTestDns } from './dns.ts'
import { createTestAuthority, listenTls } from './tls.ts'

/** One HTTPS host elsewhere, on loopback, that a platform with `env` reaches by its name and trusts by its authority. */
export async function openElsewhere(host: string, listener: RequestListener) {
  const dns = await startTestDns({ [host]: { A: ['127.0.0.1'] } })
  const authority = await createTestAuthority()
  const server = await listenTls(await authority.issue([host]), listener)
  return {
    env: {
      OUTBOUND_DNS_SERVER: dns.address,
      OUTBOUND_CA_FILE: authority.file,
      OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8',
    },
    /** What the platform asks for names. */
    dns,
    /** host:port, as URLs have it. */
    authority: `${host}:${server.port}`,
    /** An address on that host. */
    urlOf: (path: string) => `https://${host}:${server.port}/${path}`,
    async close() {
      await server.close()
      await dns.close()
      authority.close()
    },
  }
}

/** A platform, and one HTTPS host elsewhere. */
export async function openWorldBeside(host: string, listener: RequestListener, options: WorldOptions = {}) {
  const elsewhere = await openElsewhere(host, listener)
  const world = await openWorld({ ...options, env: { ...options.env, ...elsewhere.env } })
  return {
    ...elsewhere,
    world,
    async close() {
      await world.close()
      await elsewhere.close()
    },
  }
}

export type WorldBeside = Awaited<ReturnType<typeof openWorldBeside>>
