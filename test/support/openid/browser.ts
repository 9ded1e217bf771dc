import { request as plain } from 'node:http'
import { request as secure } from 'node:https'

export interface Shown {
  status: number
  headers: Record<string, string | string[] | undefined>
  location: string | undefined
  text: string
}

interface Sent {
  form?: Record<string, string>
  /** A post from another site: cookies with SameSite=Lax stay away (RFC 6265bis, section 5.6.7.1). */
  crossSite?: boolean
}

/** Where a host name is: on which port of loopback, and with TLS or not. */
export interface Place {
  port: number
  tls: boolean
}

interface Cookie {
  value: string
  attributes: string
}

/**
 * A holder's browser: cookies by host, redirects one by one. `places`: by host name; a name that is not there is not
 * followed, as an address of a wallet.
 */
export function openBrowser(places: Readonly<Record<string, Place>>, ca: string) {
  const jars = new Map<string, Map<string, Cookie>>()
  const jarOf = (host: string) => {
    const jar = jars.get(host) ?? new Map<string, Cookie>()
    jars.set(host, jar)
    return jar
  }

  function keep(host: string, line: string): void {
    const [, name = '', value = '', attributes = ''] = /^([^=]+)=([^;]*);?(.*)$/s.exec(line) ?? []
    if (/Max-Age=0\b|Expires=Thu, 01 Jan 1970/i.test(attributes)) jarOf(host).delete(name)
    else jarOf(host).set(name, { value, attributes })
  }

  /** One request. */
  const open = (url: string, { form, crossSite = false }: Sent = {}) =>
    new Promise<Shown>((resolve, reject) => {
      const { hostname, host, pathname, search } = new URL(url)
      const place = places[hostname]
      if (!place) return reject(new Error(`the browser does not go to ${hostname}`))
      const jar = [...jarOf(hostname)].filter(
        ([, { attributes }]) => !(crossSite && form && /SameSite=Lax/i.test(attributes)),
      )
      const body = form && new URLSearchParams(form).toString()
      const headers = {
        host,
        accept: 'text/html,application/xhtml+xml',
        cookie: jar.map(([name, { value }]) => `${name}=${value}`).join('; '),
        ...(body !== undefined && {
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': Buffer.byteLength(body),
        }),
      }
      const where = { host: 'localhost', port: place.port, path: pathname + search, method: body ? 'POST' : 'GET' }
      const options = { ...where, headers, agent: false }
      const outgoing = place.tls ? secure({ ...options, host: '127.0.0.1', servername: hostname, ca }) : plain(options)
      outgoing.on('error', reject)
      outgoing.on('response', (answer) => {
        for (const line of answer.headers['set-cookie'] ?? []) keep(hostname, line)
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('error', reject)
        answer.on('end', () => {
          const { statusCode: status = 0, headers: received } = answer
          const location = received.location === undefined ? undefined : new URL(received.location, url).href
          resolve({ status, headers: received, location, text: Buffer.concat(chunks).toString('utf8') })
        })
      })
      outgoing.end(body)
    })

  return {
    open,
    cookies: (host: string) => jarOf(host),
    /** Follows redirects until there is none, or until one leads to `end`; returns the last response. */
    async follow(url: string, end: string, sent?: Sent): Promise<Shown> {
      let shown = await open(url, sent)
      for (let hops = 0; hops < 12; hops += 1) {
        const { location } = shown
        if (location === undefined || location.startsWith(end)) return shown
        shown = await open(location)
      }
      throw new Error('too many redirects')
    },
  }
}

export type Browser = ReturnType<typeof openBrowser>

/** The form of a page: where it goes, and what it holds. */
export function formIn(html: string): { action: string; fields: Record<string, string> } {
  const plainText = (text = '') => text.replaceAll('&amp;', '&').replaceAll('&quot;', '"')
  const [, action] = /<form[^>]* action="([^"]*)"/.exec(html) ?? []
  const inputs = [...html.matchAll(/<input[^>]* name="([^"]*)" value="([^"]*)"/g)]
  if (action === undefined) throw new Error(`no form in ${html.slice(0, 200)}`)
  return {
    action: plainText(action),
    fields: Object.fromEntries(inputs.map(([, name = '', value]) => [name, plainText(value)])),
  }
}
