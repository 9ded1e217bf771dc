import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import express, { type Router } from 'express'
import { PROBLEMS } from '../problems.ts'
import { completeOpenApi } from './index.ts'
import type { OpenApi } from './paths.ts'

const require = createRequire(import.meta.url)
/** Swagger UI's own files, from its package: /docs works offline (D-006). */
const swaggerUi = dirname(require.resolve('swagger-ui-dist/package.json'))
const ASSETS = ['swagger-ui.css', 'swagger-ui-bundle.js']

const page = (title: string, body: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title></head><body>${body}</body></html>`

const REFERENCE = page(
  'Countersign API',
  `<link rel="stylesheet" href="/docs/swagger-ui.css"><div id="app"></div>
<script src="/docs/swagger-ui-bundle.js"></script><script src="/docs/start.js"></script>`,
)

const START = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#app', deepLinking: true, validatorUrl: null })`

const SAME_ORIGIN = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'"

const html = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

const cells = (...texts: string[]) => texts.map((text) => `<td>${text}</td>`).join('')

const PROBLEM_PAGE = page(
  'Problems',
  `<style>td, th { padding: .4em .8em .4em 0; text-align: left; vertical-align: top } :target { background: #ff9 }</style>
<h1>Problems</h1><p>The <code>type</code> of an error response leads to one of these rows.</p>
<table><thead><tr><th>Code</th><th>Status</th><th>Meaning</th><th>What to do</th></tr></thead><tbody>
${PROBLEMS.map(
  ({ code, status, meaning, remedy }) =>
    `<tr id="${code}">${cells(`<code>${code}</code>`, String(status), html(meaning), html(remedy))}</tr>`,
).join('\n')}
</tbody></table>`,
)

/** /openapi.json, completed when it is first asked for (D-894), /docs (works offline), to which / leads, and /problems. */
export function docs(openApi: OpenApi): Router {
  const router = express.Router({ caseSensitive: true, strict: true })
  let document: string | undefined
  router.get('/openapi.json', (_request, response) => {
    document ??= JSON.stringify(completeOpenApi(openApi))
    response.type('json').send(document)
  })
  router.get('/', (_request, response) => response.redirect('/docs'))
  router.get('/docs', (_request, response) => {
    response.set('Content-Security-Policy', SAME_ORIGIN).type('html').send(REFERENCE)
  })
  for (const asset of ASSETS)
    router.get(`/docs/${asset}`, (_request, response, next) => {
      response.set('Cache-Control', 'public, max-age=3600').sendFile(join(swaggerUi, asset), (error?: Error) => {
        if (error && !response.destroyed) next(error)
        else if (error) response.end() // the caller has hung up
      })
    })
  router.get('/docs/start.js', (_request, response) => {
    response.type('js').send(START)
  })
  router.get('/problems', (_request, response) => {
    response.set('Content-Security-Policy', SAME_ORIGIN).type('html').send(PROBLEM_PAGE)
  })
  return router
}
