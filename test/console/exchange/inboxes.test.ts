import anyTest from 'ava'
import { loseAnswer, UNANSWERED } from '../../support/console/answers.ts'
import { looksRight, type NamedPage } from '../../support/console/appearance.ts'
import { closeBrowser, memberOf, openConsole, settled } from '../../support/console/browser.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { needs } from '../../support/parts.ts'
import { openWorld, type World } from '../../support/world.ts'

const test = needs('Chromium', anyTest.serial)

const INBOXES = '/v1/messaging/inboxes'

// no worker: a message to a DID that is registered here comes at once
let world: World
let pages: NamedPage[]
anyTest.before(async () => {
  world = await openWorld()
  pages = [
    ['inboxes-none', '/inboxes'],
    ['inbox-new', '/inboxes/new'],
    ['message-send', '/inboxes/send'],
  ]
})
anyTest.after.always(async () => {
  await closeBrowser()
  await world?.close()
})

const ask = (path: string) => world.ask(INBOXES + path, { token: world.token })
const didsOf = async (id: string) =>
  (await ask(`/${id}/dids`)).json<{ dids: { did: string }[] }>().dids.map(({ did }) => did)
const messagesOf = async (id: string) =>
  (await ask(`/${id}/messages`)).json<{ messages: { id: string; payload: string }[] }>().messages

/** Markup and marks of direction, as anybody may write. */
const HOSTILE = '<img src=x onerror="globalThis.hit=1">\u202E<script>globalThis.hit=1</script>'

test('an inbox is made, a DID is registered, a message is sent, read and deleted', async (t) => {
  const did = await createDid(world, 'x25519')
  const { page, complaints, stopped, close } = await openConsole(
    world,
    await memberOf(world, 'issuer'),
    '/console/inboxes',
  )
  await page.waitForSelector('text=There is no inbox')
  await page.click('text=New inbox')
  await page.fill('input[name=name]', `two\u0085lines`)
  await page.click('text=Create the inbox')
  await page.waitForSelector('.entry:has(input[name=name][aria-invalid]) .fault')
  await page.fill('input[name=name]', 'Admissions')
  await page.click('text=Create the inbox')
  await page.waitForSelector('dd bdi:text-is("Admissions")')
  await settled(page)
  const id = page.url().split('/').at(-1) ?? ''
  await page.click('summary:text-is("Rename")')
  await page.fill('input[name=name]', 'Admissions office')
  await page.click('button:text-is("Save")')
  await page.waitForSelector('dd bdi:text-is("Admissions office")')
  t.is((await ask(`/${id}`)).json<{ name: string }>().name, 'Admissions office')

  await page.click('summary:text-is("Register a DID")')
  await page.fill('input[name=did]', 'did:example:none')
  await page.click('button:text-is("Register a DID")')
  await page.waitForSelector('form .failure')
  await page.fill('input[name=did]', did)
  await page.click('button:text-is("Register a DID")')
  await page.waitForSelector('text=The DID is registered.')
  t.deepEqual(await didsOf(id), [did])

  await page.goto(`${world.url}/console/inboxes/send`)
  await page.fill('input[name=to]', did)
  await page.selectOption('select[name=as]', 'json')
  await page.fill('textarea[name=message]', '{ "course": ')
  await page.click('button:text-is("Send")')
  await page.waitForSelector('.entry:has(textarea[aria-invalid]) .fault:has-text("The message is no JSON.")')
  t.deepEqual(await messagesOf(id), [])
  await page.fill('textarea[name=message]', JSON.stringify({ course: HOSTILE }))
  await loseAnswer(page, '**/v1/messaging/send')
  await page.click('button:text-is("Send")')
  await page.waitForSelector(UNANSWERED)
  await page.click('button:text-is("Send")')
  await page.waitForSelector('text=The platform has taken the message')
  const [message, ...twice] = await messagesOf(id)
  t.deepEqual(twice, [], 'a lost answer sends no second one')
  t.deepEqual(JSON.parse(message?.payload ?? '').body.content, { course: HOSTILE })

  await page.goto(`${world.url}/console/inboxes/${id}`)
  await settled(page)
  const row = page.locator('section[aria-label=Messages] tbody tr')
  t.is(await row.count(), 1)
  t.true((await row.textContent())?.includes(JSON.stringify(HOSTILE).slice(1, -1)), 'the row has what it says, as text')
  await page.click('tbody a:has(time)')
  await page.waitForURL(`**/inboxes/${id}/messages/${message?.id}`)
  await settled(page)
  t.true((await page.textContent('section.code[aria-label=Message]'))?.includes(JSON.stringify(HOSTILE).slice(1, -1)))
  t.is(await page.evaluate('globalThis.hit'), undefined)
  await page.click('button:text-is("Delete")')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForURL(`**/console/inboxes/${id}`)
  t.deepEqual(await messagesOf(id), [])

  await settled(page)
  await page.click('td button:text-is("End the registration")')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForSelector('text=No DID is registered')
  t.deepEqual(await didsOf(id), [])
  await page.click('main .actions:not(dialog .actions) > button:text-is("Delete")')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForURL('**/console/inboxes')
  t.is((await ask(`/${id}`)).status, 404)
  t.deepEqual([complaints, await stopped()], [[], []])
  await close()
})

test('messages have pages, and an auditor reads them without a button that changes anything', async (t) => {
  const { token } = world
  const did = await createDid(world, 'x25519')
  const { id } = (await world.ask(INBOXES, { token, body: { name: HOSTILE.replaceAll('\u202E', '') } })).json<{
    id: string
  }>()
  await world.ask(`${INBOXES}/${id}/dids`, { token, body: { did } })
  for (let nth = 0; nth < 27; nth += 1)
    await world.ask('/v1/messaging/send', { token, body: { to: did, message: `${nth} ${'ä'.repeat(300)}` } })
  const [newest] = await messagesOf(id)
  pages.push(['inboxes', '/inboxes'], ['inbox', `/inboxes/${id}`], ['message', `/inboxes/${id}/messages/${newest?.id}`])
  const { page, close } = await openConsole(world, await memberOf(world, 'auditor'), `/console/inboxes/${id}`)
  t.is(await page.locator('section[aria-label=Messages] tbody tr').count(), 25)
  await page.click('nav[aria-label*="Messages"] button:text-is("Next")')
  await page.waitForSelector('text=Page 2 of 2')
  await settled(page)
  t.is(await page.locator('section[aria-label=Messages] tbody tr').count(), 2)
  const buttons = [...new Set((await page.locator('main button').allTextContents()).map((text) => text.trim()))]
  t.deepEqual(buttons.sort(), ['Copy', 'Load again', 'Next', 'Previous'])
  t.is(await page.locator('summary:text-is("Register a DID")').count(), 0)
  await page.goto(`${world.url}/console/inboxes/send`)
  await page.waitForSelector('text=Your role may not open this page')
  await close()
})

looksRight(
  test,
  () => world,
  () => pages,
)
