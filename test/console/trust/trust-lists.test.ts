import anyTest from 'ava'
import { looksRight, type NamedPage } from '../../support/console/appearance.ts'
import { closeBrowser, memberOf, openConsole, settled } from '../../support/console/browser.ts'
import { makeForeignIaca } from '../../support/credentials/mobile.issuers.ts'
import { openWorldBeside, type WorldBeside } from '../../support/parts/elsewhere.ts'
import { needs } from '../../support/parts.ts'
import { TRUST_LISTS, type TrustListAnswer, trustListsOf } from '../../support/trust-lists/lists.ts'
import { inHours, loteOf, openListOperator, PID_ISSUANCE } from '../../support/trust-lists/lote.ts'
import type { World } from '../../support/world.ts'

const test = needs('Chromium', anyTest.serial)

let beside: WorldBeside
let world: World
let operator: Awaited<ReturnType<typeof openListOperator>>
let one: Awaited<ReturnType<typeof makeForeignIaca>>
let other: Awaited<ReturnType<typeof makeForeignIaca>>
/** What stands at the address of the list. */
let published = ''
const pages: NamedPage[] = [
  ['trust-lists', '/trust-lists'],
  ['trust-list-new', '/trust-lists/new'],
]
anyTest.before(async () => {
  beside = await openWorldBeside('lists.test', (_, response) => response.end(published))
  world = beside.world
  operator = await openListOperator()
  one = await makeForeignIaca()
  other = await makeForeignIaca({ commonName: 'Another' })
})
anyTest.after.always(async () => {
  await closeBrowser()
  await beside?.close()
})

const publish = async (certificates: string[], scheme: object = {}) => {
  published = await operator.sign(loteOf([{ certificates }], scheme))
}

const lists = () => trustListsOf(world, world.token)
const idIn = (url: string) => new URL(url).pathname.split('/').at(-1) ?? ''
const read = async (id: string) => (await lists().read(id)).json<TrustListAnswer & { nextRefreshAt: string | null }>()

test('a list of ETSI is made by its address, read again by hand, enforced, and deleted after a question', async (t) => {
  await publish([one.certificatePem])
  const { page, complaints, stopped, close } = await openConsole(world, await memberOf(world), '/console/trust-lists')
  await page.waitForSelector('text=There is no trust list')
  await page.click('main a:text-is("New trust list")')
  await page.fill('input[name=name]', 'Providers of identity')
  await page.check('input[name="formats.mobile"]')
  await page.fill('input[name="source.url"]', beside.urlOf('pid.jwt'))
  await page.fill('textarea[name="source.signers"]', one.certificatePem)
  await page.fill('textarea[name="source.serviceTypes"]', PID_ISSUANCE)
  await page.fill('input[name="source.graceHours"]', '721')
  await page.click('button:text-is("Create the trust list")')
  await page.waitForSelector('.entry:has(input[name="source.graceHours"][aria-invalid]) .fault')
  await page.fill('input[name="source.graceHours"]', '12')
  await page.click('button:text-is("Create the trust list")')
  await page.waitForSelector('.failure:has-text("trust_list.source_signature")')
  await page.fill('textarea[name="source.signers"]', `${one.certificatePem}\n${operator.signer}`)
  await page.click('button:text-is("Create the trust list")')
  await page.waitForSelector('h1:has-text("Providers of identity")')
  await settled(page)
  const id = idIn(page.url())
  const made = await read(id)
  t.like(made, { enforced: false, formats: ['mobile'], source: { graceHours: 12, refreshHours: 6 } })
  t.is(await page.getAttribute('dt:text-is("Next refresh") + dd time', 'datetime'), made.nextRefreshAt)
  t.is(await page.textContent('dt:text-is("Sequence number") + dd'), '7')
  t.is(await page.locator(`tbody code:text-is("${made.entries[0]?.certificateFingerprint}")`).count(), 1)

  await publish([other.certificatePem], { LoTESequenceNumber: 6 })
  await page.click('button:text-is("Refresh now")')
  await page.waitForSelector('.failure:has-text("trust_list.source_older")')
  await page.waitForSelector('dd .state:text-is("cannot be read again")')
  await page.waitForSelector('dt:text-is("Last failure") + dd code:text-is("trust_list.source_older")')
  await publish([one.certificatePem, other.certificatePem], { LoTESequenceNumber: 8 })
  await page.click('button:text-is("Refresh now")')
  await page.waitForSelector('text=The list was read again.')
  await page.waitForSelector('dd .state.good:text-is("current")')
  t.is(await page.locator('.failure').count(), 0)
  t.is(await page.locator('tbody tr').count(), 2)

  t.is(await page.textContent('dt:text-is("Decides on") + dd'), 'nothing: it is not enforced')
  await page.click('button:text-is("Enforce")')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForSelector('dt:text-is("Decides on") + dd:has-text("Mobile (mdoc")')
  t.true((await read(id)).enforced)
  await page.click('button:text-is("Delete")')
  await page.click('dialog[open] button:text-is("Cancel")')
  t.is((await lists().read(id)).status, 200)
  await page.click('button:text-is("Delete")')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForURL('**/console/trust-lists')
  t.is((await lists().read(id)).status, 404)
  t.deepEqual([complaints, await stopped()], [[], []])
  await close()
})

test('issuers are typed one by one, and what names none is refused at its field; a file takes their place', async (t) => {
  const { page, complaints, close } = await openConsole(world, await memberOf(world), '/console/trust-lists/new')
  await page.selectOption('select[name=origin]', 'entries')
  await page.fill('input[name=name]', '<b>Schools</b>')
  await page.check('input[name="formats.mobile"]')
  await page.check('input[name="formats.sd-jwt-vc"]')
  await page.fill('input[name="entries.0.name"]', 'Law school')
  await page.fill('textarea[name="entries.0.identifier"]', 'law.university.example')
  await page.click('button:text-is("Add an issuer")')
  await page.fill('textarea[name="entries.1.identifier"]', one.certificatePem)
  await page.click('button:text-is("Create the trust list")')
  await page.waitForSelector('.entry:has(textarea[name="entries.0.identifier"][aria-invalid]) .fault')
  await page.fill('textarea[name="entries.0.identifier"]', 'https://law.university.example')
  await page.click('button:text-is("Create the trust list")')
  await page.waitForSelector('h1:has-text("<b>Schools</b>")')
  const id = idIn(page.url())
  const { entries } = await read(id)
  t.like(entries[0], { name: 'Law school', identifier: 'https://law.university.example', certificate: null })
  t.like(entries[1], { name: null, identifier: null, certificate: one.certificatePem.trim() })

  await page.click('summary:text-is("Edit")')
  await page.fill('input[name=name]', 'Schools')
  await page.uncheck('input[name="formats.sd-jwt-vc"]')
  t.is(await page.locator('input[name=enforced]').count(), 0)
  await lists().update(id, { enforced: true })
  await page.click('button:text-is("Save")')
  await page.waitForSelector('h1 bdi:text-is("Schools")')
  const edited = await read(id)
  t.like(edited, { name: 'Schools', formats: ['mobile'], entryCount: 2, enforced: true }, 'others enforced it')

  await page.click('summary:text-is("Take the issuers from elsewhere")')
  t.is(await page.inputValue('textarea[name="entries.0.identifier"]'), 'https://law.university.example')
  await page.selectOption('select[name=origin]', 'file')
  await page.fill('textarea[name="source.serviceTypes"]', PID_ISSUANCE)
  const file = (text: string) => ({ name: 'pid.json', mimeType: 'application/json', buffer: Buffer.from(text) })
  await page.setInputFiles('input[type=file]', file('<list/>'))
  const damaged = one.certificatePem.replace('-----END', '----END')
  await page.fill('textarea[name="source.signers"]', `${damaged}\n${operator.signer}`)
  await page.click('button:text-is("Take these")')
  await page.waitForSelector('.failure code:text-is("source.signers.1")')
  await page.fill('textarea[name="source.signers"]', '')
  await page.click('button:text-is("Take these")')
  await page.waitForSelector('.failure:has-text("trust_list.source_invalid")')
  const scheme = { NextUpdate: inHours(-1) }
  await page.setInputFiles(
    'input[type=file]',
    file(JSON.stringify(loteOf([{ certificates: [other.certificatePem] }], scheme))),
  )
  await page.click('button:text-is("Take these")')
  await page.waitForSelector('dt:text-is("Source") + dd bdi:text-is("a file")')
  const taken = await read(id)
  t.like(taken, { entryCount: 1, nextRefreshAt: null, source: { url: null, signers: [] } })
  t.is(await page.getAttribute('dt:text-is("Counts until") + dd time', 'datetime'), taken.staleAt)
  t.is(await page.locator('button:text-is("Refresh now")').count(), 0)
  t.deepEqual(complaints, [])
  await close()
  pages.push(['trust-list-file', `/trust-lists/${id}`])
})

test('a reader sees each list with its state, and nothing that changes it', async (t) => {
  await publish([one.certificatePem])
  const source = { format: 'ts-119-602', url: beside.urlOf('pid.jwt'), signers: [operator.signer] }
  const body = { name: 'Failing', formats: ['mobile'], attests: ['keys'], enforced: false }
  const made = await lists().create({ ...body, source: { ...source, serviceTypes: [PID_ISSUANCE] } })
  const { id } = made.json<TrustListAnswer>()
  published = ''
  await lists().refresh(id)
  pages.push(['trust-list', `/trust-lists/${id}`])
  const { page, close } = await openConsole(world, await memberOf(world, 'auditor'), '/console/trust-lists')
  const row = 'tbody tr:has-text("Failing")'
  await page.waitForSelector(`${row} .state:text-is("cannot be read again")`)
  await page.waitForSelector(`${row} code:text-is("trust_list.source_signature")`)
  t.is(await page.locator(`${row} time`).count(), 1)
  await page.click(`${row} a`)
  await page.waitForSelector('dt:text-is("Last failure")')
  t.is(await page.locator('main form, main button.danger, main button.primary').count(), 0)
  await page.goto(`${world.url}/console/trust-lists/new`)
  await page.waitForSelector('h1:text-is("Your role may not open this page")')
  t.is((await world.ask(TRUST_LISTS, { token: world.token })).json<{ totalCount: number }>().totalCount, 2)
  await close()
})

looksRight(
  test,
  () => world,
  () => pages,
)
