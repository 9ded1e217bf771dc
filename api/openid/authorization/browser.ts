import type { Request, Response } from 'express'
import type { Answer } from '../../../activities/openid/authorization/answers.ts'
import type { HookForm } from '../../../activities/openid/authorization/finish.ts'
import type { Problem } from '../../frame/problem.ts'
import { escaped, newNonce, PAGE, sendPage } from '../pages.ts'

const STYLE =
  ':root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:10vh auto;padding:0 1rem}button{font:inherit;padding:.6rem 1.2rem}'

const page = (title: string, body: string, nonce: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(title)}</title><style nonce="${nonce}">${STYLE}</style></head><body><main>${body}</main></body></html>`

/** Nobody frames these pages, and nothing but what is in them is loaded or run. `action`: where its form may go. */
function protect(response: Response, nonce: string, action = "'none'"): void {
  const rules = ["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'", `form-action ${action}`]
  const own = [`style-src 'nonce-${nonce}'`, `script-src 'nonce-${nonce}'`]
  response.set('Content-Security-Policy', [...rules, ...own].join('; '))
  response.set(PAGE)
}

/** A problem for a person: what is wrong, what to do, and the id that the issuer finds it by. */
const problemPage = ({ title, detail = '', instance }: Problem, nonce: string): string =>
  page(
    'The credential cannot be issued',
    `<h1>The credential cannot be issued</h1><p>${escaped(detail || title)}</p><p><small>Id of this request: ${escaped(instance)}</small></p>`,
    nonce,
  )

/** Requests of browsers get errors as pages, those of programs as JSON; neither can be framed. */
export function forBrowser(request: Request): Response {
  const { res } = request
  if (!res) throw new Error('a request has its response')
  const nonce = newNonce()
  protect(res, nonce)
  if (request.accepts(['json', 'html']) === 'html')
    res.locals.sendPage = (problem: Problem) => sendPage(res, problem.status, problemPage(problem, nonce))
  return res
}

/** The value of a cookie; of one that was sent twice nobody knows which is ours. */
export const cookiesOf =
  ({ headers }: Request) =>
  (name: string): string | undefined => {
    const found = (headers.cookie ?? '').split(';').flatMap((each) => {
      const [own = '', value = ''] = each.trim().split(/=(.*)/s)
      return own === name ? [value] : []
    })
    return found.length === 1 ? found[0] : undefined
  }

function setCookie(response: Response, { cookie }: Pick<Answer, 'cookie'>): void {
  if (!cookie) return
  const { name, value, seconds, secure } = cookie
  response.cookie(name, value, { httpOnly: true, sameSite: 'lax', path: '/', secure, maxAge: seconds * 1000 })
}

/** Notes for the log what became of the request. */
function note(request: Request, response: Response, { sessionId, problem }: Omit<Answer, 'location'>): void {
  if (sessionId) request.noted = { objectIds: [sessionId] }
  if (problem) response.locals.problem = problem
}

/** Sends the browser on, by GET, whatever it came with. */
export function redirect(request: Request, response: Response, answer: Answer): void {
  note(request, response, answer)
  setCookie(response, answer)
  // set as it is: express would encode a scheme of a wallet
  response.setHeader('Location', answer.location)
  response.status(request.method === 'GET' ? 302 : 303).end()
}

/** Sends a page that posts to the hook: by itself, or by its button where scripts are off. */
export function sendForm(request: Request, response: Response, { form, ...more }: HookForm): void {
  note(request, response, more)
  setCookie(response, more)
  const nonce = newNonce()
  protect(response, nonce, 'https:')
  const body = `<h1>One more step</h1><form method="post" action="${escaped(form.action)}"><input type="hidden" name="session_token" value="${escaped(form.token)}"><button>Continue</button></form><script nonce="${nonce}">document.forms[0].submit()</script>`
  sendPage(response, 200, page('One more step', body, nonce))
}
