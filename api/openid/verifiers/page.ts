import { createHash } from 'node:crypto'
import type { SignInView } from '../../../activities/openid/verifiers/sign-ins.ts'
import { escaped, PAGE } from '../pages.ts'

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
:focus-visible { outline: 3px solid var(--act); outline-offset: 3px }
[role=status] { padding: .75rem; border: 1px solid var(--line); border-radius: .5rem }
@media (prefers-contrast: more) { [role=status], button { border-width: 3px } }
`

/** Looks whether the wallet has answered; without it the page loads itself again. */
const SCRIPT = `
const page = document.body.dataset
const status = document.querySelector('[role=status]')
async function look() {
  try {
    const response = await fetch(page.state, { headers: { accept: 'application/json' }, cache: 'no-store' })
    if (response.status === 429 || response.status >= 500) return setTimeout(look, 10000)
    if (!response.ok) return location.reload()
    const { state, failures } = await response.json()
    if (state === 'done') {
      status.textContent = 'Your credential was accepted. You are being signed in.'
      return location.replace(page.done)
    }
    if (state !== page.seen || String(failures) !== page.failures) return location.reload()
  } catch { /* offline for a moment: the next look tells */ }
  setTimeout(look, 2000)
}
setTimeout(look, 2000)
`

const sourceOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

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

/** Where the form of a page may lead to: the client, at the end. */
const originOf = (uri: string): string => {
  const { protocol, origin } = new URL(uri)
  return protocol === 'https:' || protocol === 'http:' ? origin : protocol
}

/** For the page of a sign-in: its own script, the client's logo, and the way back to the client. */
export const signInHeaders = (redirectUri: string, logoUri: string | null): Readonly<Record<string, string>> => ({
  ...COMMON,
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src ${sourceOf(STYLE)}`,
    `script-src ${sourceOf(SCRIPT)}`,
    `img-src data:${logoUri === null ? '' : ` ${originOf(logoUri)}`}`,
    "connect-src 'self'",
    `form-action 'self' ${originOf(redirectUri)}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
})

interface Document {
  title: string
  body: string
  /** Attributes of the body. */
  data?: Readonly<Record<string, string>>
  /** Seconds after which a browser without scripts loads the page again. */
  refreshSeconds?: number
  hasScript?: boolean
}

function page({ title, body, data = {}, refreshSeconds, hasScript }: Document): string {
  const attributes = Object.entries(data).map(([name, value]) => ` data-${name}="${escaped(value)}"`)
  const refresh =
    refreshSeconds === undefined ? '' : `<noscript><meta http-equiv="refresh" content="${refreshSeconds}"></noscript>`
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>${refresh}
<style>${STYLE}</style></head>
<body${attributes.join('')}><main>${body}</main>${hasScript ? `<script>${SCRIPT}</script>` : ''}</body>
</html>`
}

const cancelForm = (base: string, clientName: string): string =>
  `<form method="post" action="${escaped(base)}/cancel"><button type="submit">Go back to ${escaped(clientName)}</button></form>`

/** Says what went wrong to somebody who cannot go on. */
export const errorPage = (error: string, description: string | undefined): string =>
  page({
    title: 'The sign-in cannot go on',
    body: `<h1>The sign-in cannot go on</h1><p>${escaped(description ?? 'The request is not valid.')}</p>
<p>Go back to where you came from, and begin again. Code: <code>${escaped(error)}</code></p>`,
  })

export interface SignInPage {
  view: SignInView
  /** Path of the page. */
  base: string
  qrCode: string
}

/** What a browser is told of a sign-in. */
export function seenAs({
  state,
  answeredBy,
}: Pick<SignInView, 'state' | 'answeredBy'>): 'waiting' | 'returning' | 'done' | 'refused' {
  if (state !== 'PRESENTED') return state === 'WAITING' ? 'waiting' : 'refused'
  return answeredBy === 'other' ? 'done' : 'returning'
}

function statusOf({ view: { failures, answeredBy } }: SignInPage): string {
  if (answeredBy === 'same') return 'Your credential was accepted. Go on in your wallet: it leads you back.'
  return failures > 0
    ? 'The last credential was not accepted. You can present another one.'
    : 'Waiting for your wallet. This page continues by itself.'
}

/** The page of a sign-in. It works without a script: the link is a link, and the page loads itself again. */
export function signInPage(shown: SignInPage): string {
  const { view, base, qrCode } = shown
  const { clientName, logoUri, asked, links, failures, state } = view
  const title = `Sign in to ${clientName}`
  const logo =
    logoUri === null ? '' : `<img class="logo" src="${escaped(logoUri)}" alt="" referrerpolicy="no-referrer">`
  if (state === 'REFUSED')
    return page({
      title,
      body: `${logo}<h1>You are not signed in</h1>
<p role="status">Your wallet declined, or no credential was accepted.</p>${cancelForm(base, clientName)}`,
    })
  return page({
    title,
    data: { state: `${base}/state`, done: `${base}/done`, failures: String(failures), seen: seenAs(view) },
    refreshSeconds: 5,
    hasScript: true,
    body: `${logo}<h1>${escaped(title)}</h1>
<p>${escaped(clientName)} asks for: ${escaped(asked)}.</p>
<p role="status">${escaped(statusOf(shown))}</p>
<h2>With a wallet on this device</h2>
<a class="act" href="${escaped(links.same)}">Open your wallet</a>
<h2>With a wallet on another device</h2>
<p id="scan">Scan this code only if you opened this page yourself.</p>
<img class="qr" src="${escaped(qrCode)}" alt="QR code that opens the request in a wallet" aria-describedby="scan">
${cancelForm(base, clientName)}`,
  })
}
