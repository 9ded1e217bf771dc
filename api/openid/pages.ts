import { createHash, randomBytes } from 'node:crypto'
import type { Response } from 'express'

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text for the content or a quoted attribute of an HTML element. */
export const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')

/** Sends a page to a person. As bytes: express makes no ETag of a page that is for one person. */
export const sendPage = (response: Response, status: number, html: string): void => {
  response.status(status).type('text/html').send(Buffer.from(html))
}

/** Names the styles and scripts of one page in its Content-Security-Policy. */
export const newNonce = (): string => randomBytes(16).toString('base64')

/** Headers of all pages: nobody frames or keeps them, and no address of them goes to another site. */
export const PAGE = {
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
} as const

const STYLE = `
:root { color-scheme: light dark; --text: #16202c; --back: #f4f6f8; --card: #fff; --line: #7a8694; --act: #0b57a4; --on: #fff }
@media (prefers-color-scheme: dark) {
  :root { --text: #e9eef4; --back: #10161d; --card: #1a222c; --line: #8492a2; --act: #8ec2ff; --on: #0b1420 }
}
* { box-sizing: border-box }
body { margin: 0; padding: 1rem; background: var(--back); color: var(--text); font: 1.0625rem/1.5 system-ui, sans-serif }
main { max-width: 26rem; margin: 4vh auto; padding: 1.5rem; background: var(--card); border-radius: .75rem }
h1 { margin: 0 0 .5rem; font-size: 1.375rem; line-height: 1.25; overflow-wrap: anywhere }
h2 { margin: 1.5rem 0 .5rem; font-size: 1.0625rem }
p { margin: .5rem 0; overflow-wrap: anywhere }
.logo { max-width: 8rem; max-height: 4rem; margin-bottom: 1rem }
.qr { display: block; width: min(100%, 16rem); height: auto; margin: .5rem auto; padding: .5rem; background: #fff; border-radius: .5rem; image-rendering: pixelated }
.act, button { display: block; width: 100%; min-height: 3rem; padding: .75rem 1rem; border: 2px solid var(--act); border-radius: .5rem; background: var(--act); color: var(--on); font: inherit; font-weight: 600; text-align: center; text-decoration: none; cursor: pointer }
button { margin-top: 1.5rem; background: none; color: var(--act) }
button.act { margin-top: 0; background: var(--act); color: var(--on) }
[hidden] { display: none }
summary { margin: 1.5rem 0 .5rem; padding: .25rem 0; font-weight: 700; cursor: pointer }
:focus-visible { outline: 3px solid var(--act); outline-offset: 3px }
[role=status] { padding: .75rem; border: 1px solid var(--line); border-radius: .5rem }
@media (prefers-contrast: more) { [role=status], button { border-width: 3px } }
`

/** Names a style or a script in a Content-Security-Policy by what it is. */
export const sourceOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

const COMMON = {
  ...PAGE,
  'Cache-Control': 'no-store',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
}

/** For pages without a script, that nobody may frame. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  ...COMMON,
  'Content-Security-Policy': `default-src 'none'; style-src ${sourceOf(STYLE)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
}

/** What a policy calls the place of an address: its origin, or the scheme of an app. */
export const originOf = (uri: string): string => {
  const { protocol, origin } = new URL(uri)
  return protocol === 'https:' || protocol === 'http:' ? origin : protocol
}

/** `script`: the source that may run. `leadsTo`: where the form may lead to at the end. `pictures`: whose are shown. */
export const pageHeaders = ({
  script,
  leadsTo,
  pictures,
}: {
  script: string
  leadsTo: string
  pictures?: string
}): Readonly<Record<string, string>> => ({
  ...COMMON,
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src ${sourceOf(STYLE)}`,
    `script-src ${script}`,
    `img-src data:${pictures === undefined ? '' : ` ${pictures}`}`,
    "connect-src 'self'",
    `form-action 'self' ${originOf(leadsTo)}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
})

export interface Shown {
  lang: string
  title: string
  body: string
  /** Attributes of the body. */
  data?: Readonly<Record<string, string>>
  /** Seconds after which a browser without scripts loads the page again. */
  refreshSeconds?: number
  /** The element of the script. */
  script?: string
}

/** A page with a card in the middle. */
export function pageOf({ lang, title, body, data = {}, refreshSeconds, script = '' }: Shown): string {
  const attributes = Object.entries(data).map(([name, value]) => ` data-${name}="${escaped(value)}"`)
  const refresh =
    refreshSeconds === undefined ? '' : `<noscript><meta http-equiv="refresh" content="${refreshSeconds}"></noscript>`
  return `<!doctype html>
<html lang="${lang}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>${refresh}
<style>${STYLE}</style></head>
<body${attributes.join('')}><main>${body}</main>${script}</body>
</html>`
}
