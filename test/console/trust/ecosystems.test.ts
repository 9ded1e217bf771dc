import anyTest from 'ava'
import { looksRight } from '../../support/console/appearance.ts'
import {
  closeBrowser,
  memberOf,
  openConsole,
  operatorOf,
  settled,
  violationsOf,
} from '../../support/console/browser.ts'
import { createDid, sign } from '../../support/credentials/credentials.ts'
import { newEcosystem, operatorToken, type TestEcosystem } from '../../support/ecosystems.ts'
import { needs } from '../../support/parts.ts'
import { openWorld, type World } from '../../support/world.ts'

const test = needs('Chromium', anyTest.serial)

let world: World
let token: string
let ecosystem: TestEcosystem
let ids: { college: string; diploma: string }
anyTest.before(async () => {
  world = await openWorld()
  token = await operatorToken(world)
  ecosystem = await newEcosystem(world, token)
  const did = await createDid(world)
  const college = await ecosystem.participant({
    name: 'Law school',
    identifiers: { webSemantic: did },
    isIssuerConstrained: true,
  })
  await ecosystem.participant({ name: '<b>Museum</b> of a very long name '.repeat(4), isIssuer: false })
  const diploma = await ecosystem.credential({ name: 'Diploma', type: 'VerifiableCredential' })
  await ecosystem.credential({ name: 'Transcript', profile: 'compact' })
  await ecosystem.allow('issuer', college.id, diploma.id)
  await ecosystem.bind(world.first.tenantId)
  await sign(world, did)
  ids = { college: college.id, diploma: diploma.id }
})
anyTest.after.always(async () => {
  await closeBrowser()
  await world?.close()
})

const CELL = 'button[aria-label="Law school, Diploma: allowed"]'
const allowed = async () =>
  (await ecosystem.policy()).participants.find(({ id }) => id === ids.college)?.isIssuerAllowedCredentials

test('an operator sees what breaks before an allowance is taken away, and takes and gives it', async (t) => {
  const { page, complaints, stopped, close } = await openConsole(
    world,
    await operatorOf(world),
    `/console/ecosystems/${ecosystem.id}`,
  )
  await page.click(CELL)
  await page.waitForSelector('dialog[open] strong:has-text("1 credential in force would verify no more")')
  t.deepEqual(await violationsOf(page), [])
  await page.click('dialog[open] button:text-is("Cancel")')
  t.deepEqual(await allowed(), [ids.diploma], 'Cancel changes nothing')
  await page.click(CELL)
  await page.waitForSelector('dialog[open] strong:has-text("1 credential in force")')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForSelector('button[aria-label="Law school, Diploma: not allowed"]')
  t.deepEqual(await allowed(), [])
  await page.click('button[aria-label="Law school, Diploma: not allowed"]')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForSelector(CELL)
  t.deepEqual(await allowed(), [ids.diploma])
  t.deepEqual([complaints, await stopped()], [[], []])
  await close()
})

test('a change is rehearsed: which credentials break if the issuer is removed', async (t) => {
  const { page, close } = await openConsole(world, await operatorOf(world), `/console/ecosystems/${ecosystem.id}`)
  await page.selectOption('form:has(select[name=change]) select[name=participantId]', { label: 'Law school' })
  await page.click('button:text-is("Try")')
  await page.waitForSelector('strong:has-text("1 credential in force would verify no more")')
  t.is((await ecosystem.policy()).participants.length, 2, 'nothing was changed')
  await close()
})

test('an operator makes an ecosystem with its first participant and credential, and deletes it', async (t) => {
  const { page, complaints, close } = await openConsole(world, await operatorOf(world), '/console/ecosystems')
  await page.fill('.form input[name=name]', 'Museums')
  await page.click('.form button[type=submit]')
  await page.waitForSelector('h1:has-text("Museums")')
  await settled(page)
  const path = new URL(page.url()).pathname.split('/').at(-1)
  const participants = 'details:has(> summary:text-is("Add a participant"))'
  await page.fill(`${participants} input[name=name]`, 'City museum')
  await page.fill(`${participants} input[name="identifiers.webSemantic"]`, 'no did')
  await page.click(`${participants} button[type=submit]`)
  await page.waitForSelector('input[name="identifiers.webSemantic"][aria-invalid] ~ .fault')
  await page.fill(`${participants} input[name="identifiers.webSemantic"]`, 'did:web:museum.example')
  await page.click(`${participants} button[type=submit]`)
  const credentials = 'details:has(> summary:text-is("Add a credential"))'
  await page.fill(`${credentials} input[name=name]`, 'Ticket')
  await page.fill(`${credentials} input[name=type]`, 'TicketCredential')
  await page.click(`${credentials} button[type=submit]`)
  await page.waitForSelector('button[aria-label="City museum, Ticket: not allowed"]')
  const policy = (await world.ask(`/v1/ecosystems/${path}/policy`)).json<{ participants: object[] }>()
  t.like(policy.participants[0], { name: 'City museum', isIssuer: true, isIssuerConstrained: true })
  await page.click('button:text-is("Delete the ecosystem")')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForURL('**/console/ecosystems')
  t.is((await world.ask(`/v1/ecosystems/${path}`, { token })).status, 404)
  t.deepEqual(complaints, [])
  await close()
})

test('who is no operator has no page of ecosystems', async (t) => {
  const { page, close } = await openConsole(world, await memberOf(world), '/console/ecosystems')
  await page.waitForSelector('h1:text-is("Your role may not open this page")')
  t.is(await page.locator('nav.main >> text=Ecosystems').count(), 0)
  await close()
})

looksRight(
  test,
  () => world,
  () => [
    ['ecosystems', '/ecosystems'],
    ['ecosystem', `/ecosystems/${ecosystem.id}`],
    ['participant', `/ecosystems/${ecosystem.id}/participants/${ids.college}`],
  ],
  operatorOf,
)
