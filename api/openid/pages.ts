import { randomBytes } from 'node:crypto'
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
