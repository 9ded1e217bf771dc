import anyTest from 'ava'
import { looksRight } from '../../support/console/appearance.ts'
import { closeBrowser, memberOf, openConsole, settled } from '../../support/console/browser.ts'
import { createDid, verify } from '../../support/credentials/credentials.ts'
import { until } from '../../support/credentials/dids.ts'
import { createTemplate, TEMPLATES } from '../../support/credentials/templates.ts'
import { needs } from '../../support/parts.ts'
import { openWorld, type World } from '../../support/world.ts'

const test = needs('Chromium', anyTest.serial)

const SD_JWT_TEMPLATES = '/v1/credentials/sd-jwt-vc/configurations'

let world: World
let known: string
anyTest.before(async () => {
  world = await openWorld()
  await createDid(world, 'ed25519', world.token, true)
  known = (await createTemplate(world, { claim_mappings: { course: 'claims.course' } })).id
})
anyTest.after.always(async () => {
  await closeBrowser()
  await world?.close()
})

const templateAt = async (path: string) =>
  (await world.ask(path, { token: world.token })).json<Record<string, unknown>>()

test('a newcomer creates the example with one more claim, is told what a new term needs, and issues from it', async (t) => {
  const path = '/console/templates/web-semantic/new'
  const { page, complaints, stopped, close } = await openConsole(world, await memberOf(world, 'issuer'), path)
  await page.fill('input[name=name]', 'Diploma')
  await page.click('text=Add a claim')
  await page.fill('fieldset:has(legend:text-is("new claim")) input[name^="claim_mappings."]', 'grade')
  await page.waitForSelector('text=No context defines grade.')
  await page.click('button:text-is("Create a template")')
  await page.waitForSelector('.entry .fault:has-text("no context defines grade")')
  await page.fill(
    'fieldset:has(legend:text-is("grade")) input[name$=" meaning"]',
    'https://schema.org/educationalLevel',
  )
  await page.waitForSelector('text=Your own context says what grade means:')
  t.true((await page.inputValue('textarea[name=contexts]')).includes('"grade":"https://schema.org/educationalLevel"'))
  await page.press('textarea[name=contexts]', 'Control+End')
  for (let back = 0; back < '"}'.length; back++) await page.keyboard.press('ArrowLeft')
  await page.keyboard.type('X2')
  t.regex(await page.inputValue('textarea[name=contexts]:focus'), /educationalLevelX2"/, 'it keeps the focus')
  for (const _ of 'X2') await page.keyboard.press('Backspace')
  const byDefault = 'fieldset:has(legend:text-is("grade")) input[name$=".default_value"]'
  await page.click('fieldset:has(legend:text-is("grade")) summary')
  await page.fill(byDefault, '9007199254740993')
  await page.click('button:text-is("Create a template")')
  await page.waitForSelector(`${byDefault}[aria-invalid] ~ .fault`)
  await page.fill(byDefault, '')
  await page.fill('input[name="credential_branding.backgroundColor"]', '#ffee00')
  t.is(await page.evaluate('getComputedStyle(document.querySelector(".wallet")).backgroundColor'), 'rgb(255, 238, 0)')
  await page.click('button:text-is("Create a template")')
  await page.waitForURL(/templates\/web-semantic\/[0-9a-f-]{36}$/)
  await settled(page)
  const id = page.url().split('/').at(-1)
  const template = await templateAt(`${TEMPLATES}/${id}`)
  t.like(template, {
    version: 1,
    name: 'Diploma',
    expires_in: { years: 1 },
    credential_branding: { backgroundColor: '#ffee00' },
    claim_mappings: {
      course: { map_from: 'claims.course', required: true },
      grade: { map_from: 'claims.grade', required: true },
    },
  })
  await page.click('main .actions >> text=Issue')
  await page.fill('input[name="claims.course"]', 'CS-101')
  await page.fill('input[name="claims.grade"]', 'A')
  await page.click('button:text-is("Sign")')
  await page.waitForSelector('text=The credential is signed.')
  const { data } = (await world.ask('/v1/credentials/web-semantic', { token: world.token })).json<{
    data: { id: string }[]
  }>()
  const details = await templateAt(`/v1/credentials/web-semantic/${data[0]?.id}`)
  t.true((await verify(world, details.credential)).verified)
  t.deepEqual([complaints, await stopped()], [[], []])
  await close()
})

test('the source of a claim follows its name, until it is told apart', async (t) => {
  const path = '/console/templates/compact/new'
  const { page, close } = await openConsole(world, await memberOf(world, 'issuer'), path)
  const claim = page.locator('fieldset:has(summary:text-is("Where the value comes from"))').first()
  await claim.locator('input[name="credential_mappings.course"]').fill('degree')
  await claim.locator('summary').click()
  const source = claim.locator('input[name$=".map_from"]')
  t.is(await source.inputValue(), 'claims.degree')
  await source.fill('claims.other')
  t.is(await source.inputValue(), 'claims.other')
  await claim.locator('input[name="credential_mappings.degree"]').fill('title')
  t.is(await source.inputValue(), 'claims.other')
  await close()
})

test('a change is the next version, an older one can be saved again, and a template is deleted after a question', async (t) => {
  const { id } = await createTemplate(world, { name: 'First', claim_mappings: { course: 'claims.course' } })
  const path = `/console/templates/web-semantic/${id}`
  const before = await templateAt(`${TEMPLATES}/${id}`)
  const { page, complaints, close } = await openConsole(world, await memberOf(world, 'issuer'), path)
  await page.waitForSelector('text=@vocab defines every name')
  await page.fill('input[name=name]', 'Second')
  await page.click('button:text-is("Save as the next version")')
  await page.waitForSelector('text=Saved: this is version 2.')
  t.deepEqual(
    await templateAt(`${TEMPLATES}/${id}`),
    { ...before, version: 2, name: 'Second' },
    'the rest is as it was',
  )
  await page.selectOption('select[name=version]', '1')
  await until('the older version', async () => (await page.inputValue('input[name=name]')) === 'First')
  await page.click('button:text-is("Save as the next version")')
  await page.waitForSelector('text=Saved: this is version 3.')
  t.like(await templateAt(`${TEMPLATES}/${id}`), { version: 3, name: 'First' })
  await page.click('button:text-is("Delete")')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForURL('**/console/templates?format=web-semantic')
  t.is((await world.ask(`${TEMPLATES}/${id}`, { token: world.token })).status, 404)
  t.deepEqual(complaints, [])
  await close()
})

test('templates of the other formats are made and changed', async (t) => {
  const { page, close } = await openConsole(world, await memberOf(world, 'issuer'))
  for (const format of ['compact', 'compact-semantic', 'mobile', 'sd-jwt-vc']) {
    await page.goto(`${world.url}/console/templates/${format}/new`)
    await page.waitForSelector('fieldset')
    await page.click('button:text-is("Create a template")')
    await page.waitForURL(new RegExp(`templates/${format}/[0-9a-f-]{36}$`))
    await page.waitForSelector('button:text-is("Save as the next version")')
    const id = page.url().split('/').at(-1)
    await page.uncheck('input[name=revocable]')
    await page.click('button:text-is("Save as the next version")')
    await page.waitForSelector('text=Saved: this is version 2.')
    t.like(await templateAt(`/v1/credentials/${format}/configurations/${id}`), { version: 2, revocable: false })
  }
  await page.goto(`${world.url}/console/templates?format=mobile`)
  await page.waitForSelector('tbody tr:has-text("org.iso.18013.5.1.mDL")')
  await page.click('tbody a')
  const levels = 'input[name="key_attestations.key_storage"]'
  const saved = async (version: number) => {
    await page.click('button:text-is("Save as the next version")')
    await page.waitForSelector(`text=Saved: this is version ${version}.`)
    await settled(page)
    const id = new URL(page.url()).pathname.split('/').at(-1)
    return templateAt(`/v1/credentials/mobile/configurations/${id}`)
  }
  await page.check('input[name=key_attestations]')
  await page.fill(levels, 'iso_18045_high iso_18045_high')
  await page.click('button:text-is("Save as the next version")')
  await page.waitForSelector('.failure:has-text("key_attestations.key_storage.1")')
  await page.fill(levels, 'iso_18045_high, iso_18045_moderate')
  const asked = { key_storage: ['iso_18045_high', 'iso_18045_moderate'], user_authentication: [] }
  t.like(await saved(3), { key_attestations: asked })
  t.is(await page.inputValue(levels), 'iso_18045_high, iso_18045_moderate')
  await page.check('input[name=revocable]')
  t.like(await saved(4), { key_attestations: asked }, 'what the form shows stays')
  await page.uncheck('input[name=key_attestations]')
  t.false('key_attestations' in (await saved(5)))
  await page.goto(`${world.url}/console/templates?format=mobile`)
  await page.waitForSelector('tbody tr:has-text("org.iso.18013.5.1.mDL")')
  await close()
})

test('an SD-JWT VC says claim by claim what its holder may leave out; what the form does not show stays', async (t) => {
  const kept = {
    extends: 'https://types.example/certificate',
    display: [
      { locale: 'en', name: 'Certificate', background_color: '#12107C' },
      { locale: 'de', name: 'Zeugnis' },
    ],
  }
  const claims = [
    { path: ['given_name'], map_from: 'claims.given_name', required: true, disclosure: 'selectively' },
    { path: ['address'], map_from: 'claims.address', disclosure: 'always' },
    { path: ['address', 'locality'], disclosure: 'selectively' },
    { path: ['nationalities', null], disclosure: 'selectively' },
    { path: ['with.dot'], default_value: 'kept', disclosure: 'always' },
  ]
  const created = await world.ask(SD_JWT_TEMPLATES, { token: world.token, body: { name: 'Identity', claims, ...kept } })
  const { id } = created.json<{ id: string }>()
  const path = `/console/templates/sd-jwt-vc/${id}`
  const { page, complaints, close } = await openConsole(world, await memberOf(world, 'issuer'), path)
  await page.waitForSelector('fieldset:has(legend:text-is("nationalities.[]"))')
  t.is(await page.locator('fieldset:has(legend:text-is("address.locality")) >> text=Required').count(), 0)
  await page.click('text=Add a claim')
  await page.fill('fieldset:has(legend:text-is("new claim")) input[name="claims.4.path"]', 'cnf')
  await page.click('button:text-is("Save as the next version")')
  await page.waitForSelector('.entry .fault:has-text("which the platform sets")')
  await page.fill('input[name="claims.4.path"]', 'address.country')
  await page.fill('input[name="display.0.text_color"]', '#FFFFFF')
  await page.click('button:text-is("Save as the next version")')
  await page.waitForSelector('text=Saved: this is version 2.')
  const [dotted] = claims.splice(4)
  t.like(await templateAt(`${SD_JWT_TEMPLATES}/${id}`), {
    ...kept,
    display: [{ ...kept.display[0], text_color: '#FFFFFF' }, kept.display[1]],
    claims: [...claims, { path: ['address', 'country'], disclosure: 'selectively' }, dotted],
  })
  await page.click('button:text-is("Delete")')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForURL('**/console/templates?format=sd-jwt-vc')
  t.is((await world.ask(`${SD_JWT_TEMPLATES}/${id}`, { token: world.token })).status, 404)
  t.deepEqual(complaints, [])
  await close()
})

test('what a template holds is text, also in the preview, and a colour is a colour and nothing else', async (t) => {
  const markup = '<img src=x onerror="globalThis.hit=1">'
  const { id } = await createTemplate(world, {
    name: markup,
    issuer: { name: 'javascript:globalThis.hit=1' },
    claim_mappings: { '<script>globalThis.hit=1</script>': { default_value: markup } },
  })
  const path = `/console/templates/web-semantic/${id}`
  const { page, complaints, stopped, close } = await openConsole(world, await memberOf(world, 'issuer'), path)
  await page.waitForSelector('.wallet')
  t.is(await page.textContent('.wallet h3'), markup)
  await page.fill(
    'input[name="credential_branding.backgroundColor"]',
    'red;background-image:url(https://elsewhere.example/x)',
  )
  await page.fill('input[name="issuer.logo_url"]', 'https://elsewhere.example/logo.png')
  await page.waitForSelector('text=A wallet also loads https://elsewhere.example/logo.png')
  t.falsy(await page.getAttribute('.wallet', 'style'))
  await page.goto(`${world.url}/console/issue?template=${id}`)
  await page.waitForSelector('.wallet')
  t.true((await page.textContent('.wallet'))?.includes(markup))
  t.is(await page.evaluate('globalThis.hit'), undefined)
  t.is(await page.locator('main img, main script, main [href^="javascript:"]').count(), 0)
  t.deepEqual([complaints, await stopped()], [[], []])
  await close()
})

test('an auditor reads a template and has nothing to change it with', async (t) => {
  const { page, close } = await openConsole(
    world,
    await memberOf(world, 'auditor'),
    `/console/templates/web-semantic/${known}`,
  )
  await page.waitForSelector('tbody tr:has-text("course")')
  t.is(await page.locator('main form, button:text-is("Delete")').count(), 0)
  await page.goto(`${world.url}/console/templates/web-semantic/new`)
  await page.waitForSelector('text=Your role may not open this page')
  await close()
})

looksRight(
  test,
  () => world,
  () =>
    [
      ['templates', '/templates'],
      ['no-templates', '/templates?format=compact'],
      ['template', `/templates/web-semantic/${known}`],
      ['new-template', '/templates/web-semantic/new'],
      ['new-mobile-template', '/templates/mobile/new'],
      ['new-sd-jwt-template', '/templates/sd-jwt-vc/new'],
    ].map(([name = '', path = '']) => [name, path]),
)
