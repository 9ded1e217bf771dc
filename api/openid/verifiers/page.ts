import type { SignInView } from '../../../activities/openid/verifiers/sign-ins.ts'
import { escaped, originOf, pageHeaders, pageOf, type Shown, sourceOf } from '../pages.ts'

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

/** For the page of a sign-in: its own script, the client's logo, and the way back to the client. */
export const signInHeaders = (redirectUri: string, logoUri: string | null): Readonly<Record<string, string>> =>
  pageHeaders({
    script: sourceOf(SCRIPT),
    leadsTo: redirectUri,
    ...(logoUri !== null && { pictures: originOf(logoUri) }),
  })

const page = ({ hasScript, ...shown }: Omit<Shown, 'lang' | 'script'> & { hasScript?: boolean }): string =>
  pageOf({ ...shown, lang: 'en', ...(hasScript && { script: `<script>${SCRIPT}</script>` }) })

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
