import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import anyTest from 'ava'
import type { Page } from 'playwright-core'
import { looksRight } from '../../support/console/appearance.ts'
import { closeBrowser, memberOf, openConsole, picture, settled } from '../../support/console/browser.ts'
import {
  type Batch,
  claimLines,
  create,
  linesOf,
  type Result,
  read,
  steer,
  until,
} from '../../support/credentials/batches.ts'
import { createDid, verify } from '../../support/credentials/credentials.ts'
import { createTemplate, type Template } from '../../support/credentials/templates.ts'
import { needs } from '../../support/parts.ts'
import { openWorld, type World } from '../../support/world.ts'

const test = needs('Chromium', anyTest.serial)

/** The worker's key store, as the tests want it. */
const keys = { slowMs: 0 }

let world: World
let did: string
let template: Template
anyTest.before(async () => {
  world = await openWorld({
    workflows: true,
    workerKeys: (store) => ({
      ...store,
      async sign(ref, data) {
        if (keys.slowMs) await wait(keys.slowMs)
        return store.sign(ref, data)
      },
    }),
  })
  did = await createDid(world, 'ed25519', world.token, true)
  template = await createTemplate(world, {
    proof_type: 'eddsa-rdfc-2022',
    revocable: true,
    claim_mappings: { course: { map_from: 'claims.course', required: true }, score: 'claims.score' },
  })
})
anyTest.afterEach.always(() => {
  keys.slowMs = 0
})
anyTest.after.always(async () => {
  await closeBrowser()
  await world?.close()
})

const choose = (page: Page, text: string, name = 'students.csv', mimeType = 'text/csv') =>
  page.setInputFiles('input[type=file]', { name, mimeType, buffer: Buffer.from(text) })

const ended = (page: Page, status = 'completed') =>
  page.waitForSelector(`dd .state:text-is("${status}")`, { timeout: 20_000 })

const idIn = (page: Page): string => page.url().split('/').at(-1) ?? ''

const batches = async (): Promise<number> =>
  (await world.ask('/v1/credentials/batches', { token: world.token })).json<{ total_count: number }>().total_count

async function downloaded(page: Page, button: string): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), page.click(`button:text-is("${button}")`)])
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') }
}

test('a CSV becomes credentials: checked, uploaded, signed, its errors by row, its results a file, all revoked', async (t) => {
  const { page, complaints, stopped, close } = await openConsole(world, await memberOf(world, 'issuer'))
  await page.click('nav.main >> text=Batches')
  await page.waitForSelector('input[type=file]')
  await choose(
    page,
    'id,course,score:number,$tag\ndid:example:ada,"CS-101,\nrepeated",1.3,spring\ndid:example:grace,CS-102,one,spring\n',
  )
  await page.waitForSelector('text=Row 2, score:number: expected a number such as 1.5.')
  t.is(await page.locator('[aria-label="The first rows"] tbody tr').count(), 2)
  t.is(await page.locator('select[name=templateId]').inputValue(), template.id, 'the newest template is chosen')
  await page.click('button:text-is("Start the batch")')
  await page.waitForURL(/batches\/[0-9a-f-]{36}$/)
  await ended(page)
  t.true((await page.textContent('dl'))?.includes('1 of 2 signed'))
  await page.waitForSelector('tbody tr:has-text("score:number")')
  t.regex((await page.textContent('tbody tr')) ?? '', /^2score:numberrow\.numberexpected a number/)
  const results = await downloaded(page, 'Download the results (JSON lines)')
  const [result] = linesOf<Result>(results.text)
  t.is(results.name, `batch-${idIn(page)}.jsonl`)
  t.is(result?.row, 1)
  t.true((await verify(world, result?.credential)).verified)
  const errors = await downloaded(page, 'Download the errors (CSV)')
  t.regex(errors.text, /^row,field,code,rule,message\r\n2,score:number,/)
  await page.click('button:text-is("Revoke all")')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForSelector('dd:has-text("done, credentials: 1")')
  const status = await world.ask(`/v1/credentials/web-semantic/${result?.id}/revocation-status`, { token: world.token })
  t.is(status.json<{ isRevoked: boolean }>().isRevoked, true)
  await page.click('text=Show its credentials')
  await page.waitForSelector('tbody .state:text-is("revoked")')
  t.deepEqual([complaints, await stopped()], [[], []])
  await close()
})

test('a header that does not fit the template is named in the browser, with what to do, and nothing is uploaded', async (t) => {
  const before = await batches()
  const { page, asked, close } = await openConsole(world, await memberOf(world, 'issuer'), '/console/batches')
  await choose(page, 'id,cuorse,$validUntil,age:int\ndid:example:ada,CS-101,2030-01-01T00:00:00Z,3\n')
  await page.waitForSelector('text=The file cannot be uploaded like this')
  t.deepEqual(await page.locator('.failure li').allTextContents(), [
    'Column cuorse: the template takes no claim of this name. Did you mean course?',
    'Column $validUntil: there is no such option. With a template, $tag is the only one.',
    'Column age:int: the type after the colon has to be string, number, boolean or json.',
    'There is no column course: the template requires it for the claim course. Add the column.',
  ])
  t.is(await page.locator('button:text-is("Start the batch")').count(), 0)
  await picture(page, 'console-batch-refused')
  await choose(page, '\u00ff'.repeat(3), 'latin.csv')
  await page.setInputFiles('input[type=file]', {
    name: 'latin.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from([0xff, 0x41]),
  })
  await page.waitForSelector('text=The file is not UTF-8 text')
  await choose(page, 'id;course\ndid:example:ada;CS-101\n')
  await page.waitForSelector('button:text-is("Start the batch")')
  await page.dispatchEvent('input[type=file]', 'click')
  t.is(await page.inputValue('input[type=file]'), '', 'a corrected file has the same name')
  t.is(await page.locator('select[name=delimiter]').inputValue(), ';')
  await page.fill('input[name=issuerDid]', 'did:key:z6MkmomoUrVggWwNxqRwhZQbdptSzXT6PRnuqcEaXgi293BD')
  await page.click('button:text-is("Start the batch")')
  await page.waitForSelector('.entry .fault')
  t.is(await page.getAttribute('input[name=issuerDid]', 'aria-invalid'), 'true', 'the field that the API refused')
  t.is(await batches(), before)
  t.is(asked.filter(({ method, path }) => method === 'POST' && path === '/v1/credentials/batches').length, 1)
  await close()
})

test('a file dropped on the page is read, also JSON lines and gzip; options of the format go with it', async (t) => {
  const { page, complaints, close } = await openConsole(world, await memberOf(world), '/console/batches')
  await page.evaluate(`(async () => {
    const line = JSON.stringify({ payload: { credentialSubject: { id: 'did:example:ada', course: 'CS-101' } } }) + '\\n'
    const zipped = await new Response(new Blob([line, line]).stream().pipeThrough(new CompressionStream('gzip'))).blob()
    const data = new DataTransfer()
    data.items.add(new File([zipped], 'rows.jsonl.gz', { type: 'application/gzip' }))
    document.querySelector('h1').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))
  })()`)
  await page.waitForSelector('text=rows.jsonl.gz')
  await page.waitForSelector('text=Row 1: expected a JSON object with the member claims.')
  await page.selectOption('select[name=templateId]', '')
  await page.waitForSelector('[aria-label="The first rows"] tbody tr')
  t.is(await page.locator('text=expected a JSON object').count(), 0)
  await page.fill('input[name=issuer]', did)
  await page.selectOption('select[name=proofType]', 'eddsa-rdfc-2022')
  await page.fill(
    'textarea[name=context]',
    'https://www.w3.org/ns/credentials/v2\n{"course":"https://schema.org/courseCode"}',
  )
  await page.fill('input[name=tag]', 'dropped')
  await page.click('button:text-is("Start the batch")')
  await page.waitForURL(/batches\/[0-9a-f-]{36}$/)
  await ended(page)
  const batch = await read(world, idIn(page))
  t.like(batch, { total: 2, signed: 2, failed: 0 })
  const found = await world.ask('/v1/credentials?tag=dropped', { token: world.token })
  t.is(found.json<{ total_count: number }>().total_count, 2)
  t.deepEqual(complaints, [])
  await close()
})

async function slowBatch(): Promise<Batch> {
  keys.slowMs = 300
  return create(world, claimLines(400), { templateId: template.id, issuerDid: did })
}

test('a batch is paused, resumed and cancelled, and its page asks no more when it has ended', async (t) => {
  const { id } = await slowBatch()
  const { page, asked, close } = await openConsole(world, await memberOf(world, 'issuer'), `/console/batches/${id}`)
  await page.click('button:text-is("Pause")')
  await ended(page, 'paused')
  t.is((await read(world, id)).status, 'PAUSED')
  await page.click('button:text-is("Resume")')
  await ended(page, 'in progress')
  await page.click('button:text-is("Cancel the batch")')
  await page.click('dialog[open] button[type=submit]')
  await ended(page, 'cancelled')
  keys.slowMs = 0
  t.is((await read(world, id)).status, 'CANCELLED')
  await settled(page)
  const before = asked.length
  await wait(2_500)
  t.is(asked.length, before)
  await close()
})

test('an auditor sees batches, and no way to change them', async (t) => {
  const { id } = await slowBatch()
  const { page, close } = await openConsole(world, await memberOf(world, 'auditor'), `/console/batches/${id}`)
  await page.waitForSelector('dl')
  t.is(await page.locator('button:text-is("Pause"), button:text-is("Cancel the batch")').count(), 0)
  await page.goto(`${world.url}/console/batches`)
  await settled(page)
  t.is(await page.locator('input[type=file]').count(), 0)
  t.true((await page.locator('tbody tr').count()) > 0)
  await steer(world, id, 'cancel')
  await close()
})

/** Whose page is looked at. */
let shown = ''
test('errors of a batch are read page by page', async (t) => {
  const text = `id,course,score:number\n${Array.from({ length: 60 }, (_, at) => `did:example:${at},C-${at},x`).join('\n')}`
  const { id } = await create(world, text, { templateId: template.id, issuerDid: did }, { type: 'text/csv' })
  await until(world, id, ({ status }) => status === 'COMPLETED')
  shown = id
  const { page, close } = await openConsole(world, await memberOf(world, 'issuer'), `/console/batches/${id}`)
  await page.waitForSelector('tbody tr')
  t.is(await page.locator('tbody tr').count(), 25)
  await page.click('nav.paging button:text-is("Next")')
  await page.click('nav.paging button:text-is("Next")')
  await page.waitForSelector('nav.paging >> text=Page 3')
  await page.waitForSelector('tbody tr td :text-is("60")')
  t.is(await page.locator('tbody tr').count(), 10)
  t.is(await page.getAttribute('nav.paging button:text-is("Next")', 'aria-disabled'), 'true')
  await close()
})

test('rows that are refused while the page is open appear on it', async (t) => {
  const { id } = await create(world, claimLines(1), { templateId: template.id, issuerDid: did })
  const known = await until(world, id, ({ status }) => status === 'COMPLETED')
  const { page, close } = await openConsole(world, await memberOf(world, 'issuer'), '/console/batches')
  let failed = 1
  await page.route(`**/v1/credentials/batches/${id}`, (route) =>
    route.fulfill({ json: { ...known, total: 10, failed, pending: 10 - failed, status: 'PROCESSING' } }),
  )
  const error = { field: 'score:number', code: 'row.invalid', rule: 'row.number', message: 'expected a number' }
  await page.route(`**/v1/credentials/batches/${id}/errors`, (route) => {
    const rows = Array.from({ length: failed }, (_, at) => `${JSON.stringify({ row: at + 1, ...error })}\n`)
    return route.fulfill({ contentType: 'application/x-ndjson', body: rows.join('') })
  })
  await page.goto(`${world.url}/console/batches/${id}`)
  await page.waitForSelector('tbody tr:first-child td :text-is("1")')
  t.is(await page.locator('tbody tr').count(), 1)
  failed = 3
  await page.waitForSelector('tbody tr:nth-child(3)')
  t.is(await page.locator('tbody tr').count(), 3)
  await close()
})

/** Longer than a frame of a slow machine by far: what a page of 100,000 rows would take. */
const SLOW_MS = 200

test('a batch of 100,000 in progress renders counts and one page of rows, without a slow frame', async (t) => {
  const { id } = await create(world, claimLines(1), { templateId: template.id, issuerDid: did })
  const known = await until(world, id, ({ status }) => status === 'COMPLETED')
  const { page, complaints, close } = await openConsole(world, await memberOf(world, 'issuer'))
  const error = { row: 1, field: 'score:number', code: 'row.invalid', rule: 'row.number', message: 'expected a number' }
  const file = Array.from({ length: 50_000 }, (_, at) => `${JSON.stringify({ ...error, row: at + 1 })}\n`).join('')
  let signed = 0
  await page.route(`**/v1/credentials/batches/${id}`, (route) => {
    signed += 1_000
    const counts = { total: 100_000, signed, failed: 50_000, pending: 50_000 - signed }
    return route.fulfill({
      json: { ...known, ...counts, status: 'PROCESSING', rows_per_second: 1_000, eta_seconds: 40 },
    })
  })
  await page.route(`**/v1/credentials/batches/${id}/errors`, (route) =>
    route.fulfill({ contentType: 'application/x-ndjson', body: file }),
  )
  await page.evaluate(`globalThis.slow = [];
    new PerformanceObserver((list) => slow.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask' });
    history.pushState(null, '', '/console/batches/${id}'); dispatchEvent(new PopStateEvent('popstate'))`)
  await page.waitForSelector('tbody tr')
  const heading = await page.locator('h2:text-is("Refused rows")').boundingBox()
  await page.waitForSelector('dd:has-text("4,000 of 100,000 signed")', { timeout: 15_000 })
  t.is(await page.locator('tbody tr').count(), 25)
  t.true((await page.locator('main *').count()) < 600)
  t.deepEqual(await page.locator('h2:text-is("Refused rows")').boundingBox(), heading, 'nothing jumps')
  t.deepEqual(
    (await page.evaluate<number[]>('slow')).filter((duration) => duration > SLOW_MS),
    [],
  )
  t.deepEqual(complaints, [])
  await close()
})

looksRight(
  test,
  () => world,
  () => [
    ['batches', '/batches'],
    ['no-batches', '/batches?status=PAUSED'],
    ['batch', `/batches/${shown}`],
  ],
)
