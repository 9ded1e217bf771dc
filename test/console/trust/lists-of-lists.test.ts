import anyTest from 'ava'
import { looksRight, type NamedPage } from '../../support/console/appearance.ts'
import { closeBrowser, memberOf, openConsole } from '../../support/console/browser.ts'
import { makeForeignIaca } from '../../support/credentials/mobile.issuers.ts'
import { openWorldBeside, type WorldBeside } from '../../support/parts/elsewhere.ts'
import { needs } from '../../support/parts.ts'
import { type TrustListAnswer, trustListsOf } from '../../support/trust-lists/lists.ts'
import { lotlOf, openSigner, type Signer } from '../../support/trust-lists/lotl.ts'
import { QEAA, tslOf } from '../../support/trust-lists/tsl.ts'

const test = needs('Chromium', anyTest.serial)

let beside: WorldBeside
let commission: Signer
let austria: Signer
let issuer: string
const published = new Map<string, string>()
const pages: NamedPage[] = []
anyTest.before(async () => {
  beside = await openWorldBeside('lists.test', ({ url = '' }, response) => response.end(published.get(url)))
  commission = await openSigner()
  austria = await openSigner()
  issuer = (await makeForeignIaca()).certificatePem
})
anyTest.after.always(async () => {
  await closeBrowser()
  await beside?.close()
})

test('a list in XML takes its signers from a list of lists, and its page says which of the two fails, and what to do', async (t) => {
  const { world } = beside
  const location = 'http://www.lists.example/at.xml'
  const publish = (sequence: string) =>
    published.set('/lotl.xml', commission.signNow(lotlOf([{ location, certificates: [austria.signer] }], { sequence })))
  publish('300')
  published.set('/at.xml', austria.signNow(tslOf([{ services: [{ certificates: [issuer] }] }])))
  const { page, complaints, close } = await openConsole(world, await memberOf(world), '/console/trust-lists/new')
  await page.fill('input[name=name]', 'Attestations of Austria')
  await page.check('input[name="formats.mobile"]')
  t.is(await page.locator('select[name="source.signedBy"]').count(), 1, 'lists in JSON have such a list, too')
  await page.selectOption('select[name="source.format"]', 'ts-119-612')
  await page.fill('input[name="source.url"]', beside.urlOf('at.xml'))
  await page.selectOption('select[name="source.signedBy"]', 'lists')
  t.is(await page.locator('textarea[name="source.signers"]').count(), 0)
  await page.fill('input[name="source.listOfLists.url"]', beside.urlOf('lotl.xml'))
  await page.fill('textarea[name="source.listOfLists.signers"]', 'none')
  const kept = async (name: string) => t.is(await page.inputValue(`input[name="${name}"]`), beside.urlOf('lotl.xml'))
  for (const [select, other, back] of [
    ['source.signedBy', 'signers', 'lists'],
    ['source.format', 'ts-119-602', 'ts-119-612'],
    ['origin', 'entries', 'url'],
  ] as const) {
    await page.selectOption(`select[name="${select}"]`, other)
    await page.selectOption(`select[name="${select}"]`, back)
    await kept('source.listOfLists.url')
  }
  t.is(await page.inputValue('input[name="source.url"]'), beside.urlOf('at.xml'))
  await page.fill('input[name="source.listOfLists.location"]', location)
  await page.check('input[name="source.listOfLists.followPivots"]')
  await page.fill('textarea[name="source.serviceTypes"]', QEAA)
  await page.click('button:text-is("Create the trust list")')
  await page.waitForSelector('.failure code:text-is("source.listOfLists.signers.0")')
  await page.fill('textarea[name="source.listOfLists.signers"]', commission.signer)
  await page.click('button:text-is("Create the trust list")')
  await page.waitForSelector('h1:has-text("Attestations of Austria")')
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  const lists = trustListsOf(world, world.token)
  const made = (await lists.read(id)).json<TrustListAnswer>()
  t.deepEqual(made.source?.listOfLists, {
    url: beside.urlOf('lotl.xml'),
    signers: [commission.signer.trim()],
    location,
    followPivots: true,
  })
  const fact = (name: string) => page.textContent(`dt:text-is("${name}") + dd`)
  await page.waitForSelector('dt:text-is("List of the lists")')
  t.is(await fact('List of the lists'), beside.urlOf('lotl.xml'))
  t.is(await fact('Location of the list'), location)
  t.is(await fact('Sequence number of the list of the lists'), '300')
  t.is(await fact('Signers of the list'), '1')
  t.is(await fact('Pivots that were followed'), '0')

  publish('299')
  await page.click('button:text-is("Refresh now")')
  await page.waitForSelector('dt:text-is("Last failure") + dd code:text-is("trust_list.lotl_older")')
  await page.waitForSelector(
    'p:has(strong:text-is("What to do:")):has-text("Wait until its address has the current one")',
  )

  await page.click('summary:text-is("Take the issuers from elsewhere")')
  t.is(await page.inputValue('input[name="source.listOfLists.location"]'), location)
  await page.selectOption('select[name="source.signedBy"]', 'signers')
  await page.fill('textarea[name="source.signers"]', austria.signer)
  await page.click('button:text-is("Take these")')
  await page.waitForSelector('text=The trust list is changed.')
  t.is((await lists.read(id)).json<TrustListAnswer>().source?.listOfLists, null)
  t.deepEqual(complaints, [])
  await close()
  await lists.update(id, {
    source: { ...made.source, signers: null, listOfLists: { ...Object(made.source?.listOfLists) } },
  })
  pages.push(['trust-list-of-lists', `/trust-lists/${id}`])
})

looksRight(
  test,
  () => beside.world,
  () => pages,
)
