import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Problem } from '../../client/index.ts'
import { useLocale, useSay, useTexts } from '../texts/index.ts'
import type { Loaded } from './load.ts'
import { Link, pathOf } from './router.tsx'

/** A moment in the reader's zone, with UTC beside it. */
export function Time({ at }: { at: string }) {
  const [locale, say] = [useLocale(), useSay()]
  const { frame } = useTexts()
  const moment = new Date(at)
  const own = moment.toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'medium' })
  const utc = moment.toLocaleString(locale, { dateStyle: 'short', timeStyle: 'short', timeZone: 'UTC' })
  return (
    <time dateTime={at} title={at}>
      {own} <small>{say(frame.utc, { time: utc })}</small>
    </time>
  )
}

/** The heading of a page: it has the focus when the page opens, and names it. */
export function Heading({ children, title }: { children: ComponentChildren; title: string }) {
  const texts = useTexts()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  useEffect(() => {
    document.title = `${title} – ${texts.title}`
  }, [title, texts.title])
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  )
}

/** What the platform says is English; a problem without a code is the page's own, in the reader's language. */
export const languageOf = ({ code }: Problem): 'en' | undefined => (code === '' ? undefined : 'en')

/** What went wrong, the fields that break a rule, and the id by which the log finds the request. */
export function Failure({ error }: { error: unknown }) {
  const { problem } = useTexts()
  const say = useSay()
  if (error === undefined) return null
  const known = error instanceof Problem ? error : undefined
  const titles: Readonly<Record<string, string>> = problem.titles
  const lang = known && languageOf(known)
  return (
    <div class="failure" role="alert">
      <strong>{known ? (titles[known.code] ?? problem.heading) : problem.away}</strong>
      <p lang={lang}>{known?.detail || problem.unknown}</p>
      {known && known.errors.length > 0 && (
        <ul lang={lang}>
          {known.errors.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              {path && <code>{path}</code>} {message}
            </li>
          ))}
        </ul>
      )}
      {known?.retryAfterSeconds !== undefined && <p>{say(problem.wait, { seconds: known.retryAfterSeconds })}</p>}
      {known && (
        <p class="quiet">
          {known.code && (
            <>
              {problem.code}: <a href={`/problems#${encodeURIComponent(known.code)}`}>{known.code}</a>{' '}
            </>
          )}
          {known.instance && (
            <>
              {problem.request}: <code>{known.instance}</code>
            </>
          )}
        </p>
      )}
    </div>
  )
}

interface ShownProps<Data> {
  loaded: Loaded<Data>
  children: (data: Data) => ComponentChildren
}

/** The answer, or why there is none. While the next one is on its way, the last one stays. */
export function Shown<Data>({ loaded: { data, error, isLoading }, children }: ShownProps<Data>) {
  const { frame } = useTexts()
  return (
    <div aria-busy={isLoading}>
      <Failure error={error} />
      {data === undefined ? isLoading && <p class="quiet">{frame.loading}</p> : children(data)}
    </div>
  )
}

export function Copy({ text }: { text: string }) {
  const { frame } = useTexts()
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 2_000)
  }
  return (
    <button type="button" class="small" onClick={() => void copy().catch(() => setCopied(false))}>
      {isCopied ? frame.copied : frame.copy}
    </button>
  )
}

/** Whatever it holds is text. */
export function Json({ value, summary, label = summary }: { value: unknown; summary: string; label?: string }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return (
    <details>
      <summary>{summary}</summary>
      <Copy text={text} />
      <Code text={text} label={label} />
    </details>
  )
}

/** Scrolls in itself, by keys too. */
export function Code({ text, label }: { text: string; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys (WCAG 2.1.1)
    <section class="code" tabIndex={0} aria-label={label}>
      <pre>{text}</pre>
    </section>
  )
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

export interface CurlProps {
  path: string
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  body?: unknown
  /** A file in place of a body. */
  upload?: { file: string; type: string }
  open?: boolean
}

export function commandOf({ path, method = 'GET', body, upload }: CurlProps, origin: string): string {
  const parts = [`curl -sS ${quoted(origin + path)}`, '-H "authorization: Bearer $TOKEN"']
  if (body !== undefined) parts.push("-H 'content-type: application/json'", `-d ${quoted(JSON.stringify(body))}`)
  if (upload) parts.push(`-H ${quoted(`content-type: ${upload.type}`)}`, `-T ${quoted(upload.file)}`)
  if (method !== (body === undefined ? 'GET' : 'POST')) parts.push(`-X ${method}`)
  return parts.join(' \\\n  ')
}

/** No client of a tenant may use these: their scopes are those of people, and of operators. */
const OF_PEOPLE = /^\/v1\/(account|organizations|tenants|environments|ecosystems|legal|help|blog)\b/

const variable = (name: string) => `'"$${name}"'`

/** The command that puts an access token into TOKEN; secrets are variables, which no history of a shell keeps. */
export function tokenCommandOf(origin: string, who: { clientId?: string; isPerson?: boolean }): string {
  const { clientId = variable('CLIENT_ID'), isPerson = false } = who
  const [path, body] = isPerson
    ? ['/v1/auth/login', `"email":"${variable('EMAIL')}","password":"${variable('PASSWORD')}"`]
    : [
        '/v1/auth/token',
        `"grantType":"client_credentials","clientId":"${clientId}","clientSecret":"${variable('CLIENT_SECRET')}"`,
      ]
  const command = [
    `TOKEN=$(curl -sS ${quoted(origin + path)}`,
    "-H 'content-type: application/json'",
    `-d '{${body}}'`,
    `| sed -n 's/.*"access_token":"\\([^"]*\\)".*/\\1/p')`,
  ]
  return command.join(' \\\n  ')
}

/** How to get the access token that commands need. `of`: the command that it stands at. */
export function TokenCurl({ of, ...who }: { of?: string; clientId?: string; isPerson?: boolean }) {
  const { frame, areas } = useTexts()
  const command = tokenCommandOf(location.origin, who)
  const hint = who.isPerson ? frame.tokenOfPerson : who.clientId ? frame.tokenOfThis : frame.tokenOfClient
  return (
    <details>
      <summary class="wrap">{frame.token}</summary>
      <Copy text={command} />
      <Code text={command} label={of === undefined ? frame.token : `${frame.token}: ${of}`} />
      <p class="quiet">
        {hint} {!who.isPerson && !who.clientId && <Link href={pathOf('clients')}>{areas.clients}</Link>}
      </p>
    </details>
  )
}

/** The command that does the same as the page, without a token. */
export function Curl({ open = false, ...request }: CurlProps) {
  const { frame } = useTexts()
  const command = commandOf(request, location.origin)
  const [place] = request.path.split('?')
  const title = `${frame.curl}: ${request.method ?? (request.body === undefined ? 'GET' : 'POST')} ${place}`
  return (
    <details open={open}>
      <summary class="wrap">{title}</summary>
      <Copy text={command} />
      <Code text={command} label={title} />
      <TokenCurl of={title} isPerson={OF_PEOPLE.test(request.path)} />
    </details>
  )
}

/** A list of names and values; what is undefined is left out. */
export function Facts({ facts }: { facts: [name: string, value: ComponentChildren | undefined][] }) {
  const known = facts.filter(([, value]) => value !== undefined && value !== '')
  return (
    <dl>
      {known.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

const GOOD = new Set(['active', 'COMPLETED', 'DELIVERED', 'enabled', 'ISSUED'])
const BAD = new Set(['revoked', 'FAILED', 'EXPIRED'])

/** A state in words; its colour repeats what they say. */
export function State({ name, children }: { name: string; children: ComponentChildren }) {
  return <span class={`state ${GOOD.has(name) ? 'good' : BAD.has(name) ? 'bad' : 'other'}`}>{children}</span>
}
