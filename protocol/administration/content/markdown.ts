import { Marked } from 'marked'
import sanitizeHtml from 'sanitize-html'
import { Refusal } from '../../errors.ts'

/** Characters of HTML at most: a reference that is used often multiplies its text. */
const MAX_HTML = 1_000_000
/** Elements within each other at most. */
const MAX_DEPTH = 40

const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']
const TEXT = ['p', 'br', 'hr', 'strong', 'em', 'del', 'code', 'pre', 'blockquote', 'a', 'img']
const LISTS = ['ul', 'ol', 'li']
const TABLES = ['table', 'thead', 'tbody', 'tr', 'th', 'td']

/** A link leads to a web page or an address of mail, named in full: content is shown on other sites too. */
const LINK = /^(?:https?:\/\/[^/]|mailto:[^@\s]+@)/i
const PICTURE = /^https:\/\/[^/]/i

/** Whether a reader of URLs understands what the pattern saw: browsers drop tabs and ends of lines within a scheme. */
const isUrl = (text: string | undefined, form: RegExp): text is string =>
  text !== undefined && form.test(text) && !/[\p{Cc}\s\\]/u.test(text) && URL.canParse(text)

type Attributes = Record<string, string>

const linkOf = ({ href, title }: Attributes): Attributes => ({
  ...(isUrl(href, LINK) && { href }),
  ...(title !== undefined && { title }),
  rel: 'noopener',
})

const pictureOf = ({ src, alt, title }: Attributes): Attributes => ({
  ...(isUrl(src, PICTURE) && { src }),
  alt: alt ?? '',
  ...(title !== undefined && { title }),
})

const tooNested = () =>
  new Refusal('content.too_nested', `The content has more than ${MAX_DEPTH} elements within each other.`, [
    { path: 'content', code: 'depth', message: `expected lists, quotes and tags at most ${MAX_DEPTH} deep` },
  ])

const tooLarge = () =>
  new Refusal('content.too_complex', `The content makes more than ${MAX_HTML} characters of HTML.`, [
    { path: 'content', code: 'size', message: 'expected fewer links, tables and characters that need escapes' },
  ])

/** GFM, as most editors write it; a task is shown by a sign, because forms are no content. */
const markdown = new Marked({
  gfm: true,
  renderer: { checkbox: ({ checked }) => (checked ? '☑ ' : '☐ ') },
})

/** Elements without an end tag. */
const VOID = new Set(['br', 'hr', 'img'])

/** What readers get: elements of text and tables, links and pictures; nothing that runs, styles, embeds or sends. */
function sanitize(html: string): string {
  let depth = 0
  return sanitizeHtml(html, {
    allowedTags: [...HEADINGS, ...TEXT, ...LISTS, ...TABLES],
    allowedAttributes: {
      a: ['href', 'title', 'rel'],
      img: ['src', 'alt', 'title'],
      ol: ['start'],
      th: ['align'],
      td: ['align'],
    },
    allowedSchemes: ['http', 'https', 'mailto'],
    allowedSchemesByTag: { img: ['https'] },
    allowedSchemesAppliedToAttributes: ['href', 'src'],
    allowProtocolRelative: false,
    disallowedTagsMode: 'discard',
    // their text is no text for people
    nonTextTags: [
      'script',
      'style',
      'textarea',
      'option',
      'noscript',
      'title',
      'xmp',
      'svg',
      'math',
      'iframe',
      'template',
    ],
    transformTags: {
      a: (tagName, attributes) => ({ tagName, attribs: linkOf(attributes) }),
      img: (tagName, attributes) => ({ tagName, attribs: pictureOf(attributes) }),
      // `b` and `i` of authors who write HTML
      b: 'strong',
      i: 'em',
    },
    exclusiveFilter: ({ tag, attribs }) => tag === 'img' && attribs.src === undefined,
    parseStyleAttributes: false,
    onOpenTag: (name) => {
      if (!VOID.has(name) && ++depth > MAX_DEPTH) throw tooNested()
    },
    onCloseTag: (name) => {
      if (!VOID.has(name)) depth--
    },
  })
}

/** Deep input overflows the stack of the parsers, which go down into each quote and list. */
function withinStack(work: () => string): string {
  try {
    return work()
  } catch (error) {
    throw error instanceof RangeError ? tooNested() : error
  }
}

/**
 * Renders Markdown (GFM) as HTML of an allow-list. It may take seconds for a hostile text, so it runs in a thread.
 * Throws `Refusal('content.too_nested' | 'content.too_complex')`.
 */
export function renderMarkdown(text: string): string {
  const rendered = withinStack(() => markdown.parse(text, { async: false }))
  if (rendered.length > MAX_HTML) throw tooLarge()
  const html = withinStack(() => sanitize(rendered))
  if (html.length > MAX_HTML) throw tooLarge()
  return html
}
