import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import test from 'ava'
import { openWorld, type World } from '../support/world.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const MOST_BYTES = 150_000

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const assetsOf = (html: string): string[] =>
  [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path ?? '')

test('the page and every route of it are one page, with a policy that allows nothing inline and nothing from elsewhere', async (t) => {
  const pages = [
    '/console',
    '/console/',
    '/console/credentials',
    '/console/credentials/x',
    '/console/dids/did%3Akey%3Az6',
  ]
  const replies = await Promise.all(pages.map((path) => world.ask(path)))
  for (const { status, headers, text } of replies) {
    t.is(status, 200)
    t.is(text, String(replies[0]?.text))
    t.is(headers.get('content-type'), 'text/html; charset=utf-8')
    t.is(
      headers.get('content-security-policy'),
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    )
    t.is(headers.get('x-content-type-options'), 'nosniff')
    t.is(headers.get('referrer-policy'), 'no-referrer')
    t.is(headers.get('x-frame-options'), 'DENY')
    t.is(headers.get('cache-control'), 'no-cache')
    t.notRegex(text, /<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=/, 'nothing is inline')
  }
})

test('assets are kept for ever under names with their hash; one that is not there is a problem', async (t) => {
  const { text } = await world.ask('/console')
  const assets = assetsOf(text)
  t.is(assets.length, 2)
  for (const path of assets) {
    t.regex(path, /^\/console\/assets\/index-[\w-]{8}\.(js|css)$/)
    const { status, headers } = await world.ask(path)
    t.is(status, 200)
    t.is(headers.get('cache-control'), 'public, max-age=31536000, immutable')
    t.is(headers.get('x-content-type-options'), 'nosniff')
    t.truthy(headers.get('etag'))
  }
  for (const path of [
    '/console/assets/index-00000000.js',
    '/console/assets/',
    '/console/assets/..%2findex.html',
    '/console/assets/a/b',
  ]) {
    const reply = await world.ask(path)
    t.is(reply.status, 404, path)
    t.is(reply.headers.get('content-type'), 'application/problem+json')
    t.is(reply.headers.get('cache-control'), 'no-store', 'another process may have the file')
    t.is(reply.json<{ type: string }>().type, '/problems#request.not_found')
  }
})

test('who has a file already gets none, and each form of a file has its own mark', async (t) => {
  const zipped = await world.ask('/console', { headers: { 'accept-encoding': 'gzip' } })
  const plain = await world.ask('/console', { headers: { 'accept-encoding': 'identity' } })
  t.is(zipped.headers.get('content-encoding'), 'gzip')
  t.is(plain.headers.get('content-encoding'), null)
  t.is(zipped.text, plain.text)
  t.is(zipped.headers.get('vary'), 'Accept-Encoding')
  const [one, other] = [zipped.headers.get('etag') ?? '', plain.headers.get('etag') ?? '']
  t.not(one, other)
  const again = await world.ask('/console', { headers: { 'accept-encoding': 'gzip', 'if-none-match': one } })
  t.deepEqual([again.status, again.text], [304, ''])
  t.is((await world.ask('/console', { headers: { 'accept-encoding': 'identity', 'if-none-match': one } })).status, 200)
})

test('nothing but reading is answered there', async (t) => {
  t.is((await world.ask('/console', { method: 'HEAD' })).status, 200)
  for (const path of ['/console', '/console/credentials']) t.is((await world.ask(path, { body: {} })).status, 404, path)
  t.is((await world.ask('/consoles')).status, 404)
})

test('all that a browser loads in a language is less than 150 kB compressed (issue of the console)', async (t) => {
  const { text } = await world.ask('/console')
  const bodies = await Promise.all(assetsOf(text).map(async (path) => (await world.ask(path)).text))
  for (const language of ['en', 'de']) {
    // the script names the file of each language
    const [file = ''] = new RegExp(`\\b${language}-[\\w-]+\\.js`).exec(bodies.join('\n')) ?? []
    const texts = await world.ask(`/console/assets/${file}`)
    t.is(texts.status, 200, language)
    const bytes = [text, ...bodies, texts.text]
      .map((body) => gzipSync(body).length)
      .reduce((sum, each) => sum + each, 0)
    t.true(bytes > 5_000 && bytes < MOST_BYTES, `${language}: ${bytes} bytes`)
  }
})

const sources = globSync('console/**/*.{ts,tsx}', { cwd: root }).map((path) => ({
  path,
  text: readFileSync(join(root, path), 'utf8'),
}))

test('every address that the console names is an operation of the API document', async (t) => {
  const { paths } = (await world.ask('/openapi.json')).json<{ paths: Record<string, object> }>()
  const patterns = Object.keys(paths).map((path) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`))
  const named = sources.flatMap(({ text }) =>
    [...text.matchAll(/['"`](\/(?:v1|vc-api|\.well-known)\/[^'"`?]*)/g)].map(([, path = '']) =>
      path.replaceAll(/\$\{[^}]*\}/g, 'x'),
    ),
  )
  t.true(named.length > 30, 'addresses are found')
  t.deepEqual(
    named.filter((path) => !patterns.some((pattern) => pattern.test(path))),
    [],
  )
})

test('the console asks by the typed client only, and keeps nothing in the browser', (t) => {
  t.true(sources.length > 20)
  const forbidden =
    /\bfetch\(|XMLHttpRequest|localStorage|sessionStorage|indexedDB|document\.cookie|innerHTML|\beval\(|https?:\/\/(?!\w+\.university\.example|www\.w3\.org|schema\.org)/
  // the chosen language is the one thing that is kept
  const kept = (path: string, line: string) =>
    path === 'console/texts/choice.ts' && /document\.cookie(\)| = `language=)/.test(line)
  const found = sources.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, at) => (!kept(path, line) && forbidden.test(line) ? [`${path}:${at + 1} ${line.trim()}`] : [])),
  )
  t.deepEqual(found, [])
})
