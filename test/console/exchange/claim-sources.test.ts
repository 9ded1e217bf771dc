import anyTest from 'ava'
import { looksRight, type NamedPage } from '../../support/console/appearance.ts'
import { closeBrowser, memberOf, openConsole, settled } from '../../support/console/browser.ts'
import { needs } from '../../support/parts.ts'
import { openWorld, type World } from '../../support/world.ts'

const test = needs('Chromium', anyTest.serial)

const SOURCES = '/v1/claim-sources'
const SECRET = '6hrFDATxrG9w14QY9wwnmVhLE0Wg6LIvm1J7x'
const MASKED = '**********m1J7x'

let world: World
let pages: NamedPage[]
anyTest.before(async () => {
  world = await openWorld()
  pages = [
    ['claim-sources-none', '/claim-sources'],
    ['claim-source-new', '/claim-sources/new'],
  ]
})
anyTest.after.always(async () => {
  await closeBrowser()
  await world?.close()
})

interface Source {
  id: string
  name: string
  url: string
  request_method: string
  request_parameters: object
  authorization?: { ApiKey?: { value: string; header: string }; OAuthClientCredentials?: Record<string, string> }
}

const read = async (id: string) => (await world.ask(`${SOURCES}/${id}`, { token: world.token })).json<Source>()

test('a claim source is made with parameters and a key that is masked from then on, edited and deleted', async (t) => {
  const { page, complaints, stopped, close } = await openConsole(world, await memberOf(world), '/console/claim-sources')
  await page.click('text=New claim source')
  await page.fill('input[name=name]', 'Student registry')
  await page.fill('input[name=url]', 'https://claims.university.example/students?x=1')
  await page.click('button:text-is("Add a parameter")')
  await page.click('button:text-is("Add a parameter")')
  await page.click('button:text-is("Add a parameter")')
  await page.fill('input[name="name.0"]', 'student_id')
  await page.fill('input[name="from.0"]', 'claims.student_id')
  await page.fill('input[name="name.1"]', 'student_id')
  await page.fill('input[name="instead.1"]', '"42"')
  await page.click('button:text-is("Remove parameter 3")')
  await page.selectOption('select[name=way]', 'ApiKey')
  await page.fill('input[name="authorization.ApiKey.value"]', SECRET)
  await page.click('text=Create the claim source')
  await page.waitForSelector(
    '.entry:has(input[name="name.1"][aria-invalid]) .fault:has-text("Another parameter has this name.")',
  )
  await page.fill('input[name="name.1"]', 'faculty')
  await page.click('text=Create the claim source')
  await page.waitForSelector('.entry:has(input[name=url][aria-invalid]) .fault')
  await page.fill('input[name=url]', 'https://claims.university.example/students')
  await page.click('text=Create the claim source')
  await page.waitForSelector('h1 bdi:text-is("Student registry")')
  await settled(page)
  const id = page.url().split('/').at(-1) ?? ''
  const made = await read(id)
  t.like(made, {
    url: 'https://claims.university.example/students',
    request_method: 'POST',
    request_parameters: { student_id: { map_from: 'claims.student_id' }, faculty: { default_value: '42' } },
    authorization: { ApiKey: { value: MASKED, header: 'x-api-key' } },
  })

  const edit = async () => {
    await page.click('summary:text-is("Edit")')
    t.is(await page.inputValue('input[name="instead.1"]'), '"42"', 'a text that looks like a number stays one')
  }
  await edit()
  t.is(await page.inputValue('input[name="authorization.ApiKey.value"]'), MASKED)
  await page.fill('input[name=name]', 'Registry of students')
  await page.click('button:text-is("Save")')
  await page.waitForSelector('h1 bdi:text-is("Registry of students")')
  t.like(await read(id), { ...made, name: 'Registry of students' })

  await edit()
  await page.fill('input[name=url]', 'https://elsewhere.example/students')
  await page.click('button:text-is("Save")')
  await page.waitForSelector('.entry:has(input[name="authorization.ApiKey.value"][aria-invalid]) .fault')
  t.is((await read(id)).url, made.url, 'the secret goes to no other server')
  await page.selectOption('select[name=way]', 'OAuthClientCredentials')
  for (const [name, value] of Object.entries({ client_id: 'countersign', client_secret: SECRET, scope: 'claims' }))
    await page.fill(`input[name="authorization.OAuthClientCredentials.${name}"]`, value)
  await page.fill('input[name="authorization.OAuthClientCredentials.token_endpoint"]', 'https://login.example/token')
  await page.click('button:text-is("Save")')
  await page.waitForSelector('dl bdi:text-is("https://elsewhere.example/students")')
  const moved = await read(id)
  t.like(moved.authorization?.OAuthClientCredentials, {
    client_id: 'countersign',
    client_secret: MASKED,
    scope: 'claims',
  })
  t.false('ApiKey' in (moved.authorization ?? {}))
  t.false((await page.content()).includes(SECRET))

  await edit()
  await page.selectOption('select[name=way]', 'none')
  await page.click('button:text-is("Remove parameter 1")')
  await page.click('button:text-is("Save")')
  await page.waitForSelector('dd:text-is("nothing")')
  const bare = await read(id)
  t.deepEqual(bare.request_parameters, { faculty: { default_value: '42' } })
  t.is(bare.authorization, undefined)

  await page.click('main .actions:not(dialog .actions) > button:text-is("Delete")')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForURL('**/console/claim-sources')
  t.is((await world.ask(`${SOURCES}/${id}`, { token: world.token })).status, 404)
  t.deepEqual([complaints, await stopped()], [[], []])
  await close()
})

test('an issuer reads a claim source with its masked secret, and changes nothing', async (t) => {
  const body = {
    name: '<b>Registry</b>',
    url: 'https://claims.university.example/students',
    request_parameters: { limit: { default_value: { deep: [1, 'two'] } }, who: { map_from: 'claims.sub' } },
    authorization: { ApiKey: { type: 'api-key', value: SECRET } },
  }
  const { id } = (await world.ask(SOURCES, { token: world.token, body })).json<Source>()
  pages.push(['claim-sources', '/claim-sources'], ['claim-source', `/claim-sources/${id}`])
  const { page, close } = await openConsole(world, await memberOf(world, 'issuer'), '/console/claim-sources')
  t.is(await page.locator('text=New claim source').count(), 0)
  await page.click('tbody a')
  await page.waitForSelector('h1 bdi:text-is("<b>Registry</b>")')
  await page.click('summary:text-is("JSON")')
  t.true((await page.textContent('section.code[aria-label=JSON]'))?.includes(MASKED))
  t.deepEqual([...new Set(await page.locator('main button').allTextContents())], ['Copy'])
  t.is(await page.locator('summary:text-is("Edit")').count(), 0)
  await page.goto(`${world.url}/console/claim-sources/new`)
  await page.waitForSelector('text=Your role may not open this page')
  await close()
})

looksRight(
  test,
  () => world,
  () => pages,
)
