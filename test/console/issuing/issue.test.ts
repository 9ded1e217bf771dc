import { readFile } from 'node:fs/promises'
import anyTest from 'ava'
import { looksRight } from '../../support/console/appearance.ts'
import { closeBrowser, memberOf, openConsole, settled } from '../../support/console/browser.ts'
import { COMPACT, createCompactTemplate, verifyCompact } from '../../support/credentials/compact.ts'
import { createDid, verify } from '../../support/credentials/credentials.ts'
import { until } from '../../support/credentials/dids.ts'
import { createIaca, createSigner } from '../../support/credentials/mobile.ts'
import { createTemplate } from '../../support/credentials/templates.ts'
import { createMobileTemplate, createWalletKey, openWallet } from '../../support/openid/wallet.ts'
import { needs } from '../../support/parts.ts'
import { createSdJwtTemplate } from '../../support/sd-jwt/credentials.ts'
import { openWorld, type World } from '../../support/world.ts'

const test = needs('Chromium', anyTest.serial)

/** One pixel. */
const LOGO =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const XSD = 'http://www.w3.org/2001/XMLSchema#'
const WATERMARK = 'https://university.example/watermark.png'

let world: World
let compact: string
let mobile: string
anyTest.before(async () => {
  world = await openWorld({ workflows: true })
  await createDid(world, 'ed25519', world.token, true)
  await createIaca(world)
  await createSigner(world)
  await createTemplate(world, {
    contexts: [
      'https://www.w3.org/ns/credentials/v2',
      {
        CourseCredential: 'https://university.example/terms#CourseCredential',
        course: 'https://schema.org/courseCode',
        passedOn: { '@id': 'https://university.example/terms#passedOn', '@type': `${XSD}date` },
        grade: { '@id': 'https://university.example/terms#grade', '@type': `${XSD}double` },
        hours: { '@id': 'https://university.example/terms#hours', '@type': `${XSD}integer` },
        honours: { '@id': 'https://university.example/terms#honours', '@type': `${XSD}boolean` },
      },
    ],
    issuer: { name: 'Example University', logo_url: LOGO },
    credential_branding: { backgroundColor: '#203040', watermarkImageUrl: WATERMARK },
    proof_type: 'eddsa-rdfc-2022',
    revocable: true,
    claim_mappings: {
      course: { map_from: 'claims.course', required: true },
      passedOn: 'claims.passed_on',
      hours: 'claims.hours',
      grade: 'claims.grade',
      honours: { map_from: 'claims.honours', default_value: false },
    },
  })
  const mappings = { course: { map_from: 'claims.course', required: true }, seat: { map_from: 'claims.seat' } }
  compact = (await createCompactTemplate(world, { credential_mappings: mappings }, world.token, COMPACT)).id
  mobile = await createMobileTemplate(world)
})
anyTest.after.always(async () => {
  await closeBrowser()
  await world?.close()
})

interface Details {
  credential: { credentialSubject: Record<string, unknown> }
  tag?: string
}

test('a newcomer issues from a template and sees the credential verified, with what was typed in its types', async (t) => {
  const { page, complaints, stopped, close } = await openConsole(world, await memberOf(world, 'issuer'))
  await page.click('nav.main >> text=Issue')
  await page.waitForSelector('.wallet')
  t.true(
    (await page.textContent('form.form'))?.includes('https://schema.org/courseCode'),
    'what a claim means is there',
  )
  await page.fill('input[name="claims.course"]', 'CS-101')
  await page.fill('input[name="claims.passed_on"]', '2027-06-30')
  await page.fill('input[name="claims.hours"]', '40')
  await page.fill('input[name="claims.grade"]', '1.7')
  await page.selectOption('select[name="claims.honours"]', 'true')
  await page.fill('input[name=tag]', 'newcomer')
  t.regex(
    (await page.textContent('.wallet')) ?? '',
    /Course certificateExample University.*courseCS-101.*passedOn2027-06-30/,
  )
  t.is(await page.evaluate('getComputedStyle(document.querySelector(".wallet")).backgroundColor'), 'rgb(32, 48, 64)')
  t.is(await page.evaluate('getComputedStyle(document.querySelector(".wallet")).color'), 'rgb(255, 255, 255)')
  t.is(await page.getAttribute('.wallet img', 'src'), LOGO)
  t.is(await page.locator('[style*="url"], img[src^="http"]').count(), 0)
  t.is(await page.locator(`text=A wallet also loads ${WATERMARK}`).count(), 1)
  await page.click('button:text-is("Sign")')
  await page.waitForSelector('.success:focus:has-text("The credential is signed.")')
  await page.click('text=Open the credential')
  await page.waitForURL(/credentials\/[0-9a-f-]{36}$/)
  await page.waitForSelector('section[aria-label=Claims] tr:has-text("passedOn"):has-text("2027-06-30")')
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('button:text-is("Download")')])
  const file = JSON.parse(await readFile(await download.path(), 'utf8')) as unknown
  t.true((await verify(world, file)).verified, 'what is handed over is the credential and nothing else')
  await page.click('text=Verify now')
  await page.waitForSelector('text=Verified: every check passed')
  const id = page.url().split('/').at(-1)
  const details = (await world.ask(`/v1/credentials/web-semantic/${id}`, { token: world.token })).json<Details>()
  t.like(details, {
    tag: 'newcomer',
    credential: {
      credentialSubject: { course: 'CS-101', passedOn: '2027-06-30', hours: 40, grade: 1.7, honours: true },
    },
  })
  t.deepEqual([complaints, await stopped()], [[], []])
  await close()
})

test('a compact credential is signed with claims of the chosen types, and shown as a QR code', async (t) => {
  const path = `/console/issue?format=compact&template=${compact}`
  const { page, asked, complaints, close } = await openConsole(world, await memberOf(world, 'issuer'), path)
  await page.fill('input[name="claims.course"]', 'CS-101')
  for (const [kind, typed] of [
    ['number', '1,7'],
    ['number', '9007199254740993'],
    ['boolean', 'yes'],
  ] as const) {
    await page.fill('input[name="claims.seat"]', typed)
    await page.selectOption('select[name="kind seat"]', kind)
    const before = asked.length
    await page.click('button:text-is("Sign")')
    await page.waitForSelector('input[name="claims.seat"][aria-invalid] ~ .fault')
    t.is(asked.length, before, `${typed} is not signed as a text, and not as another number`)
  }
  await page.fill('input[name="claims.seat"]', '12')
  await page.selectOption('select[name="kind seat"]', 'number')
  await page.click('button:text-is("Sign")')
  await page.waitForSelector('img.qr')
  await page.click('text=Open the credential')
  await page.click('text=Verify now')
  await page.waitForSelector('text=Verified: every check passed')
  const listed = await world.ask('/v1/credentials/compact', { token: world.token })
  const [signed] = listed.json<{ data: { encoded: string }[] }>().data
  const verdict = await verifyCompact(world, signed?.encoded ?? '')
  t.like(verdict, { verified: true, decoded: { property_set: { course: 'CS-101', seat: 12 } } })
  t.deepEqual(complaints, [])
  await close()
})

test('an SD-JWT VC is signed from its template, and its page shows what the holder may leave out', async (t) => {
  const { id, vct } = await createSdJwtTemplate(world)
  const path = `/console/issue?format=sd-jwt-vc&template=${id}`
  const { page, complaints, close } = await openConsole(world, await memberOf(world, 'issuer'), path)
  await page.fill('input[name="claims.given_name"]', 'Ada')
  await page.fill('input[name="claims.city"]', 'London')
  await page.click('button:text-is("Sign")')
  await page.click('text=Open the credential')
  const disclosures = page.locator('section:has(h3:text-is("Claims that the holder may leave out"))')
  await disclosures.locator('tr:has-text("given_name"):has-text("Ada")').waitFor()
  t.is(await disclosures.locator('tbody tr').count(), 2)
  const always = page.locator('section:has(h3:text-is("Claims that are always shown"))')
  t.is(await always.locator(`tr:has-text("vct"):has-text("${vct}")`).count(), 1)
  await page.click('button:text-is("Verify now")')
  await page.waitForSelector('main .success')
  t.deepEqual(complaints, [])
  await close()
})

test('what the platform refuses is shown at its field, and nothing is signed', async (t) => {
  const count = async () =>
    (await world.ask('/v1/credentials', { token: world.token })).json<{ total_count: number }>().total_count
  const before = await count()
  const { page, close } = await openConsole(world, await memberOf(world, 'issuer'), '/console/issue')
  await page.fill('input[name="claims.course"]', 'CS-101')
  await page.fill('input[name=issuer_did]', 'did:key:z6MkmomoUrVggWwNxqRwhZQbdptSzXT6PRnuqcEaXgi293BD')
  await page.click('button:text-is("Sign")')
  await page.waitForSelector('.entry .fault')
  t.is(await page.getAttribute('input[name=issuer_did]', 'aria-invalid'), 'true')
  t.is(await page.inputValue('input[name="claims.course"]'), 'CS-101', 'what was typed stays')
  t.is(await count(), before)
  await close()
})

test('an offer is a QR code, and the page follows the session until a wallet has the credential', async (t) => {
  const path = `/console/issue?format=mobile&template=${mobile}`
  const { page, complaints, asked, close } = await openConsole(world, await memberOf(world, 'issuer'), path)
  await page.waitForSelector('.wallet')
  t.is(await page.locator('select[name=way] option').count(), 1, 'a mobile credential is offered')
  await page.fill('input[name="claims.family_name"]', 'Lovelace')
  await page.check('input[name=txCode]')
  await page.click('button:text-is("Make the offer")')
  await page.waitForSelector('img.qr')
  await page.waitForSelector('text=waits for the wallet')
  const uri = (await page.getAttribute('a[href^="openid-credential-offer://"]', 'href')) ?? ''
  const code = (await page.textContent('dd strong')) ?? ''
  t.regex(code, /^\d{6}$/)
  const { credentials } = await openWallet([await createWalletKey()]).collect(uri, code)
  t.is(credentials.length, 1)
  await page.waitForSelector('p .state:text-is("issued")', { timeout: 15_000 })
  await page.waitForSelector('main >> text=Open the credential')
  const before = asked.length
  await new Promise((resolve) => setTimeout(resolve, 3_000))
  t.is(asked.length, before, 'it asks no more')
  await page.click('main >> text=Open the credential')
  await page.click('text=Verify now')
  await page.waitForSelector('text=Verified: every check passed')
  t.deepEqual(complaints, [])
  await close()
})

test('a batch of another format has a template of that format, after none was chosen of the first', async (t) => {
  const { page, close } = await openConsole(world, await memberOf(world, 'issuer'), '/console/batches')
  const file = { name: 'students.csv', mimeType: 'text/csv', buffer: Buffer.from('course\nCS-101\n') }
  await page.setInputFiles('input[type=file]', file)
  await page.waitForSelector('button:text-is("Start the batch")')
  await page.selectOption('select[name=templateId]', '')
  await page.selectOption('select[name=format]', 'compact')
  await page.waitForSelector('button:text-is("Start the batch")')
  t.is(await page.inputValue('select[name=templateId]'), compact)
  await close()
})

test('who may only read has no page to issue', async (t) => {
  const { page, close } = await openConsole(world, await memberOf(world, 'verifier'), '/console/issue')
  await settled(page)
  t.is(await page.locator('nav.main >> text=Issue').count(), 0)
  t.is(await page.textContent('h1'), 'Your role may not open this page')
  await close()
})

test('a question without an answer for good is sent again as the same one, and an answered one as another one', async (t) => {
  const path = `/console/issue?format=compact&template=${compact}`
  const { page, close } = await openConsole(world, await memberOf(world, 'issuer'), path)
  const keys: (string | undefined)[] = []
  const refusals = [0, 503, 409, 429, 504, 400]
  await page.route('**/v1/credentials/compact/**', (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    keys.push(route.request().headers()['idempotency-key'])
    const status = refusals.shift()
    if (status === undefined) return route.continue()
    return status === 0 ? route.abort() : route.fulfill({ status, json: { status, detail: `refused: ${status}` } })
  })
  await page.fill('input[name="claims.course"]', 'CS-101')
  for (const said of ['The platform cannot be reached', ...refusals.slice(1).map((status) => `refused: ${status}`)]) {
    await page.click('main button:text-is("Sign")')
    await page.waitForSelector(`[role=alert]:has-text("${said}")`)
  }
  await page.click('main button:text-is("Sign")')
  await page.waitForSelector('text=Open the credential')
  await page.click('main button:text-is("Sign")')
  await until('the last request', async () => keys.length === 8)
  t.regex(keys[0] ?? '', /^[0-9a-f-]{36}$/)
  t.deepEqual(new Set(keys.slice(0, 6)).size, 1, 'nothing is made twice')
  t.is(new Set(keys.slice(5)).size, 3, 'a refusal, and a success, are answers')
  await close()
})

looksRight(
  test,
  () => world,
  () => [
    ['issue', '/issue'],
    ['issue-compact', `/issue?format=compact&template=${compact}`],
    ['issue-mobile', `/issue?format=mobile&template=${mobile}`],
    ['issue-empty', '/issue?format=compact-semantic'],
  ],
)
