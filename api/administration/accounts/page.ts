import express, { type Router } from 'express'

const HEADERS = { 'Referrer-Policy': 'no-referrer', 'Cache-Control': 'no-store' }

/**
 * Where the links of mails lead: to their page of the console. Their secret is in the fragment, which no server gets, and
 * which browsers take along to the address of a redirect (RFC 9110, section 10.2.2).
 */
export function accountPage(): Router {
  const router = express.Router({ caseSensitive: true, strict: true })
  router.get('/account', (_request, response) => {
    response.set(HEADERS).redirect('/console/link')
  })
  return router
}
