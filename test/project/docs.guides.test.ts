import { readFileSync } from 'node:fs'
import test from 'ava'
import { STAYS } from '../../protocol/administration/privacy/erasures.ts'
import { until } from '../support/credentials/dids.ts'
import { blocksOf, isKept, typeDocument } from '../support/frame/docs.ts'
import { type Names, openNames } from '../support/frame/names.ts'
import { openWorld, type World } from '../support/world.ts'

let names: Names
let world: World
test.before(async () => {
  names = await openNames()
  world = await openWorld({ workflows: true, env: names.env })
  names.platform.apiPort = world.config.port
})
test.after.always(async () => {
  await world?.close()
  await names?.close()
})

const guide = (name: string, promises: number, edit?: (code: string) => string, section?: string) =>
  test.serial(`${name} works word for word${section ? `: ${section}` : ''}`, async (t) => {
    const typed = await typeDocument(world, name, { ...(section && { section }), ...(edit && { edit }) })
    const kept = typed.filter(({ promised }) => promised !== undefined)
    for (const promise of kept) t.true(isKept(promise), `${promise.code}\n${promise.printed}`)
    t.is(kept.length, promises)
  })

/** What the guide to OpenID needs of a provider. */
const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'jwks_uri']

guide('docs/diplomas.md', 7)
guide('docs/access.md', 5)
guide('docs/administration.md', 5)
guide('docs/transfers.md', 2)
guide('docs/ecosystems.md', 6)
guide('docs/trust-lists.md', 3)
guide('docs/accounts.md', 6)
guide('docs/console.md', 1)
guide('docs/errors.md', 2)
guide('docs/messaging.md', 5)
guide('docs/claim-sources.md', 2)
guide('docs/content.md', 3)
guide('docs/privacy.md', 2)
test('docs/privacy.md says of each thing that an erasure leaves why it stays, and of no other', (t) => {
  const page = readFileSync(new URL('../../docs/privacy.md', import.meta.url), 'utf8')
  const [, section = ''] = page.split('### What stays, and why')
  const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| ([^|]+) \| [^|]+ \|$/gm)].map(([, what]) => what)
  t.deepEqual(
    rows.slice(1).map((what) => what?.replaceAll('`', '')),
    [...STAYS.map(({ what }) => what)],
  )
})

guide('docs/openid.md', 4, (code) => {
  const issuer = `https://elsewhere.test:${names.port}`
  const metadata = { issuer, ...Object.fromEntries(ENDPOINTS.map((name) => [name, `${issuer}/${name}`])) }
  names.elsewhere.set('/.well-known/openid-configuration', JSON.stringify(metadata))
  return code.replace('https://login.university.example', issuer)
})
guide('docs/wallets.md', 6)
guide('docs/haip.md', 3)
guide('docs/sign-in.md', 2)
guide('docs/presentations-openid.md', 1)
guide('docs/timeline.md', 3)
guide('docs/webhooks.md', 1, (code) => code.replace('receiver.university.example', 'elsewhere.test'), 'Create and try')
guide('docs/did-web.md', 1, (code) => code.replace('https://id.university.example', names.origin), 'Create the DID')

test.serial('docs/domains.md works word for word, with a zone that changes when it says so', async (t) => {
  const domain = 'id.university.example'
  const { systemSql } = world.dependencies
  const asked = `select verification_token as token from domains d where domain = $1
    and exists (select from logs where type = 'CONFIG_CUSTOM_DOMAIN_VERIFY_FAIL' and object_ids[1] = d.id)`
  const publish = until('the refused verification', async () => {
    const [row] = (await systemSql.query<{ token: string }>({ text: asked, values: [domain] })).rows
    if (row) names.dns.set(`_countersign.${domain}`, { TXT: [row.token] })
    return row !== undefined
  })
  const [typed] = await Promise.all([typeDocument(world, 'docs/domains.md', { section: 'Create and verify' }), publish])
  const kept = typed.filter(({ promised }) => promised !== undefined)
  for (const promise of kept) t.true(isKept(promise), `${promise.code}\n${promise.printed}`)
  t.is(kept.length, 2)
})

test.serial('docs/contexts.md works word for word, with a context document that a host serves', async (t) => {
  const [example] = (await blocksOf('docs/contexts.md')).filter(({ language }) => language === 'json')
  names.elsewhere.set('/contexts/course/v1', example?.code ?? '')
  const url = `https://elsewhere.test:${names.port}/contexts/course/v1`
  const edit = (code: string) => code.replace('https://university.example/contexts/course/v1', url)
  const typed = await typeDocument(world, 'docs/contexts.md', { edit })
  const kept = typed.filter(({ promised }) => promised !== undefined)
  for (const promise of kept) t.true(isKept(promise), `${promise.code}\n${promise.printed}`)
  t.is(kept.length, 4)
})
