import { randomBytes } from 'node:crypto'
import test from 'ava'
import pg from 'pg'
import { createDid, sign, verify } from '../support/credentials/credentials.ts'
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
guide('docs/access.md', 4)
guide('docs/administration.md', 5)
guide('docs/ecosystems.md', 6)
guide('docs/accounts.md', 6)
guide('docs/console.md', 1)
guide('docs/errors.md', 2)
guide('docs/messaging.md', 5)
guide('docs/claim-sources.md', 2)
guide('docs/content.md', 3)
guide('docs/openid.md', 4, (code) => {
  const issuer = `https://elsewhere.test:${names.port}`
  const metadata = { issuer, ...Object.fromEntries(ENDPOINTS.map((name) => [name, `${issuer}/${name}`])) }
  names.elsewhere.set('/.well-known/openid-configuration', JSON.stringify(metadata))
  return code.replace('https://login.university.example', issuer)
})
guide('docs/wallets.md', 4)
guide('docs/sign-in.md', 2)
guide('docs/timeline.md', 2)
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

test.serial(
  'docs/personal-data.md erases the claims of one credential: its status goes on, and so does the holder’s copy',
  async (t) => {
    const holder = `did:example:${randomBytes(8).toString('hex')}`
    const issuer = await createDid(world)
    const more = { credentialSubject: { id: holder, course: 'CS-101' }, name: 'First course' }
    const [erased, other] = [
      await sign(world, issuer, { revocable: true, tag: 'ada', more }),
      await sign(world, issuer, { revocable: true, tag: 'ada', more }),
    ]
    const { token } = world
    const at = `/v1/credentials/web-semantic/${erased.id}`
    await world.ask(`${at}/revocation-status`, { token, body: { is_revoked: true } })

    const [block] = (await blocksOf('docs/personal-data.md')).filter(({ language }) => language === 'sql')
    const statements = (block?.code ?? '')
      .replaceAll('<tenant id>', world.first.tenantId)
      .replaceAll('<credential id>', erased.id)
      .replaceAll('<DID of the holder>', holder)
    const owner = new pg.Client(world.config.database.url)
    await owner.connect()
    try {
      const results: pg.QueryResult<{ id: string }>[] = []
      for (const statement of statements.split(/;$/m)) results.push(await owner.query(statement))
      t.deepEqual(results[1]?.rows.map(({ id }) => id).sort(), [erased.id, other.id].sort())
      t.is(results[2]?.rowCount, 1)
    } finally {
      await owner.end()
    }

    const details = await world.ask(at, { token })
    t.like(details.json(), { is_revoked: true, tag: undefined, issuer: { id: issuer } })
    t.notRegex(details.text, /CS-101|First course|proofValue/)
    t.false(details.text.includes(holder))
    const verdict = await verify(world, erased.credential)
    t.is(verdict.verified, false)
    await world.ask(`${at}/revocation-status`, { token, body: { is_revoked: false } })
    t.is((await verify(world, erased.credential)).verified, true)
    t.is((await world.ask(`/v1/credentials/web-semantic`, { token })).status, 200)
    t.true((await world.ask(at.replace(erased.id, other.id), { token })).text.includes(holder))
  },
)
