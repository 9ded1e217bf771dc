interface Cookie {
  name: string
  value: string
  path: string
}

export interface Page {
  status: number
  url: string
  headers: Headers
  text: string
  /** Absolute; undefined without a redirect. */
  location: string | undefined
}

/** A browser with cookies of its own, which go to their path and below it (RFC 6265, section 5.1.4). */
export function openBrowser() {
  const cookies: Cookie[] = []
  const cookiesFor = (pathname: string) =>
    cookies.filter(({ path }) => pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`))

  function keep(header: string): void {
    const [pair = '', ...attributes] = header.split(/; */)
    const [name = '', value = ''] = pair.split(/=(.*)/s)
    const path = attributes.find((each) => /^path=/i.test(each))?.slice(5) ?? '/'
    const known = cookies.findIndex((each) => each.name === name && each.path === path)
    if (known !== -1) cookies.splice(known, 1)
    const isOver = attributes.some((each) => /^expires=/i.test(each) && new Date(each.slice(8)) < new Date())
    if (!isOver && value !== '') cookies.push({ name, value, path })
  }

  async function open(url: string, form?: Record<string, string>, headers: Record<string, string> = {}): Promise<Page> {
    const cookie = cookiesFor(new URL(url).pathname).map(({ name, value }) => `${name}=${value}`)
    const response = await fetch(url, {
      method: form ? 'POST' : 'GET',
      redirect: 'manual',
      headers: { accept: 'text/html', ...(cookie.length > 0 && { cookie: cookie.join('; ') }), ...headers },
      ...(form && { body: new URLSearchParams(form) }),
    })
    for (const header of response.headers.getSetCookie()) keep(header)
    const location = response.headers.get('location')
    return {
      status: response.status,
      url,
      headers: response.headers,
      text: await response.text(),
      location: location === null ? undefined : new URL(location, url).href,
    }
  }

  return {
    open,
    cookies,
    /** Follows redirects to a page, or to an address that begins with `until`. */
    async follow(url: string, until: string): Promise<Page> {
      let page = await open(url)
      for (let hops = 0; page.location !== undefined && !page.location.startsWith(until) && hops < 8; hops += 1)
        page = await open(page.location)
      return page
    },
  }
}

export type Browser = ReturnType<typeof openBrowser>
