import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import anyTest from 'ava'
import ts from 'typescript'
import { closeBrowser, memberOf, openConsole, settled } from '../support/console/browser.ts'
import { handsOn } from '../support/console/keyboard.ts'
import { createDid } from '../support/credentials/credentials.ts'
import { until } from '../support/credentials/dids.ts'
import { openWorldBeside, type WorldBeside } from '../support/parts/elsewhere.ts'
import { needs } from '../support/parts.ts'
import { createReceiver, status } from '../support/receiver.ts'
import { webhooksOf } from '../support/webhooks.ts'
import type { World } from '../support/world.ts'

const test = needs('Chromium', anyTest.serial)
const root = fileURLToPath(new URL('../..', import.meta.url))

const receiver = createReceiver()
let beside: WorldBeside
let world: World
anyTest.before(async () => {
  const env = { WEBHOOK_RETRY_SECONDS: '0.1,0.1,0.1' }
  beside = await openWorldBeside('receiver.acme.test', receiver.listener, { workflows: true, env })
  world = beside.world
  await createDid(world, 'ed25519', world.token, true)
})
anyTest.after.always(async () => {
  await closeBrowser()
  await beside?.close()
})

test('keys alone create a template, issue from it, offer, and upload a batch', async (t) => {
  t.timeout(4 * 60_000)
  const { page, complaints, close } = await openConsole(world, await memberOf(world), '/console/templates')
  const hands = handsOn(page)
  await hands.press('main a:text-is("Create a template")')
  await page.waitForURL(/templates\/web-semantic\/new$/)
  await settled(page)
  await hands.press('main button:text-is("Create a template")')
  await page.waitForURL(/templates\/web-semantic\/[0-9a-f-]{36}$/)
  await settled(page)
  await hands.press('main .actions a:text-is("Issue")')
  await page.waitForSelector('.wallet')
  await hands.type('input[name="claims.course"]', 'CS-101')
  await hands.press('main button:text-is("Sign")')
  await page.waitForSelector('text=The credential is signed.')
  await hands.choose('select[name=way]', 'O')
  await page.waitForSelector('button:text-is("Make the offer")')
  await hands.press('button:text-is("Make the offer")')
  await page.waitForSelector('img.qr')
  await hands.press('nav.main a:text-is("Batches")')
  await page.waitForURL('**/console/batches')
  await settled(page)
  await hands.to('input[type=file]')
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('Space')])
  const buffer = Buffer.from('id,course\ndid:example:ada,CS-101\n')
  await chooser.setFiles({ name: 'students.csv', mimeType: 'text/csv', buffer })
  await page.waitForSelector('[aria-label="The first rows"]')
  await hands.press('main button:text-is("Start the batch")')
  await page.waitForURL(/batches\/[0-9a-f-]{36}$/)
  await page.waitForSelector('dd .state:text-is("completed")')
  const listed = await world.ask('/v1/credentials', { token: world.token })
  t.is(listed.json<{ total_count: number }>().total_count, 2, 'one that was signed, and one of the batch')
  t.deepEqual(complaints, [])
  await close()
})

test('keys alone send a test event, and deliver again what failed', async (t) => {
  receiver.script('/keys', status(500))
  const { id } = await webhooksOf(world, world.token).created({
    url: beside.urlOf('keys'),
    events: ['OpenIdCredentialIssued'],
  })
  const { page, complaints, close } = await openConsole(world, await memberOf(world), `/console/webhooks/${id}`)
  const hands = handsOn(page)
  await hands.press('main button:text-is("Send a test event")')
  await until('the delivery to fail', async () => {
    await hands.press('main button:text-is("Load again")')
    await settled(page)
    return (await page.locator('tbody .state:text-is("failed")').count()) === 1
  })
  const before = receiver.at('/keys').length
  receiver.script('/keys', status(200))
  await hands.press('td button:text-is("Deliver again")')
  await until('the delivery', async () => receiver.at('/keys').length === before + 1)
  t.deepEqual(complaints, [])
  await close()
})

/** What a browser lets keys press. */
const CONTROLS = new Set(['button', 'a', 'summary', 'input', 'select', 'textarea'])
const PRESSED = /^on(Click|DblClick|Mouse|Pointer|Touch|Key|Drag|Drop)/

/** Handlers of presses at elements that are no controls, and links without an address. */
function unreachable(path: string): string[] {
  const source = ts.createSourceFile(path, readFileSync(join(root, path), 'utf8'), ts.ScriptTarget.Latest, true)
  const found: string[] = []
  const look = (node: ts.Node): void => {
    if (ts.isJsxOpeningElement(node) || ts.isJsxSelfClosingElement(node)) {
      const tag = node.tagName.getText(source)
      const names = node.attributes.properties.filter(ts.isJsxAttribute).map(({ name }) => name.getText(source))
      const isControl = CONTROLS.has(tag) && (tag !== 'a' || names.includes('href'))
      // parts of the page hand what they get to their own elements, which are looked at too
      if (/^[a-z]/.test(tag) && !isControl && names.some((name) => PRESSED.test(name)))
        found.push(`${path}: ${node.getText(source).slice(0, 80)}`)
    }
    ts.forEachChild(node, look)
  }
  look(source)
  return found
}

anyTest('only controls of the browser are pressed, and a place for dropped files has a field for them', (t) => {
  const files = globSync('console/**/*.tsx', { cwd: root })
  t.true(files.length > 100)
  t.deepEqual(files.flatMap(unreachable), [])
  for (const path of files) {
    const text = readFileSync(join(root, path), 'utf8')
    if (/'drop'|onDrop/.test(text)) t.regex(text, /type="file"/, path)
  }
})
