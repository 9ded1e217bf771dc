import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import anyTest from 'ava'
import { PDF_TEMPLATE_EXAMPLE } from '../../../api/compact-credentials/pdf.examples.ts'
import { apiKey, claimSourcesOf } from '../../support/claim-sources.ts'
import { looksRight, type NamedPage } from '../../support/console/appearance.ts'
import { closeBrowser, memberOf, openConsole, picture, settled, violationsOf } from '../../support/console/browser.ts'
import { createPdfTemplate, signCompact } from '../../support/credentials/compact.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { until } from '../../support/credentials/dids.ts'
import { makeIaca, makeSigner } from '../../support/credentials/mobile.ts'
import { saveReissuance } from '../../support/openid/haip/reissuances.ts'
import { CLAIMS, createMobileTemplate, createWalletKey, openWallet, sessionsOf } from '../../support/openid/wallet.ts'
import { openWorldBeside, type WorldBeside } from '../../support/parts/elsewhere.ts'
import { needs } from '../../support/parts.ts'
import { webhooksOf } from '../../support/webhooks.ts'
import type { World } from '../../support/world.ts'

const test = needs('Chromium', anyTest.serial)

/** How the claim source answers, and how often the webhook was called. */
const elsewhere = { status: 200, events: 0 }
const listener = (request: IncomingMessage, response: ServerResponse) => {
  const isEvent = request.url === '/events'
  if (isEvent) elsewhere.events += 1
  request.resume().on('end', () => {
    response.writeHead(isEvent ? 200 : elsewhere.status, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ family_name: 'Lovelace' }))
  })
}

let beside: WorldBeside
let world: World
let template: string
let pages: NamedPage[]
const offer = (more: object = {}) => sessionsOf(world).offer({ credentials: [template], claims: CLAIMS, ...more })

/** A credential that a wallet has collected. */
async function collected() {
  const { id, uri } = await offer()
  await openWallet([await createWalletKey()]).collect(uri)
  const [credentialId = ''] = (await sessionsOf(world).read(id)).issuances.flatMap((each) => each.credentialIds)
  return { id, credentialId }
}

/** A wallet that asked while the claim source was down. */
async function failed() {
  const source = { name: 'Registry', url: beside.urlOf('claims'), request_method: 'POST', authorization: apiKey() }
  const made = await claimSourcesOf(world, world.token).created({
    ...source,
    request_parameters: { sub: { map_from: 'claims.given_name' } },
  })
  const sourced = await createMobileTemplate(world, { claim_source_id: made.id })
  const { id, uri } = await offer({ credentials: [sourced], claims: { given_name: 'Ada' } })
  elsewhere.status = 500
  await openWallet([await createWalletKey()])
    .collect(uri)
    .catch(() => undefined) // the wallet is refused: what the session says of it is what a test looks at
  return id
}

anyTest.before(async () => {
  const env = {
    CLAIM_SOURCE_ALLOW_PRIVATE: 'true',
    CLAIM_SOURCE_RETRY_SECONDS: '0.1',
    CLAIM_SOURCE_TIMEOUT_MS: '1000',
    TEMPORAL_UI_PUBLIC_URL: 'https://ui.example/temporal/',
  }
  beside = await openWorldBeside('receiver.acme.test', listener, { workflows: true, env })
  world = beside.world
  await makeIaca(world)
  await makeSigner(world, { active: true })
  template = await createMobileTemplate(world)
  await webhooksOf(world, world.token).created({ url: beside.urlOf('events'), events: ['OpenIdCredentialIssued'] })
  const did = await createDid(world, 'ed25519', world.token, true)
  const pass = await signCompact(world, { iss: did, property_set: { course: 'CS-101' } })
  await createPdfTemplate(world, PDF_TEMPLATE_EXAMPLE)
  const mdoc = await collected()
  pages = [
    ['sessions', '/sessions'],
    ['no-sessions', '/sessions?state=CANCELLED'],
    ['session', `/sessions/${mdoc.id}`],
    ['session-open', `/sessions/${(await offer()).id}`],
    ['session-failed', `/sessions/${await failed()}`],
    ['no-reissuances', '/sessions/reissuances'],
    ['credential-mdoc', `/credentials/${mdoc.credentialId}`],
    ['credential-cwt', `/credentials/${pass.id}`],
  ]
})
anyTest.after.always(async () => {
  await closeBrowser()
  await beside?.close()
})

const open = async (name: string, role?: Parameters<typeof memberOf>[1]) => {
  const path = pages.find(([each]) => each === name)?.[1] ?? ''
  return openConsole(world, await memberOf(world, role), `/console${path}`)
}

test('an issuer sees why a wallet got nothing, retries, and the credential is issued', async (t) => {
  const { page, complaints, stopped, close } = await openConsole(world, await memberOf(world, 'issuer'))
  await page.click('nav.main >> text=OpenID sessions')
  await page.waitForURL('**/console/sessions')
  await settled(page)
  await page.selectOption('select[name=state]', 'AUTHORIZED')
  await page.click('search button[type=submit]')
  await page.waitForURL('**/sessions?state=AUTHORIZED')
  await settled(page)
  t.is(await page.locator('tbody tr').count(), 1)
  await page.click('tbody a')
  await page.waitForSelector('text=Mend the cause below, then retry')
  t.regex((await page.textContent('main')) ?? '', /claim_source\.\w+/)
  elsewhere.status = 200
  const id = page.url().split('/').at(-1) ?? ''
  await page.click('button:text-is("Retry what failed")')
  await page.waitForSelector('text=Done. The page shows the new state.')
  await until('the credential', async () => (await sessionsOf(world).read(id)).state === 'ISSUED')
  await page.click('button:text-is("Load again")')
  await page.waitForSelector('dd .state.good:text-is("issued")')
  await settled(page)
  t.deepEqual((await page.locator('section[aria-label="Step by step"] td strong').allTextContents()).slice(-3), [
    'Credential not issued',
    'Retried',
    'Credential issued',
  ])
  t.is(await page.locator('button:text-is("Retry what failed")').count(), 0, 'nothing is left to retry')
  await page.click('section[aria-label="Credentials"] td a')
  await page.waitForURL('**/console/credentials/*')
  t.deepEqual([complaints, await stopped()], [[], []])
  await close()
})

test('an open session is cancelled after a question, and then says so', async (t) => {
  const { id } = await offer()
  const { page, close } = await openConsole(world, await memberOf(world), `/console/sessions/${id}`)
  await page.waitForSelector('text=The holder scans the offer’s QR code')
  await page.click('button:text-is("Cancel the session")')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForSelector('text=It was cancelled.')
  t.is((await sessionsOf(world).read(id)).state, 'CANCELLED')
  t.is(await page.locator('button:text-is("Cancel the session")').count(), 0)
  await close()
})

test('who may only read sees a session without what changes it', async (t) => {
  const { page, close } = await open('session-open', 'auditor')
  await page.waitForSelector('text=What comes next')
  const id = page.url().split('/').at(-1) ?? ''
  const workflow = encodeURIComponent(`${world.first.tenantId}/openid/sessions/${id}`)
  const href = await page.getAttribute('dd a[href^="https://ui.example/"]', 'href')
  t.true(
    href?.startsWith('https://ui.example/temporal/namespaces/') && href.endsWith(`/workflows/${workflow}`),
    href ?? '',
  )
  t.is(await page.locator('button:text-is("Cancel the session"), button:text-is("Retry what failed")').count(), 0)
  await close()
})

test('a mobile credential is read element by element, with its signer; its session and its event lead on', async (t) => {
  const { page, complaints, close } = await open('credential-mdoc')
  await page.waitForSelector('h2:text-is("Decoded")')
  await settled(page)
  const elements = (await page.textContent('section[aria-label="org.iso.18013.5.1"]')) ?? ''
  t.regex(elements, /family_name\s*Lovelace/)
  const facts = (await page.locator('dl > div').allTextContents()).map((text) => text.replace(/\s+/g, ' '))
  for (const fact of [
    /Digest algorithmSHA-256/,
    /Signature algorithmES256/,
    /device keyyes/,
    /Is the one in the credentialyes/,
  ])
    t.true(
      facts.some((text) => fact.test(text)),
      `${fact} in ${facts}`,
    )
  await page.waitForSelector('h2:text-is("Told to webhooks")')
  await until('the delivery', async () => elsewhere.events >= 1)
  const before = elsewhere.events
  await until('its end', async () => {
    await page.click('button:text-is("Load again")')
    await settled(page)
    return (await page.locator('td button:text-is("Deliver again")').count()) === 1
  })
  await page.click('td button:text-is("Deliver again")')
  await until('the second delivery', async () => elsewhere.events === before + 1)
  await page.click('dd a[href^="/console/sessions/"]')
  await page.waitForSelector('h1:text-is("OpenID session")')
  t.deepEqual(complaints, [])
  await close()
})

test('a verifier sees the session of a credential, and nothing of webhooks, which the role does not read', async (t) => {
  const { page, asked, complaints, close } = await open('credential-mdoc', 'verifier')
  await page.waitForSelector('dd a[href^="/console/sessions/"]')
  await settled(page)
  t.is(await page.locator('h2:text-is("Told to webhooks")').count(), 0)
  t.is(await page.locator('[role=alert]').count(), 0)
  t.false(asked.some(({ path }) => path.startsWith('/v1/webhooks')))
  t.deepEqual(complaints, [])
  await close()
})

test('a long timeline has pages, and the session stays beside each of them', async (t) => {
  const { credentialId } = await collected()
  for (let nth = 0; nth < 52; nth++) {
    const body = { isRevoked: nth % 2 === 0 }
    const reply = await world.ask(`/v1/credentials/mobile/${credentialId}/revocation-status`, {
      token: world.token,
      body,
    })
    t.is(reply.status, 200, reply.text)
  }
  const { page, complaints, close } = await openConsole(
    world,
    await memberOf(world),
    `/console/credentials/${credentialId}`,
  )
  await page.waitForSelector('dd a[href^="/console/sessions/"]')
  await page.click('nav[aria-label$="Timeline"] button:text-is("Next")')
  await page.waitForSelector('nav[aria-label$="Timeline"] [role=status]:has-text("Page 2 of 2")')
  await settled(page)
  t.is(await page.locator('dd a[href^="/console/sessions/"]').count(), 1)
  t.regex(
    (await page.textContent('main')) ?? '',
    /timeline\?limit=50&page=2/,
    'the command asks for what the page shows',
  )
  t.deepEqual(complaints, [])
  await close()
})

test('a compact credential is read claim by claim, drawn as a QR code and printed', async (t) => {
  const { page, complaints, stopped, close } = await open('credential-cwt')
  await page.waitForSelector('h2:text-is("Decoded")')
  await settled(page)
  t.regex((await page.textContent('section[aria-label="Header"]')) ?? '', /alg\s*EdDSA/)
  const claims = (await page.textContent('section[aria-label="Claims"]')) ?? ''
  t.regex(claims, /iss\s*did:key:/)
  t.regex(claims, /course.*CS-101/)
  await page.click('button:text-is("Draw the QR code")')
  await page.waitForSelector('img.qr')
  t.true(await page.evaluate<boolean>("document.querySelector('img.qr').decode().then(() => true)"))
  await page.click('button:text-is("Make a PDF")')
  await page.waitForSelector('a[download="credential.pdf"]')
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('a[download="credential.pdf"]')])
  const chunks: Buffer[] = []
  for await (const chunk of await download.createReadStream()) chunks.push(Buffer.from(chunk))
  t.is(Buffer.concat(chunks).subarray(0, 5).toString(), '%PDF-')
  await page.waitForSelector('td strong:text-is("pdf.created")')
  t.deepEqual(await violationsOf(page), [])
  await picture(page, 'console-credential-printed')
  t.deepEqual([complaints, await stopped()], [[], []])
  await close()
})

test('an issuer finds what a wallet may get anew by its credential, and ends it after a question', async (t) => {
  const { id: sessionId, credentialId } = await collected()
  const id = await saveReissuance(world, { sessionId, credentialId, template })
  const kept = await saveReissuance(world, { sessionId, credentialId: randomUUID(), template })
  pages.push(['reissuances', '/sessions/reissuances'], ['reissuance', `/sessions/reissuances/${kept}`])
  const { page, complaints, stopped, close } = await openConsole(
    world,
    await memberOf(world, 'issuer'),
    '/console/sessions',
  )
  await page.click('main a:text-is("Re-issuances")')
  await page.waitForSelector('tbody tr')
  t.is(await page.locator('tbody tr').count(), 2)
  t.is(await page.locator('tbody b').count(), 0, 'a name is text')
  await page.fill('input[name=userId]', randomUUID())
  await page.click('search button[type=submit]')
  await page.waitForSelector('text=No re-issuance fits')
  await page.fill('input[name=userId]', '')
  await page.fill('input[name=credentialId]', credentialId)
  await page.click('search button[type=submit]')
  await page.waitForSelector(`tbody tr:only-child a:text-is("${id}")`)
  await page.click('tbody a')
  await page.waitForSelector('dt:text-is("Used") + dd:text-is("3")')
  t.is(await page.locator(`dt:text-is("Newest credentials") + dd a:text-is("${credentialId}")`).count(), 1)
  t.is(await page.locator('dt:text-is("Ends") + dd time').count(), 1)
  await page.click('button:text-is("End")')
  await page.click('dialog[open] button:text-is("Cancel")')
  await page.click('button:text-is("End")')
  await page.click('dialog[open] button[type=submit]')
  await page.waitForURL('**/console/sessions/reissuances')
  const at = (of: string) => world.ask(`/v1/openid/reissuances/${of}`, { token: world.token })
  t.deepEqual([(await at(id)).status, (await at(kept)).status], [404, 200])
  t.deepEqual([complaints, await stopped()], [[], []])
  await close()
  const auditor = await openConsole(world, await memberOf(world, 'auditor'), '/console/sessions/reissuances')
  await auditor.page.waitForSelector('tbody tr')
  t.is(await auditor.page.locator('main button.danger').count(), 0)
  await auditor.close()
})

looksRight(
  test,
  () => world,
  () => pages,
)
