import { type FieldError, Refusal } from '../../errors.ts'
import { NOT_OF_URLS } from '../../hosts/urls.ts'
import { isLabel, LABEL_EXPECTED } from '../../names.ts'
import { isUuid } from '../../uuid.ts'

/** Version of the rules of markdown.ts: stored HTML of another version is made anew when it is read. */
export const RENDERING = 1

/** Characters of Markdown at most. */
export const MAX_MARKDOWN = 100_000

/** The part of an address that names a page: words of a-z and 0-9 with hyphens between. */
export const SLUG_PATTERN = '^[a-z0-9]+(?:-[a-z0-9]+)*$'
const SLUG = new RegExp(SLUG_PATTERN)
export const MAX_SLUG = 100
export const MAX_TEXT = 1_000
export const MAX_URL = 2_048

/** Words that addresses of sites, and of this API, have beside the names of pages. */
export const RESERVED_SLUGS: ReadonlySet<string> = new Set([
  ...['acceptances', 'accept', 'versions', 'categories', 'category', 'posts', 'post', 'articles', 'policies', 'legal'],
  ...['admin', 'api', 'assets', 'blog', 'docs', 'drafts', 'edit', 'feed', 'health', 'help', 'index', 'login', 'logout'],
  ...['metrics', 'new', 'null', 'preview', 'rss', 'search', 'settings', 'sitemap', 'static', 'undefined', 'wellknown'],
])

/** Content as operators write it. */
export interface Written {
  slug?: string
  name?: string
  title?: string
  description?: string
  excerpt?: string
  content?: string
  image?: string | null
}

type Check = (value: string) => { code: string; message: string } | undefined

const slug: Check = (value) => {
  if (value.length > MAX_SLUG || !SLUG.test(value))
    return { code: 'slug', message: `expected 1 to ${MAX_SLUG} characters: words of a-z and 0-9 with hyphens between` }
  if (RESERVED_SLUGS.has(value)) return { code: 'reserved', message: 'expected another word: this one is reserved' }
  return isUuid(value) ? { code: 'reserved', message: 'expected words, and no UUID, which is an id' } : undefined
}

const label: Check = (value) => (isLabel(value) ? undefined : { code: 'text', message: LABEL_EXPECTED })

const short: Check = (value) =>
  value.length <= MAX_TEXT && value.trim() !== ''
    ? undefined
    : { code: 'text', message: `expected 1 to ${MAX_TEXT} characters that are not all spaces` }

const content: Check = (value) =>
  value.length <= MAX_MARKDOWN && value.trim() !== ''
    ? undefined
    : { code: 'size', message: `expected 1 to ${MAX_MARKDOWN} characters of Markdown that are not all spaces` }

const image: Check = (value) => {
  const url =
    value.length <= MAX_URL &&
    !NOT_OF_URLS.test(value) &&
    /^https:\/\/[^/?#@]+(?:[/?#].*)?$/i.test(value) &&
    URL.canParse(value)
  const message = `expected an https URL of at most ${MAX_URL} characters, without spaces and "<>\\^\`{|}, or null`
  return url ? undefined : { code: 'url', message }
}

const CHECKS: readonly (readonly [keyof Written, Check])[] = [
  ['slug', slug],
  ['name', label],
  ['title', label],
  ['description', short],
  ['excerpt', short],
  ['content', content],
  ['image', image],
]

/** Throws `Refusal('content.invalid')` with every field that breaks a rule. */
export function checkContent(written: Written): void {
  const errors = CHECKS.flatMap(([path, check]): FieldError[] => {
    const value = written[path]
    const fault = value === undefined || value === null ? undefined : check(value)
    return fault ? [{ path, ...fault }] : []
  })
  if (errors.length > 0) throw new Refusal('content.invalid', 'The content cannot be used; see errors.', errors)
}
