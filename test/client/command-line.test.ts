import { generateKeyPairSync } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { environmentOf, run, start } from '../support/client/program.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let folder: string
test.before(async () => {
  world = await openWorld({ workflows: true })
  folder = await mkdtemp(join(tmpdir(), 'countersign-cli-'))
})
test.after.always(async () => {
  await world?.close()
  if (folder) await rm(folder, { recursive: true, force: true })
})

const call = (args: string[], input?: string) => run(args, { env: environmentOf(world), input, cwd: folder })

const CONTEXT = ['https://www.w3.org/ns/credentials/v2', { course: 'https://schema.org/courseCode' }]
const credentialOf = (issuer: string) => ({
  '@context': CONTEXT,
  type: ['VerifiableCredential'],
  issuer: { id: issuer, name: 'Example University' },
  credentialSubject: { id: 'did:example:ada', course: 'CS-101' },
})

const TEMPLATE = {
  name: 'Course',
  type: 'AlumniCredential',
  additional_types: [],
  contexts: ['https://www.w3.org/ns/credentials/v2', { '@vocab': 'https://example.edu/terms#' }],
  issuer: { name: 'Example University' },
  claim_mappings: { course: { map_from: 'claims.course', required: true } },
  revocable: true,
}

const VCT = 'https://credentials.example/identity'
const SD_JWT_TEMPLATE = {
  ...{ name: 'Identity', vct: VCT, key_binding: false },
  claims: [{ path: ['given_name'], map_from: 'claims.given_name', required: true }],
}

const made = async () => {
  const { stdout } = await call(['did', 'create'])
  return stdout.trim()
}

test('token prints an access token that the API takes, and nothing else', async (t) => {
  const { code, stdout, stderr } = await call(['token'])
  t.deepEqual([code, stderr], [0, ''])
  t.is((await world.ask('/v1/dids', { token: stdout.trim() })).status, 200)
  const limited = await call(['token', '--scope', 'dids:read', '--json'])
  const { access_token: token } = JSON.parse(limited.stdout) as { access_token: string }
  t.is((await world.ask('/v1/settings', { token })).status, 403)
})

test('did create, did list and did resolve', async (t) => {
  const did = await made()
  t.regex(did, /^did:key:z6Mk/)
  t.true((await call(['did', 'list'])).stdout.includes(`${did}  COMPLETED\n`))
  const lines = (await call(['did', 'list', '--json'])).stdout.trim().split('\n')
  t.true(lines.map((line) => JSON.parse(line) as { did: string }).some((each) => each.did === did))
  const resolved = await call(['did', 'resolve', did])
  t.is((JSON.parse(resolved.stdout) as { id: string }).id, did)
  const bbs = await call(['did', 'create', '--key-type', 'bls12381g2', '--json'])
  t.like(JSON.parse(bbs.stdout), { registrationStatus: 'COMPLETED' })
})

test('sign prints the credential, verify takes it from a file or a pipe, status says its state', async (t) => {
  const did = await made()
  await writeFile(join(folder, 'course.json'), JSON.stringify(credentialOf(did)))
  const signed = await call(['sign', 'course.json', '--revocable', '--tag', 'cli'])
  t.is(signed.code, 0, signed.stderr)
  const [, id = ''] = /^id: (\S+)$/m.exec(signed.stderr) ?? []
  await writeFile(join(folder, 'signed.json'), signed.stdout)
  t.like(await call(['verify', 'signed.json']), { code: 0, stdout: 'verified\n', stderr: `issuer: ${did}\n` })
  t.like(await call(['verify', '-'], signed.stdout), { code: 0, stdout: 'verified\n' })
  t.regex((await call(['status', id])).stdout, /^active {2}web-semantic {2}issued /)

  const path = `/v1/credentials/web-semantic/${id}/revocation-status`
  await world.ask(path, { token: world.token, body: { is_revoked: true } })
  const verdict = await call(['verify', 'signed.json'])
  t.is(verdict.code, 1)
  t.regex(verdict.stdout, /^not verified\nRevoked: /)
  t.like(JSON.parse((await call(['status', id, '--json'])).stdout), { id, state: 'revoked' })

  const whole = await call(['sign', '-', '--json'], JSON.stringify(credentialOf(did)))
  t.is((await call(['verify', '-'], whole.stdout)).code, 0, 'an answer of sign is taken as it is')
  const changed = signed.stdout.replace('CS-101', 'CS-999')
  t.like(await call(['verify', '-'], changed), { code: 1 })
  const around = { ...JSON.parse(changed), credential: JSON.parse(signed.stdout) }
  t.like(
    await call(['verify', '-'], JSON.stringify(around)),
    { code: 1 },
    'a forged one around the one that was signed',
  )
})

test('sign and verify take SD-JWT VCs: claims that may be left out, a key of the holder, templates', async (t) => {
  const did = await made()
  await writeFile(join(folder, 'identity.json'), JSON.stringify({ vct: VCT, given_name: 'Ada', family_name: 'King' }))
  const options = ['--format', 'sd-jwt-vc', '--issuer', did]
  const signed = await call(['sign', 'identity.json', ...options, '--revocable', '--selectively', '[["given_name"]]'])
  t.is(signed.code, 0, signed.stderr)
  t.is(signed.stdout.trim().split('~').length, 3, 'one disclosure')
  const [, id = ''] = /^id: (\S+)$/m.exec(signed.stderr) ?? []
  t.regex((await call(['status', id])).stdout, /^active {2}sd-jwt-vc {2}issued /)
  t.like(await call(['verify', '-'], signed.stdout), { code: 0, stdout: 'verified\n' })
  const changed = await call(['verify', '-'], signed.stdout.replace('.', '.e'))
  t.is(changed.code, 1)
  t.regex(changed.stdout, /^not verified\nsd_jwt\.\w+: /)

  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  await writeFile(join(folder, 'holder.json'), JSON.stringify(publicKey.export({ format: 'jwk' })))
  const bound = await call(['sign', 'identity.json', ...options, '--holder-key', 'holder.json', '--json'])
  t.is(bound.code, 0, bound.stderr)
  t.like(await call(['verify', '-'], bound.stdout), { code: 0, stdout: 'verified\nKeyBindingNotChecked\n' })
  const asked = await call(['verify', '-', '--nonce', 'n', '--audience', 'shop'], bound.stdout)
  t.is(asked.code, 1)
  t.regex(asked.stdout, /key_binding/)

  const path = '/v1/credentials/sd-jwt-vc/configurations'
  const created = await world.ask(path, { token: world.token, body: SD_JWT_TEMPLATE })
  t.is(created.status, 201, created.text)
  const { id: template } = created.json<{ id: string }>()
  const byTemplate = await call(
    ['sign', '-', ...options, '--template', template],
    JSON.stringify({ given_name: 'Ada' }),
  )
  t.is(byTemplate.code, 0, byTemplate.stderr)
  t.is((await call(['verify', '-'], byTemplate.stdout)).code, 0)

  for (const wrong of [
    ['sign', 'identity.json', '--format', 'paper'],
    ['sign', 'identity.json', ...options, '--proof-type', 'eddsa-rdfc-2022'],
    ['sign', 'identity.json', ...options, '--selectively', '[['],
    ['sign', 'identity.json', ...options, '--template', template, '--issued-as', 'did'],
    ['sign', 'identity.json', '--selectively', '[]'],
    ['verify', 'identity.json', '--nonce', 'n', '--audience', 'shop'],
  ])
    t.like(await call(wrong), { code: 2, stdout: '' }, wrong.join(' '))
})

test('batch signs each row, writes the results where it is told, and ends with 1 when a row failed', async (t) => {
  const did = await made()
  const { id } = (
    await world.ask('/v1/credentials/web-semantic/configurations', { token: world.token, body: TEMPLATE })
  ).json<{ id: string }>()
  await writeFile(join(folder, 'rows.csv'), 'id,course\ndid:example:ada,CS-101\ndid:example:grace,CS-102\n')
  const options = ['--template', id, '--issuer', did]
  const good = await call(['batch', 'rows.csv', ...options])
  t.is(good.code, 0, good.stderr)
  const rows = good.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { row: number; credential: object })
  t.deepEqual(
    rows.map(({ row }) => row),
    [1, 2],
  )
  t.regex(good.stderr, /^batch: [0-9a-f-]{36}\n(.*\n)*2 signed, 0 failed\n$/)

  const bad = await call(
    ['batch', '-', ...options, '--out', 'out.jsonl'],
    'id,course\ndid:example:ada,\ndid:example:bob,CS-3\n',
  )
  t.like(bad, { code: 1, stdout: '' })
  t.regex(bad.stderr, /1 signed, 1 failed/)
  t.is((await readFile(join(folder, 'out.jsonl'), 'utf8')).trim().split('\n').length, 1)
})

test('logs prints the newest entries, oldest first; with --follow also what comes, but not its own looks', async (t) => {
  await call(['did', 'create'])
  const printed = await call(['logs', '--limit', '3', '--category', 'did', '--json'])
  const entries = printed.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { timestamp: string; category: string })
  t.true(entries.every(({ category }) => category === 'did'))
  const times = entries.map(({ timestamp }) => timestamp)
  t.deepEqual(times, times.toSorted())

  // of a tenant where nothing else happens
  const env = environmentOf({ ...world, first: await world.addTenant() })
  const child = start(['logs', '--follow', '--limit', '0', '--json'], { env, cwd: folder })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  try {
    // one that was created before the other process began is not shown
    for (let dids = 0; !text.includes('DID_CREATE_SUCCESS') && dids < 6; dids++) {
      await run(['did', 'create'], { env })
      for (let tries = 0; !text.includes('DID_CREATE_SUCCESS') && tries < 60; tries++)
        await new Promise((done) => setTimeout(done, 100))
    }
    t.true(text.includes('DID_CREATE_SUCCESS'), text)
    t.false(text.includes('"category":"analytics"'), text)
    const ids = text
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: string }).id)
    t.is(ids.length, new Set(ids).size)
  } finally {
    child.kill('SIGINT')
  }
  t.false(text.includes(world.first.clientSecret))
})

test('a refusal is exit code 1, with the reason, the code and the request’s id on standard error', async (t) => {
  const { code, stdout, stderr } = await call(['did', 'resolve', 'did:key:unknown'])
  t.deepEqual([code, stdout], [1, ''])
  t.regex(stderr, /^404 .*\n\(did\.not_found, request [0-9a-f-]{36}\)\n$/)
  const wrong = await run(['did', 'list'], {
    env: { ...environmentOf(world), COUNTERSIGN_CLIENT_SECRET: 'not-the-secret' },
  })
  t.is(wrong.code, 1)
  t.regex(wrong.stderr, /token\.invalid_client/)
  t.false(wrong.stderr.includes('not-the-secret'))
})

test('a platform that does not answer is exit code 1 and a sentence', async (t) => {
  const { code, stderr } = await run(['token'], {
    env: { ...environmentOf(world), COUNTERSIGN_URL: 'http://127.0.0.1:1' },
  })
  t.is(code, 1)
  t.regex(stderr, /^The platform does not answer/)
  t.false(stderr.includes('    at '))
})

for (const [what, args] of [
  ['no command', []],
  ['an unknown command', ['fly']],
  ['half of a command', ['did']],
  ['an unknown option', ['token', '--loud']],
  ['a secret on the command line', ['token', '--client-secret', 'x']],
  ['a missing file name', ['verify']],
  ['a file too many', ['verify', 'a.json', 'b.json']],
  ['a file that is not there', ['verify', 'nowhere.json']],
  ['a folder', ['sign', '.']],
  ['a batch without a template', ['batch', '-']],
  ['a limit that is no number', ['logs', '--limit', 'many']],
  ['a limit above the most', ['logs', '--limit', '1001']],
] as const)
  test(`${what} is exit code 2, and nothing on standard output`, async (t) => {
    const { code, stdout, stderr } = await call([...args])
    t.deepEqual([code, stdout], [2, ''], stderr)
    t.true(stderr.length > 0)
  })

test('what is no JSON object is exit code 2 before anything is sent', async (t) => {
  for (const input of ['', 'no', '[]', 'null', '7']) t.is((await call(['sign', '-'], input)).code, 2, input)
})

test('--help names every command, and ends with 0', async (t) => {
  const { code, stdout } = await run(['--help'])
  t.is(code, 0)
  for (const name of ['token', 'did create', 'did list', 'did resolve', 'sign', 'verify', 'batch', 'logs', 'status'])
    t.true(stdout.includes(`countersign ${name}`), name)
})

test('in the folder of the project the first tenant’s file is enough; half of the environment is refused', async (t) => {
  const project = await mkdtemp(join(folder, 'project-'))
  t.is((await run(['token'], { cwd: project })).code, 2)
  await mkdir(join(project, '.local'))
  await writeFile(join(project, '.local/first-tenant.json'), JSON.stringify({ ...world.first, baseUrl: world.url }))
  t.is((await run(['token'], { cwd: project })).code, 0)
  // an address from here must not get a secret from there
  const { code, stderr } = await run(['token'], { cwd: project, env: { COUNTERSIGN_URL: 'http://127.0.0.1:1' } })
  t.is(code, 2)
  t.regex(stderr, /COUNTERSIGN_CLIENT_ID and COUNTERSIGN_CLIENT_SECRET is not|COUNTERSIGN_CLIENT_SECRET/)
})

test('who reads stops reading: the program ends by itself, without an error', async (t) => {
  const child = start(['logs', '--limit', '1000', '--json'], { env: environmentOf(world), cwd: folder })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  child.stdout.destroy()
  const code = await new Promise((resolve) => child.once('close', resolve))
  t.deepEqual([code, stderr], [0, ''])
})
