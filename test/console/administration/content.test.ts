import { randomUUID } from 'node:crypto'
import anyTest from 'ava'
import { looksRight } from '../../support/console/appearance.ts'
import { closeBrowser, memberOf, openConsole, operatorOf, settled } from '../../support/console/browser.ts'
import { category, contentOf, type Entry, helpArticle, newSlug, policy, post } from '../../support/content.ts'
import { operatorToken } from '../../support/ecosystems.ts'
import { needs } from '../../support/parts.ts'
import { openWorld, type World } from '../../support/world.ts'

const test = needs('Chromium', anyTest.serial)

/** Scripts, links that run one, right-to-left marks, and 10 kB without a blank. */
const HOSTILE = [
  '<script>globalThis.hit=1</script>',
  '<img src=x onerror="globalThis.hit=1">',
  '[click](javascript:globalThis.hit=1)',
  '\u202Eright to left\u200F',
  'x'.repeat(10_000),
].join('\n\n')

let world: World
let operator: ReturnType<typeof contentOf>
let made: { article: Entry; post: Entry; category: Entry; policy: Entry }
anyTest.before(async () => {
  world = await openWorld()
  operator = contentOf(world, await operatorToken(world))
  const blog = await operator.created('/v1/blog/categories', category({ name: '<b>News</b>' }))
  made = {
    category: blog,
    article: await operator.created('/v1/help/articles', helpArticle({ content: HOSTILE, title: '<b>A page</b>' })),
    post: await operator.created('/v1/blog/posts', post(blog.id, { content: HOSTILE, is_published: 0 })),
    policy: await operator.created('/v1/legal/policies', policy({ content: HOSTILE })),
  }
})
anyTest.after.always(async () => {
  await closeBrowser()
  await world?.close()
})

test('an operator writes an article, publishes it and deletes it', async (t) => {
  const { page, complaints, close } = await openConsole(world, await operatorOf(world), '/console/content')
  const slug = newSlug()
  await page.fill('input[name=slug]', 'Not A Slug')
  await page.fill('input[name=title]', 'First steps')
  await page.fill('textarea[name=content]', 'Some *text*.')
  await page.click('.form button:text-is("Create")')
  await page.waitForSelector('input[name=slug][aria-invalid] ~ .fault')
  await page.fill('input[name=slug]', slug)
  await page.click('.form button:text-is("Create")')
  await page.waitForSelector('h1:has-text("First steps")')
  await page.waitForSelector('.state:text-is("draft")')
  t.is((await operator.read(`/v1/help/articles/${slug}`)).status, 404, 'a stranger does not read a draft')
  await page.check('input[name=is_published]')
  await page.fill('textarea[name=content]', 'Other *text*.')
  await page.click('button:text-is("Save")')
  await page.waitForSelector('.state:text-is("published")')
  const article = (await operator.read(`/v1/help/articles/${slug}`)).json<{ html: string }>()
  t.regex(article.html, /Other <em>text<\/em>/)
  await page.click('button:text-is("Delete")')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForURL('**/console/content/articles')
  t.is((await operator.seen(`/v1/help/articles/${slug}`)).status, 404)
  t.deepEqual(complaints, [])
  await close()
})

test('an operator writes a category and a post in it', async (t) => {
  const { page, complaints, close } = await openConsole(world, await operatorOf(world), '/console/content/categories')
  const [slug, slugOfPost] = [newSlug(), newSlug()]
  await page.fill('input[name=slug]', slug)
  await page.fill('input[name=name]', 'Releases')
  await page.fill('textarea[name=description]', 'What is new.')
  await page.click('.form button:text-is("Create")')
  await page.waitForURL(`**/console/content/categories/${slug}`)
  await page.goto(`${world.url}/console/content/posts`)
  await settled(page)
  await page.fill('input[name=slug]', slugOfPost)
  await page.fill('input[name=title]', 'Out now')
  await page.fill('textarea[name=excerpt]', 'In short.')
  await page.fill('textarea[name=content]', 'At length.')
  await page.fill('input[name=author_id]', randomUUID())
  await page.selectOption('select[name=category_id]', { label: 'Releases' })
  await page.click('.form button:text-is("Create")')
  await page.waitForSelector('h1:has-text("Out now")')
  const { data } = (await operator.seen(`/v1/blog/posts?category=${slug}`)).json<{ data: Entry[] }>()
  t.deepEqual(
    data.map((each) => each.slug),
    [slugOfPost],
  )
  t.deepEqual(complaints, [])
  await close()
})

test('a legal policy gets another version, and the one before can still be read', async (t) => {
  const { slug } = await operator.created('/v1/legal/policies', policy())
  const { page, close } = await openConsole(world, await operatorOf(world), `/console/content/policies/${slug}`)
  t.is(await page.locator('main button.danger').count(), 0, 'nothing of a policy is deleted')
  await page.fill('textarea[name=content]', 'Be kind to all.')
  await page.click('button:text-is("Publish as a new version")')
  await page.waitForSelector('nav.paging:has-text("2 in total")')
  await page.locator('td details summary').last().click()
  await page.waitForSelector('td pre:text-is("Be kind.")')
  const newest = (await operator.read(`/v1/legal/policies/${slug}`)).json<{ version: number; content: string }>()
  t.deepEqual([newest.version, newest.content], [2, 'Be kind to all.'])
  await close()
})

test('whatever content holds is text: scripts, links that run one, right-to-left marks, 10 kB', async (t) => {
  const { page, complaints, stopped, close } = await openConsole(world, await operatorOf(world), '/console/content')
  for (const path of [
    `articles/${made.article.id}`,
    `posts/${made.post.id}`,
    `policies/${made.policy.slug}`,
    `categories/${made.category.slug}`,
  ]) {
    await page.goto(`${world.url}/console/content/${path}`)
    await settled(page)
    if (!path.startsWith('categories')) t.is(await page.inputValue('textarea[name=content]'), HOSTILE, path)
    t.is(await page.locator('main img, main script, main h1 b, main [href^="javascript:"]').count(), 0, path)
    t.true(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'), path)
  }
  t.is(await page.evaluate('globalThis.hit'), undefined)
  t.deepEqual([complaints, await stopped()], [[], []])
  await close()
})

test('who is no operator has no page of content', async (t) => {
  const { page, close } = await openConsole(world, await memberOf(world), '/console/content')
  await page.waitForSelector('h1:text-is("Your role may not open this page")')
  t.is(await page.locator('nav.main >> text=Content').count(), 0)
  await close()
})

looksRight(
  test,
  () => world,
  () => [
    ['articles', '/content'],
    ['article', `/content/articles/${made.article.id}`],
    ['posts', '/content/posts'],
    ['post', `/content/posts/${made.post.id}`],
    ['categories', '/content/categories'],
    ['policy', `/content/policies/${made.policy.slug}`],
  ],
  operatorOf,
)
