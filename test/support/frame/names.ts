import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { type DnsScript, startTestDns } from '../parts/dns.ts'
import { createTestAuthority, listenTls } from '../parts/tls.ts'

export interface Page {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
  json<T = Record<string, unknown>>(): T
}

/** What stands at a path of a host that is nobody's platform. */
export type Pages = Map<string, string>

const HERE: DnsScript = { A: ['127.0.0.1'] }

/**
 * A piece of the public web: a DNS server, a certificate authority, and an HTTPS front for every name, `issuer.test` and
 * its subdomains among them. `env` makes a platform live at https://issuer.test:<port> and see this web as the real one;
 * `apiPort` is where the front sends its requests once the platform is there.
 */
export async function openNames(customDomains: string[] = []) {
  const authority = await createTestAuthority()
  const dns = await startTestDns({ 'issuer.test': HERE, '*.issuer.test': HERE, 'elsewhere.test': HERE })
  for (const name of customDomains) dns.set(name, HERE)
  const certificate = await authority.issue([
    ...['issuer.test', '*.issuer.test', 'elsewhere.test', 'localhost'],
    ...customDomains,
  ])
  const elsewhere: Pages = new Map()
  const meanwhile = new Map<string, () => Promise<unknown>>()
  const platform = { apiPort: 0 }

  const front = await listenTls(certificate, (incoming, outgoing) => {
    const { method, url: path = '/', headers } = incoming
    if (/^(?:elsewhere\.test|localhost):/.test(headers.host ?? '')) {
      const answer = () => {
        const page = elsewhere.get(path)
        outgoing.writeHead(page === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(page)
      }
      const work = meanwhile.get(path)
      if (!work) return answer()
      work().then(answer, () => outgoing.writeHead(500).end())
      return
    }
    const onward = requestHttp({ host: '127.0.0.1', port: platform.apiPort, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.writeHead(502).end())
    incoming.pipe(onward)
  })

  return {
    port: front.port,
    /** Of the first tenant. */
    origin: `https://issuer.test:${front.port}`,
    env: {
      PUBLIC_URL: `https://issuer.test:${front.port}`,
      HOST: '127.0.0.1',
      OUTBOUND_DNS_SERVER: dns.address,
      OUTBOUND_CA_FILE: authority.file,
      OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8',
    },
    platform,
    dns,
    /** Files of https://elsewhere.test:<port>, and https://localhost:<port>, by path. */
    elsewhere,
    /** What happens while somebody reads such a file, by path: the file is answered after it. */
    meanwhile,
    /** As a stranger reads it: TLS checked against the authority, the name in the Host header. */
    read(host: string, path: string, headers: Record<string, string> = {}): Promise<Page> {
      const where = { host: '127.0.0.1', port: front.port, servername: host, path, agent: false as const }
      const sent = { ...headers, host: `${host}:${front.port}` }
      return new Promise((resolve, reject) => {
        requestHttps({ ...where, ca: authority.pem, headers: sent }, (answer) => {
          const chunks: Buffer[] = []
          answer.on('data', (chunk: Buffer) => chunks.push(chunk))
          answer.on('error', reject)
          answer.on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8')
            const { statusCode: status = 0, headers: received } = answer
            resolve({ status, headers: received, text, json: <T>() => JSON.parse(text) as T })
          })
        })
          .on('error', reject)
          .end()
      })
    },
    async close() {
      await front.close()
      await dns.close()
      authority.close()
    },
  }
}

export type Names = Awaited<ReturnType<typeof openNames>>
