import anyTest from 'ava'
import jsQrModule from 'jsqr'
import { PNG } from 'pngjs'
import { looksRight, type NamedPage } from '../../support/console/appearance.ts'
import { closeBrowser, memberOf, openConsole, picture, settled, violationsOf } from '../../support/console/browser.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { chooseIssuer } from '../../support/credentials/dids.ts'
import { makeHolder } from '../../support/credentials/holders.ts'
import { about, REQUESTS, TEMPLATES } from '../../support/credentials/presentations.ts'
import { createTemplate, createVerifier, createVerifierClient, VERIFIERS } from '../../support/openid/verifiers.ts'
import { needs } from '../../support/parts.ts'
import { openWorld, type World } from '../../support/world.ts'

const test = needs('Chromium', anyTest.serial)

// CommonJS, whose types say otherwise
const jsQr = jsQrModule as unknown as (typeof jsQrModule)['default']

let world: World
let template: string
let verifier: string
let pages: NamedPage[]
anyTest.before(async () => {
  world = await openWorld()
  await chooseIssuer(world, await createDid(world), world.token)
  template = await createTemplate(world)
  verifier = (await createVerifier(world)).id
  await createVerifierClient(world, verifier)
  pages = [
    ['presentations', '/presentations'],
    ['new-template', '/presentations/templates/new'],
    ['template', `/presentations/templates/${template}`],
    ['new-verifier', '/presentations/verifiers/new'],
    ['verifier', `/presentations/verifiers/${verifier}`],
  ]
})
anyTest.after.always(async () => {
  await closeBrowser()
  await world?.close()
})

const read = async <T>(path: string) => {
  const reply = await world.ask(path, { token: world.token })
  if (reply.status !== 200) throw new Error(reply.text)
  return reply.json<T>()
}

test('a verifier makes a template, asks a wallet by its QR code, and verifies the answer check by check', async (t) => {
  const { page, complaints, stopped, close } = await openConsole(world, await memberOf(world, 'admin'))
  await page.click('nav.main >> text=Presentations')
  await settled(page)
  await page.click('text=New template')
  await page.fill('input[name=name]', 'Proof of a course')
  await page.fill('textarea[name=query]', '[{')
  await page.click('main form button[type=submit]')
  await page.waitForSelector('.fault:has-text("expected JSON.")')
  await page.fill('textarea[name=query]', '[{ "type": "QueryByNothing" }]')
  await page.click('main form button[type=submit]')
  await page.waitForSelector('.failure')
  t.is((await read<{ total_count: number }>(TEMPLATES)).total_count, 2, 'what is refused makes no template')
  const query = [
    { type: 'QueryByExample', credentialQuery: [{ required: true, example: { type: 'VerifiableCredential' } }] },
  ]
  await page.fill('textarea[name=query]', JSON.stringify(query))
  await page.click('main form button[type=submit]')
  await page.waitForSelector('h1:text-is("Presentation template")')
  const id = page.url().split('/').at(-1) ?? ''
  t.like(await read(`${TEMPLATES}/${id}`), { name: 'Proof of a course', domain: 'university.example', query })
  await page.click('button:text-is("Ask a wallet")')
  await page.waitForSelector('img.qr')
  await settled(page)
  const shot = PNG.sync.read(await page.locator('img.qr').screenshot({ scale: 'css' }))
  const link = jsQr(new Uint8ClampedArray(shot.data), shot.width, shot.height)?.data ?? ''
  t.regex(link, /\/v1\/presentation-requests\/[\w-]+$/, 'a camera reads the address of the request')
  // the wallet reads the signed request, and answers with a credential and a key of its own
  const jws = await (await fetch(link)).text()
  const asked = JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString()) as {
    body: { challenge: string; domain: string }
  }
  const holder = makeHolder()
  const { challenge, domain } = asked.body
  const other = await holder.present([(await about(world, holder)).credential], { challenge: 'another', domain })
  await page.fill('textarea[name=presentation]', JSON.stringify(other))
  await page.click('button:text-is("Verify the answer")')
  await page.waitForSelector('.failure:has-text("Not verified")')
  t.regex((await page.textContent('section[aria-label="Checks"]')) ?? '', /failed\s*challenge/)
  const presentation = await holder.present([(await about(world, holder)).credential], { challenge, domain })
  await page.fill('textarea[name=presentation]', JSON.stringify(presentation))
  await page.click('button:text-is("Verify the answer")')
  await page.waitForSelector('.success:has-text("Verified: ")')
  const checks = await page.locator('section[aria-label="Checks"] tbody tr').allTextContents()
  t.true(
    checks.some((row) => /passed\s*challenge/.test(row)),
    checks.join('\n'),
  )
  await page.waitForSelector('dd .state:text-is("answered")')
  const requestId = link.split('/').at(-1)
  t.is((await read<{ state: string }>(`${REQUESTS}/${requestId}`)).state, 'used')
  t.deepEqual(await violationsOf(page), [])
  await picture(page, 'console-template-tried')
  t.deepEqual([complaints, await stopped()], [[], []])
  await close()
})

test('a template is changed, and deleted after a question', async (t) => {
  const id = await createTemplate(world)
  const { page, close } = await openConsole(world, await memberOf(world), `/console/presentations/templates/${id}`)
  await page.click('summary:text-is("Change")')
  await page.fill('input[name=name]', 'Changed')
  await page.click('button:text-is("Save")')
  await page.waitForSelector('text=Saved.')
  t.is((await read<{ name: string }>(`${TEMPLATES}/${id}`)).name, 'Changed')
  await page.click('button:text-is("Delete")')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForURL('**/console/presentations')
  t.is((await world.ask(`${TEMPLATES}/${id}`, { token: world.token })).status, 404)
  await close()
})

test('a verifier is made with an application, whose secret is shown once and whose sign-in is tried', async (t) => {
  const did = await createDid(world, 'p256')
  const { page, complaints, close } = await openConsole(
    world,
    await memberOf(world),
    '/console/presentations/verifiers/new',
  )
  await page.fill('input[name=verifier_did]', 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK')
  await page.click('main form button[type=submit]')
  await page.waitForSelector('.fault')
  t.is(await page.locator('input[name=verifier_did][aria-invalid]').count(), 1, 'the field that is refused says so')
  await page.fill('input[name=verifier_did]', did)
  await page.selectOption('select[name=presentation_template_id]', template)
  await page.click('main form button[type=submit]')
  await page.waitForSelector('h1:text-is("Verifier")')
  const id = page.url().split('/').at(-1) ?? ''
  t.like(await read(`${VERIFIERS}/${id}`), { verifierDid: did, presentationTemplateId: template })
  await page.fill('input[name=name]', 'Student portal')
  await page.fill('input[name="redirectUris.0"]', 'https://portal.university.example/callback')
  await page.click('button:text-is("Create")')
  await page.waitForSelector('text=The secret is shown only here.')
  await page.click('button:text-is("Try it")')
  await page.waitForSelector('img.qr')
  const href = (await page.getAttribute('a:text-is("Open the sign-in page")', 'href')) ?? ''
  const signIn = await fetch(href, { redirect: 'manual' })
  t.regex(signIn.headers.get('location') ?? '', /\/sign-in\//, 'the address begins a sign-in')
  await page.click('button:text-is("Rotate the keys")')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForSelector('dialog[open] .failure:has-text("oidc_verifier")')
  await page.keyboard.press('Escape')
  await page.reload()
  await settled(page)
  t.is(await page.locator('text=The secret is shown only here.').count(), 0)
  await page.click('main > div > .actions button:text-is("Delete")')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForURL('**/console/presentations')
  t.is((await world.ask(`${VERIFIERS}/${id}`, { token: world.token })).status, 404)
  t.deepEqual(complaints, [])
  await close()
})

test('who may only read sees neither forms nor buttons that change something', async (t) => {
  for (const path of pages.filter(([name]) => /^(template|verifier|presentations)$/.test(name))) {
    const { page, close } = await openConsole(world, await memberOf(world, 'auditor'), `/console${path[1]}`)
    await page.waitForSelector('h1')
    t.is(await page.locator('main form, main button.danger, main a[href$="/new"]').count(), 0, path[0])
    await close()
  }
})

looksRight(
  test,
  () => world,
  () => pages,
)
