import { createHash } from 'node:crypto'
import express, { type Router } from 'express'

const STYLE = `
:root { color-scheme: light dark; --text: #16202c; --back: #f4f6f8; --card: #fff; --line: #7a8694; --act: #0b57a4; --on: #fff }
@media (prefers-color-scheme: dark) {
  :root { --text: #e9eef4; --back: #10161d; --card: #1a222c; --line: #8492a2; --act: #8ec2ff; --on: #0b1420 }
}
* { box-sizing: border-box }
body { margin: 0; padding: 1rem; background: var(--back); color: var(--text); font: 1.0625rem/1.5 system-ui, sans-serif }
main { max-width: 26rem; margin: 4vh auto; padding: 1.5rem; background: var(--card); border-radius: .75rem }
h1 { margin: 0 0 .5rem; font-size: 1.375rem; line-height: 1.25 }
label { display: block; margin-top: 1rem }
input { display: block; width: 100%; min-height: 3rem; padding: .5rem; border: 2px solid var(--line); border-radius: .5rem; font: inherit; background: none; color: inherit }
button { display: block; width: 100%; min-height: 3rem; margin-top: 1.5rem; border: 2px solid var(--act); border-radius: .5rem; background: var(--act); color: var(--on); font: inherit; font-weight: 600; cursor: pointer }
:focus-visible { outline: 3px solid var(--act); outline-offset: 3px }
[role=status]:not(:empty) { margin-top: 1rem; padding: .75rem; border: 1px solid var(--line); border-radius: .5rem }
`

/**
 * The link of a mail has its secret in the fragment, which no server gets. Nothing happens before a click: programs that
 * look at the links of mails click on none.
 */
const SCRIPT = `
const [purpose, token = ''] = location.hash.slice(1).split('=')
history.replaceState(null, '', location.pathname)
const status = document.querySelector('[role=status]')
const shown = document.getElementById(purpose) ?? document.getElementById('none')
shown.hidden = false
async function send(path, body, more = {}) {
  const headers = { 'content-type': 'application/json', 'x-requested-with': 'page', ...more }
  const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
  const answer = await response.json().catch(() => ({}))
  if (response.ok) return answer
  const [error] = answer.errors ?? []
  throw new Error([answer.detail ?? 'The platform does not answer.', error?.message].filter(Boolean).join(' – '))
}
const steps = {
  verify: async ({ password }) => {
    await send('/v1/auth/verify-email', { token, password })
    return 'Your address is confirmed. You can log in now.'
  },
  reset: async ({ password }) => {
    await send('/v1/auth/password-reset/confirm', { token, password })
    return 'Your password is set. You can log in with it now.'
  },
  invitation: async ({ email, password, totp }) => {
    const session = await send('/v1/auth/login', { email, password, ...(totp && { totp }) })
    const authorization = 'Bearer ' + session.access_token
    const { role } = await send('/v1/account/invitations', { token }, { authorization })
    return 'You are a member now. Your role is ' + role + '.'
  },
}
for (const form of document.forms)
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const button = form.querySelector('button')
    button.disabled = true
    try {
      status.textContent = await steps[form.parentElement.id](Object.fromEntries(new FormData(form)))
      form.hidden = true
    } catch (error) {
      status.textContent = error.message
      button.disabled = false
    }
  })
`

const field = (name: string, label: string, attributes: string) =>
  `<label for="NAME-${name}">${label}</label><input id="NAME-${name}" name="${name}" ${attributes}>`

const section = (id: string, title: string, text: string, fields: string[], action: string): string =>
  `<section id="${id}" hidden><h1>${title}</h1><p>${text}</p><form method="post" autocomplete="on">${fields
    .join('')
    .replaceAll('NAME', id)}<button>${action}</button></form></section>`

const BODY = [
  section(
    'verify',
    'Confirm your e-mail address',
    'Your account begins when you confirm that you have registered. If you have not, close this page.',
    [
      field(
        'password',
        'Password that you registered with',
        'type="password" autocomplete="current-password" required',
      ),
    ],
    'Confirm',
  ),
  section(
    'reset',
    'Set a new password',
    '8 to 128 characters. All your sessions end.',
    [
      field(
        'password',
        'New password',
        'type="password" autocomplete="new-password" minlength="8" maxlength="128" required',
      ),
    ],
    'Set the password',
  ),
  section(
    'invitation',
    'Join the organization',
    'Log in with the account of the address that was invited. If you have none, register with that address first.',
    [
      field('email', 'E-mail address', 'type="email" autocomplete="username" required'),
      field('password', 'Password', 'type="password" autocomplete="current-password" required'),
      field('totp', 'Code of your authenticator, if you have one', 'autocomplete="one-time-code" maxlength="32"'),
    ],
    'Log in and join',
  ),
  '<section id="none" hidden><h1>This link is not complete</h1><p>Open the whole link of the mail.</p></section>',
].join('')

const HTML = Buffer.from(
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Account</title><style>${STYLE}</style></head><body><main>${BODY}<noscript><p>This page needs JavaScript.</p></noscript><p role="status"></p></main><script>${SCRIPT}</script></body></html>`,
)

const sourceOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

const HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src ${sourceOf(STYLE)}`,
    `script-src ${sourceOf(SCRIPT)}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
  'Cache-Control': 'no-store',
}

/** Where the links of mails lead: to a page that does what its fragment says. */
export function accountPage(): Router {
  const router = express.Router({ caseSensitive: true, strict: true })
  router.get('/account', (_request, response) => {
    response.set(HEADERS).type('text/html').send(HTML)
  })
  return router
}
