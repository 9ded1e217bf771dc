/**
 * The script of the page of a request. It looks what has become of the request, and where the browser has the Digital
 * Credentials API it offers to ask wallets by it. Without the script the page loads itself again.
 */
export const PAGE_SCRIPT = `
const page = document.body.dataset
const say = (text) => { document.querySelector('[role=status]').textContent = text }

/** Returns how long until the next look; undefined: the page is left. */
async function look() {
  try {
    const response = await fetch(page.state, { headers: { accept: 'application/json' }, cache: 'no-store' })
    if (response.status === 429 || response.status >= 500) return 10000
    if (!response.ok) return void location.reload()
    const { state, failures } = await response.json()
    if (state === 'done') {
      say(page.accepted)
      return void location.replace(page.done)
    }
    if (state !== page.seen || String(failures) !== page.failures) return void location.reload()
  } catch { /* offline for a moment: the next look tells */ }
  return 2000
}

async function keepLooking() {
  const waitMs = await look()
  if (waitMs !== undefined) setTimeout(keepLooking, waitMs)
}

let isAsking = false
async function ask(request) {
  if (isAsking) return
  isAsking = true
  try {
    const { data } = await navigator.credentials.get({ mediation: 'required', digital: { requests: [request] } })
    say(page.checking)
    const body = typeof data === 'string' ? data : JSON.stringify(data)
    const response = await fetch(page.answer, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    if (response.status === 429 || response.status >= 500) throw new Error('not now')
    await look()
  } catch {
    say(page.failed)
    document.querySelector('#other').open = true
  }
  isAsking = false
}

async function offer() {
  if (typeof DigitalCredential === 'undefined') return
  const response = await fetch(page.request, { headers: { accept: 'application/json' }, cache: 'no-store' })
  if (!response.ok) return
  const request = await response.json()
  if (DigitalCredential.userAgentAllowsProtocol?.(request.protocol) === false) return
  document.querySelector('#ask').addEventListener('click', () => ask(request))
  document.querySelector('#browser').hidden = false
  document.querySelector('#other').open = false
}

if (page.state) {
  setTimeout(keepLooking, 2000)
  if (page.seen === 'waiting') offer().catch(() => undefined)
}
`
