import DNS from 'dns2'
import { freePort } from '../../../stack/parts/ports.ts'

export interface DnsRecords {
  A?: string[]
  AAAA?: string[]
  /** Texts; one that is longer than 255 characters is sent as several strings. */
  TXT?: string[]
  CNAME?: string
  ttl?: number
  /** What the server answers in place of records (RFC 1035, section 4.1.1): 2 is a failure of its own. */
  rcode?: number
  /** The same for queries of some types. */
  rcodes?: Partial<Record<DnsType, number>>
}

export type DnsType = 'A' | 'AAAA' | 'TXT'

/** What a name answers; a function is asked for each query with the number of queries of that kind before it. */
export type DnsScript = DnsRecords | ((type: DnsType, nth: number) => DnsRecords)

export interface TestDns {
  /** `127.0.0.1:port`, for OUTBOUND_DNS_SERVER. */
  address: string
  /** Adds or replaces a name; `*.example.test` answers for every name below. */
  set(name: string, script: DnsScript): void
  /** Queries so far, as `A name`. */
  queries: string[]
  close(): Promise<void>
}

const NXDOMAIN = 3

const typeOf = (type: number | undefined): DnsType => {
  if (type === DNS.Packet.TYPE.TXT) return 'TXT'
  return type === DNS.Packet.TYPE.AAAA ? 'AAAA' : 'A'
}

/** A real DNS server on a free port of 127.0.0.1 that answers as scripted; unknown names do not exist. */
export async function startTestDns(names: Record<string, DnsScript> = {}): Promise<TestDns> {
  const scripts = new Map(Object.entries(names))
  const queries: string[] = []

  const find = (name: string) => scripts.get(name) ?? scripts.get(name.replace(/^[^.]+/, '*'))

  const ask = (name: string, type: DnsType): DnsRecords | undefined => {
    const script = find(name)
    const query = `${type} ${name}`
    const nth = queries.filter((each) => each === query).length
    queries.push(query)
    return typeof script === 'function' ? script(type, nth) : script
  }

  const answers = (name: string, type: DnsType, depth = 0): DNS.Packet.Resource[] | undefined => {
    const records = ask(name, type)
    if (!records) return depth === 0 ? undefined : []
    const { Packet } = DNS
    const common = { name, class: Packet.CLASS.IN, ttl: records.ttl ?? 0 }
    if (records.CNAME !== undefined && depth < 4) {
      const alias = { ...common, type: Packet.TYPE.CNAME, domain: records.CNAME } as DNS.Packet.Resource
      return [alias, ...(answers(records.CNAME, type, depth + 1) ?? [])]
    }
    if (type === 'TXT')
      return (records.TXT ?? []).map(
        (text) => ({ ...common, type: Packet.TYPE.TXT, data: text.match(/.{1,255}/gs) ?? [''] }) as DNS.Packet.Resource,
      )
    return (records[type] ?? []).map(
      (address) => ({ ...common, type: Packet.TYPE[type], address }) as DNS.Packet.Resource,
    )
  }

  const handle: DNS.DnsHandler = (request, send) => {
    const response = DNS.Packet.createResponseFromRequest(request)
    const [question] = request.questions
    const type = typeOf(question?.type)
    const script = question && find(question.name.toLowerCase())
    const rcode = typeof script === 'object' ? (script.rcode ?? script.rcodes?.[type]) : undefined
    const found = question && rcode === undefined ? answers(question.name.toLowerCase(), type) : undefined
    if (rcode !== undefined) response.header.rcode = rcode
    else if (found) response.answers.push(...found)
    else response.header.rcode = NXDOMAIN
    send(response).catch(() => undefined) // the asker may be gone
  }

  const server = DNS.createServer({ udp: true, handle })
  const tcp = DNS.createTCPServer(handle) // answers that are too long for a datagram are asked for again over TCP
  const port = await freePort() // one number for both, from where no outgoing connection takes it
  await new Promise<void>((resolve, reject) => tcp.once('error', reject).listen(port, '127.0.0.1', resolve))
  await server.listen({ udp: { port, address: '127.0.0.1' } })
  return {
    address: `127.0.0.1:${port}`,
    set: (name, script) => scripts.set(name, script),
    queries,
    close: async () => {
      await Promise.all([server.close(), new Promise((resolve) => tcp.close(resolve))])
    },
  }
}
