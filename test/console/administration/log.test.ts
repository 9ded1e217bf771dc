import { readFile } from 'node:fs/promises'
import anyTest from 'ava'
import { looksRight } from '../../support/console/appearance.ts'
import { closeBrowser, memberOf, openConsole, settled } from '../../support/console/browser.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { until } from '../../support/credentials/dids.ts'
import { logsOf } from '../../support/log-chain.ts'
import { needs } from '../../support/parts.ts'
import { openWorld, type World } from '../../support/world.ts'

const test = needs('Chromium', anyTest.serial)

// no worker: the tests settle and sign the chain themselves
let world: World
anyTest.before(async () => {
  world = await openWorld()
  await createDid(world)
})
anyTest.after.always(async () => {
  await closeBrowser()
  await world?.close()
})

const CREATED = 'td code:text-is("DID_CREATE_SUCCESS")'

test('an entry says who made the request: a person by the address, a client by the name', async (t) => {
  const account = await memberOf(world)
  const { page, complaints, close } = await openConsole(world, account, '/console/log')
  const { clientId } = world.first
  const clients = await world.ask(`/v1/oauth2/clients/${clientId}`, { token: world.token })
  const { name } = clients.json<{ name: string }>()
  await page.waitForSelector(`tbody tr:has(code:text-is("DID_CREATE_SUCCESS")) bdi[title="${clientId}"]`)
  t.is(await page.textContent(`tbody bdi[title="${clientId}"]`), name)
  await page.goto(`${world.url}/console/log`)
  await page.waitForSelector(`tbody bdi[title="${account.id}"]:text-is("${account.email}")`)
  t.deepEqual(complaints, [])
  await close()
})

test('the log is followed: a new entry appears by itself, and none while it is paused', async (t) => {
  const { page, complaints, close } = await openConsole(world, await memberOf(world), '/console/log')
  const before = await page.locator(CREATED).count()
  await page.click('button:text-is("Follow")')
  await createDid(world)
  await until('the new entry', async () => (await page.locator(CREATED).count()) === before + 1)
  t.is(await page.locator('td code:has-text("ANALYTICS")').count(), 0, 'looking shows no entries of looking')
  await page.click('button:text-is("Pause")')
  await settled(page)
  await createDid(world)
  await page.waitForTimeout(4_000)
  t.is(await page.locator(CREATED).count(), before + 1)
  t.deepEqual(complaints, [])
  await close()
})

test('an answer of the log that takes longer than a look is shown, and is waited for', async (t) => {
  const { page, asked, close } = await openConsole(world, await memberOf(world), '/console/log')
  await page.click('button:text-is("Follow")')
  await settled(page)
  await page.route('**/v1/analytics/events?*', async (route) => {
    await page.waitForTimeout(4_500)
    await route.continue()
  })
  const before = await page.locator(CREATED).count()
  await createDid(world)
  const looks = () => asked.filter(({ path }) => path === '/v1/analytics/events').length
  const first = looks()
  await until('the new entry', async () => (await page.locator(CREATED).count()) === before + 1)
  t.true(looks() - first <= 2, 'one look at a time')
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await close()
})

test('an id that is typed is looked for in all times, and a time that is typed stays', async (t) => {
  const { page, close } = await openConsole(world, await memberOf(world), '/console/log')
  const begins: string[] = []
  await page.route('**/v1/analytics/events?*', async (route) => {
    const { dateFrom }: { dateFrom: string } = route.request().postDataJSON()
    begins.push(dateFrom)
    await route.continue()
  })
  const search = async () => {
    const before = begins.length
    await page.click('search button[type=submit]')
    await until('the question', async () => begins.length > before)
    await settled(page)
    return new Date(begins.at(-1) ?? '').getTime()
  }
  t.is(await page.inputValue('input[name=from]'), '')
  await page.fill('input[name=objectId]', '49221405-6849-4f3d-b937-77285b4762dc')
  t.is(await search(), 0)
  await page.fill('input[name=from]', '2027-01-30T10:00')
  t.is(await search(), Date.parse('2027-01-30T09:00Z'), 'in the zone of the reader')
  await page.goto(`${world.url}/console/log?from=2027-01-30T09:00:00Z&to=2027-01-30T10:00:00Z`)
  await settled(page)
  t.is(await page.inputValue('input[name=from]'), '2027-01-30T10:00')
  t.is(await page.inputValue('input[name=to]'), '2027-01-30T11:00', 'a link of another zone')
  await close()
})

test('on a phone an entry is a list that fits, and each command says what it does', async (t) => {
  const options = { viewport: { width: 360, height: 800 } }
  const { page, close } = await openConsole(world, await memberOf(world), '/console/log', options)
  await page.waitForSelector('tbody tr')
  t.true(
    await page.evaluate<boolean>(
      "[...document.querySelectorAll('.stacked, .stacked td')].every((each) => each.scrollWidth <= each.clientWidth + 1)",
    ),
    'nothing scrolls sideways',
  )
  const titles = await page.locator('main summary:has-text("curl")').allTextContents()
  t.true(titles.length > 3)
  t.is(new Set(titles).size, titles.length)
  await close()
})

test('the filters find entries by kinds, by ids of entries, and by requests, several at a time', async (t) => {
  const { page, close } = await openConsole(world, await memberOf(world, 'auditor'), '/console/log')
  const found = async (filters: Record<string, string>) => {
    await page.goto(`${world.url}/console/log?${new URLSearchParams(filters)}`)
    await settled(page)
    return page.locator('main tbody tr').count()
  }
  const reply = await world.ask('/v1/analytics/events', {
    token: world.token,
    body: {
      ...{ categories: ['did'], types: [], ids: [], requestIds: [] },
      ...{ dateFrom: '2020-01-01T00:00:00Z', dateTo: '2999-01-01T00:00:00Z' },
    },
  })
  const { data } = reply.json<{ data: { id: string; requestId: string }[] }>()
  const two = data.slice(0, 2)
  t.is(two.length, 2)
  t.is(await found({ ids: two.map(({ id }) => id).join(' ') }), 2)
  t.is(await found({ requestId: two.map(({ requestId }) => requestId).join(', ') }), 2)
  t.is(await found({ type: 'DID_CREATE_SUCCESS', to: '2021-01-01T00:00' }), 0)
  t.is(await found({ type: 'DID_CREATE_SUCCESS DID_CREATE_FAIL' }), data.length)
  await page.goto(`${world.url}/console/log?ids=none`)
  await page.waitForSelector('.failure li:has-text("ids")')
  t.pass('a value that is no id is refused with its place')
  await close()
})

test('the file of an export has the entries that the filters choose', async (t) => {
  await logsOf(world).settle()
  const { page, close } = await openConsole(
    world,
    await memberOf(world, 'auditor'),
    '/console/log?type=DID_CREATE_SUCCESS',
  )
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.click('button:text-is("Export these entries")'),
  ])
  t.is(file.suggestedFilename(), 'log.jsonl')
  const lines = (await readFile(await file.path(), 'utf8')).trim().split('\n')
  const entries = lines.map((line): { type: string; hash: string } => JSON.parse(line))
  t.true(entries.length >= 2)
  t.true(entries.every(({ type, hash }) => type === 'DID_CREATE_SUCCESS' && /^[0-9a-f]{64}$/.test(hash)))
  await close()
})

test('the chain is verified in words, with a head that was kept, and a changed entry is named', async (t) => {
  const logs = logsOf(world)
  await logs.settle()
  await logs.sign()
  const { page, close } = await openConsole(world, await memberOf(world), '/console/log')
  const { head } = (await world.ask('/v1/analytics/head', { token: world.token })).json<{ head: { jws: string } }>()
  await page.fill('textarea[name=head]', head.jws)
  await page.click('button:text-is("Verify the chain")')
  await page.waitForSelector('.success:has-text("The log is intact: all of its")')
  await page.waitForSelector('text=The log still has what the head that you kept stands for.')
  await page.fill('textarea[name=head]', 'no head')
  await page.click('button:text-is("Verify the chain")')
  await page.waitForSelector('.form .failure')
  t.is(await page.locator('.success').count(), 0, 'no verdict stays beside a refusal')
  await page.fill('textarea[name=head]', '')
  const [entry] = await logs.attack(
    `update logs set type = 'x' where id = (select entry_id from log_chain where tenant_id = $1 and position = 2) returning id`,
    [world.first.tenantId],
  )
  t.truthy(entry)
  await page.click('button:text-is("Verify the chain")')
  await page.waitForSelector('.failure:has-text("Somebody has changed the log")')
  t.regex((await page.textContent('.failure')) ?? '', /Entry 2: it is not the one that was chained/)
  const verdict = await logs.verify(world.token)
  t.is(verdict.fault?.position, 2, 'the platform says so too')
  await close()
})

test('a log of many parts is verified part by part, each where the last one ended', async (t) => {
  const { page, close } = await openConsole(world, await memberOf(world), '/console/log')
  const asked: unknown[] = []
  await page.route('**/v1/analytics/verify', async (route) => {
    const body: { from?: number } = route.request().postDataJSON()
    asked.push(body)
    const from = body.from ?? 1
    const next = from < 201 ? from + 100 : null
    const checked = { from, to: from + 99 }
    await route.fulfill({
      json: { intact: true, fault: null, keptHead: null, signedTo: 300, waiting: 0, checked, next },
    })
  })
  await page.click('button:text-is("Verify the chain")')
  await page.waitForSelector('.success:has-text("300")')
  t.deepEqual(asked, [{}, { from: 101 }, { from: 201 }])
  await close()
})

test('a log that is followed is not asked while nobody sees the page', async (t) => {
  const { page, asked, close } = await openConsole(world, await memberOf(world), '/console/log')
  await page.click('button:text-is("Follow")')
  await settled(page)
  await page.evaluate(`Object.defineProperties(document, {
    hidden: { configurable: true, get: () => true }, visibilityState: { configurable: true, get: () => 'hidden' } })`)
  await settled(page)
  const looks = () => asked.filter(({ path }) => path === '/v1/analytics/events').length
  const before = looks()
  await page.waitForTimeout(4_000)
  t.is(looks(), before)
  await page.evaluate('delete document.hidden; delete document.visibilityState')
  await until('another look', async () => looks() > before)
  await close()
})

test('a role that does not read the log has no page for it', async (t) => {
  const { page, close } = await openConsole(world, await memberOf(world, 'issuer'), '/console/log')
  await page.waitForSelector('h1:text-is("Your role may not open this page")')
  t.is(await page.locator('nav.main >> text=Log').count(), 0)
  await close()
})

looksRight(
  test,
  () => world,
  () => [
    ['log-page', '/log'],
    ['log-empty', '/log?type=NONE'],
    ['log-refused', '/log?ids=none'],
  ],
)
