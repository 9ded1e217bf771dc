import { randomUUID } from 'node:crypto'
import test from 'ava'
import { ALL_SCOPES, OPERATOR_SCOPES, type Scope } from '../../../protocol/tokens-logs/index.ts'
import { category, contentOf, type Entry, helpArticle, newSlug, policy, post } from '../../support/content.ts'
import { loggedAbout } from '../../support/credentials/dids.ts'
import { addClient } from '../../support/frame/tenants.ts'
import { openWorld, type Reply, type World } from '../../support/world.ts'

// no Temporal and no worker: what one request can finish works without them
let world: World
let operators: ReturnType<typeof contentOf>
test.before(async () => {
  world = await openWorld()
  operators = contentOf(world, await tokenWith(OPERATOR_SCOPES))
})
test.after.always(() => world?.close())

async function tokenWith(scopes: readonly Scope[]): Promise<string> {
  const { tenantId } = world.first
  return world.tokenOf(await addClient(world.dependencies.systemSql, { tenantId, scopes }))
}

const typeOf = (reply: Reply) => reply.json<{ type?: string }>().type?.replace('/problems#', '')

const faultsOf = (reply: Reply) => {
  const { type, errors = [] } = reply.json<{ type: string; errors?: { path: string; code: string }[] }>()
  return [reply.status, type.replace('/problems#', ''), ...errors.map(({ path, code }) => `${path}: ${code}`)]
}

const HELP = '/v1/help/articles'
const CATEGORIES = '/v1/blog/categories'
const POSTS = '/v1/blog/posts'
const POLICIES = '/v1/legal/policies'

test.serial(
  'an article is written by operators, read by anybody, found in the log, and deleted (specification, What the service does 10)',
  async (t) => {
    const body = helpArticle({ content: '# Hello\n\n[here](https://docs.example)' })
    const reply = await operators.create(HELP, body)
    t.is(reply.status, 201)
    const made = reply.json<Entry & Record<string, unknown>>()
    t.is(reply.headers.get('location'), `${HELP}/${made.id}`)
    t.like(made, { ...body, is_published: 1 })
    t.is(made.html, '<h1>Hello</h1>\n<p><a href="https://docs.example" rel="noopener">here</a></p>\n')
    for (const name of [made.id, made.id.toUpperCase(), made.slug])
      t.deepEqual((await operators.read(`${HELP}/${name}`)).json(), made)
    const changed = await operators.update(`${HELP}/${made.slug}`, { title: 'Other', content: '**b**' })
    t.like(changed.json(), { id: made.id, slug: made.slug, title: 'Other', html: '<p><strong>b</strong></p>\n' })
    t.is(changed.json().is_published, 0, 'what the body leaves out publishes nothing')
    t.is((await operators.remove(`${HELP}/${made.slug}`)).status, 204)
    for (const gone of [
      await operators.seen(`${HELP}/${made.id}`),
      await operators.remove(`${HELP}/${made.id}`),
      await operators.update(`${HELP}/${made.id}`, { title: 'Other', content: 'b' }),
    ])
      t.deepEqual([gone.status, typeOf(gone)], [404, 'help_article.not_found'])
    for (const what of ['CREATE', 'UPDATE', 'DELETE'])
      t.is((await loggedAbout(world, world.token, `HELP_ARTICLE_${what}_SUCCESS`, made.id)).length, 1, what)
  },
)

test.serial(
  'what is not published is a 404 like what does not exist, but for a token with platform:read',
  async (t) => {
    const { id: categoryId, slug: inCategory } = await operators.created(CATEGORIES, category())
    const drafts = [
      [HELP, await operators.created(HELP, helpArticle({ is_published: 0 }))],
      [HELP, await operators.created(HELP, helpArticle({ is_published: undefined }))],
      [POSTS, await operators.created(POSTS, post(categoryId, { is_published: 0 }))],
    ] as const
    const everything = await tokenWith(ALL_SCOPES.filter((scope) => scope !== 'platform:read'))
    for (const [path, { id, slug }] of drafts) {
      for (const name of [id, slug]) {
        const [draft, missing] = [
          await operators.read(`${path}/${name}`),
          await operators.read(`${path}/${randomUUID()}`),
        ]
        t.is(draft.status, 404)
        t.deepEqual({ ...draft.json(), instance: '' }, { ...missing.json(), instance: '' })
        t.is((await world.ask(`${path}/${name}`, { token: everything })).status, 404, 'no other scope will do')
        const seen = await operators.seen(`${path}/${name}`)
        t.is(seen.status, 200)
        t.is(seen.headers.get('cache-control'), 'no-store')
        t.is(seen.headers.get('etag'), null)
      }
      t.false((await operators.read(`${path}?limit=1000`)).text.includes(slug))
      t.true((await operators.seen(`${path}?limit=1000`)).text.includes(slug))
    }
    t.is((await operators.read(`${POSTS}?category=${inCategory}`)).json().total_count, 0)
    t.is((await operators.seen(`${POSTS}?category=${inCategory}`)).json().total_count, 1)
  },
)

test.serial('a tenant’s client, also the first tenant’s, writes nothing; nobody without a token does', async (t) => {
  for (const token of [world.token, await tokenWith(['platform:read']), await tokenWith(['accounts:write'])])
    for (const [path, body] of [
      [HELP, helpArticle()],
      [CATEGORIES, category()],
      [POLICIES, policy()],
    ] as const)
      t.is(typeOf(await world.ask(path, { token, body })), 'token.insufficient_scope')
  t.is((await world.ask(HELP, { body: helpArticle() })).status, 401)
})

test.serial(
  'what is published is kept by caches and read by browsers of any origin (RFC 9110, section 13.1.2)',
  async (t) => {
    const { slug } = await operators.created(HELP, helpArticle())
    for (const path of [`${HELP}/${slug}`, HELP, CATEGORIES, POSTS, POLICIES]) {
      const { headers } = await operators.read(path)
      const etag = headers.get('etag') ?? ''
      t.regex(etag, /^"[\w-]{43}"$/, path)
      t.deepEqual(
        ['cache-control', 'access-control-allow-origin', 'vary'].map((name) => headers.get(name)),
        ['public, max-age=60', '*', 'Authorization'],
      )
      const again = await operators.read(path, { 'if-none-match': etag })
      t.deepEqual([again.status, again.text], [304, ''], path)
      t.is((await operators.read(path, { 'if-none-match': '"x"' })).status, 200)
    }
  },
)

test.serial('of twenty that want one slug at once one gets it (pitfalls, Abuse 37)', async (t) => {
  const { id } = await operators.created(CATEGORIES, category())
  for (const [path, bodyOf] of [
    [HELP, (slug: string) => helpArticle({ slug })],
    [CATEGORIES, (slug: string) => category({ slug })],
    [POSTS, (slug: string) => post(id, { slug })],
    [POLICIES, (slug: string) => policy({ slug })],
  ] as const) {
    const slug = newSlug()
    const replies = await Promise.all(Array.from({ length: 20 }, () => operators.create(path, bodyOf(slug))))
    const statuses = replies.map(({ status }) => status).sort()
    t.deepEqual(statuses, [201, ...Array<number>(19).fill(409)], path)
    const refused = replies.find(({ status }) => status === 409)
    t.deepEqual(refused && faultsOf(refused), [409, 'content.slug_taken', 'slug: taken'])
  }
})

test.serial('a request that is repeated with its key is answered as before, and makes one entry', async (t) => {
  const body = helpArticle()
  const headers = { 'idempotency-key': randomUUID() }
  const token = await tokenWith(OPERATOR_SCOPES)
  const [first, second] = [
    await world.ask(HELP, { token, body, headers }),
    await world.ask(HELP, { token, body, headers }),
  ]
  t.deepEqual([first.status, second.status, second.text], [201, 201, first.text])
})

test.serial('a slug is words with hyphens, and no reserved word and no id', async (t) => {
  for (const [slug, code] of [
    ['', 'slug'],
    ['A', 'slug'],
    ['a_b', 'slug'],
    ['-a', 'slug'],
    ['a-', 'slug'],
    ['a--b', 'slug'],
    ['a/b', 'slug'],
    ['..', 'slug'],
    ['a b', 'slug'],
    ['é', 'slug'],
    ['a'.repeat(101), 'slug'],
    ['versions', 'reserved'],
    ['new', 'reserved'],
    [randomUUID(), 'reserved'],
  ] as const)
    t.deepEqual(faultsOf(await operators.create(HELP, helpArticle({ slug }))), [
      400,
      'content.invalid',
      `slug: ${code}`,
    ])
  for (const slug of ['a', '0', 'a'.repeat(99), 'new-things'])
    t.is((await operators.create(POLICIES, policy({ slug }))).status, 201, slug)
})

test.serial('each field that breaks its rule is named, all of them at once', async (t) => {
  const { id } = await operators.created(CATEGORIES, category())
  const wrong = { title: 'a\nb', excerpt: ' ', content: ' \n', image: 'http://cdn.example/x.png', slug: 'A' }
  t.deepEqual(faultsOf(await operators.create(POSTS, post(id, wrong))), [
    400,
    'content.invalid',
    'slug: slug',
    'title: text',
    'excerpt: text',
    'content: size',
    'image: url',
  ])
  for (const image of ['https://x.example/"onerror=1', "https://x.example/?a='b'<"])
    t.deepEqual(faultsOf(await operators.create(POSTS, post(id, { image }))), [400, 'content.invalid', 'image: url'])
  for (const image of ['javascript:alert(1)', 'data:image/png;base64,AA', 'https://', 'https://a b', 'https://u@h/x'])
    t.deepEqual(faultsOf(await operators.create(POSTS, post(id, { image }))), [400, 'content.invalid', 'image: url'])
  for (const is_published of [2, -1, 0.5, true, '1', null])
    t.deepEqual(faultsOf(await operators.create(POSTS, post(id, { is_published }))).slice(0, 2), [
      400,
      'request.invalid',
    ])
  t.deepEqual(faultsOf(await operators.create(HELP, helpArticle({ content: 'x'.repeat(100_001) }))), [
    400,
    'content.invalid',
    'content: size',
  ])
  t.is((await operators.create(HELP, helpArticle({ content: 'x '.repeat(50_000) }))).status, 201)
  for (const name of ['author_id', 'category_id', 'content', 'excerpt', 'is_published', 'slug', 'title']) {
    const reply = await operators.create(POSTS, post(id, { [name]: undefined }))
    t.deepEqual([reply.status, reply.text.includes(name)], [400, true], name)
  }
  const unknown = await operators.create(POSTS, post(id, { id: randomUUID() }))
  t.is(typeOf(unknown), 'request.invalid', 'what we decide cannot be sent')
})

test.serial('lists have pages, newest first, and no text', async (t) => {
  const { id, slug } = await operators.created(CATEGORIES, category())
  const made: string[] = []
  for (let nth = 0; nth < 3; nth++) made.unshift((await operators.created(POSTS, post(id))).id)
  const page = async (query: string) => (await operators.read(`${POSTS}?category=${slug}&${query}`)).json()
  const first = await page('limit=2')
  t.like(first, { limit: 2, total_count: 3, total_pages: 2 })
  const rows = [...(first.data as Entry[]), ...((await page('limit=2&page=2')).data as Entry[])]
  t.deepEqual(
    rows.map((row) => row.id),
    made,
  )
  t.false('content' in (rows[0] ?? {}))
})

test.serial('HTML that another version of the rules made is made anew', async (t) => {
  const { id } = await operators.created(HELP, helpArticle({ content: '**safe**' }))
  await world.dependencies.systemSql.query({
    text: `update help_articles set html = '<script>alert(1)</script>', rendering = 0 where id = $1`,
    values: [id],
  })
  t.is((await operators.read(`${HELP}/${id}`)).json().html, '<p><strong>safe</strong></p>\n')
})

test.serial('Markdown that is made to cost is refused, and holds up nobody', async (t) => {
  const texts = [
    '_a'.repeat(50_000),
    '> '.repeat(50_000),
    '1. '.repeat(33_000),
    '*a_b'.repeat(25_000),
    '<b>'.repeat(30_000),
  ]
  const waits: number[] = []
  const pulse = setInterval(async () => {
    const from = performance.now()
    await world.ask('/health/live')
    waits.push(performance.now() - from)
  }, 50)
  try {
    for (const content of texts) {
      const reply = await operators.create(HELP, helpArticle({ content }))
      t.regex(
        `${reply.status} ${typeOf(reply) ?? ''}`,
        /^(400 content\.too_(nested|complex)|503 documents\.unavailable)$/,
        content.slice(0, 8),
      )
    }
  } finally {
    clearInterval(pulse)
  }
  t.true(waits.length > 5)
  t.true(Math.max(...waits) < 2_000, `the slowest look took ${Math.max(...waits)} ms`)
})
