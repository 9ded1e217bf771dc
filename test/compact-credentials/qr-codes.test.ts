import test from 'ava'
import jsQrModule from 'jsqr'
import { PNG } from 'pngjs'
import { COMPACT, COMPACT_SEMANTIC, signCompact, signCompactSemantic } from '../support/credentials/compact.ts'
import { createDid } from '../support/credentials/credentials.ts'
import { refusal } from '../support/credentials/templates.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let issuer: string
test.before(async () => {
  world = await openWorld()
  issuer = await createDid(world, 'P-256')
})
test.after.always(() => world?.close())

const ask = (body: object, path = COMPACT) => world.ask(`${path}/qrcode`, { token: world.token, body })

async function draw(body: object, accept = '*/*', path = COMPACT, more: Record<string, string> = {}) {
  const response = await fetch(`${world.url}${path}/qrcode`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.token}`, 'content-type': 'application/json', accept, ...more },
    body: JSON.stringify(body),
  })
  return { response, bytes: Buffer.from(await response.arrayBuffer()) }
}

/** What another library reads in a PNG. */
function scan(bytes: Buffer) {
  const { data, width, height } = PNG.sync.read(bytes)
  return { text: jsQrModule.default(new Uint8ClampedArray(data), width, height)?.data, width }
}

const claims = Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`claim_${at}`, `value of claim ${at}`]))

test('another library reads the PNG of a credential of 25 claims, at the best width and at a given one', async (t) => {
  const { encoded } = await signCompact(world, { iss: issuer, property_set: claims }, { revocable: true })
  for (const width of [undefined, null, 0, 900]) {
    const { response, bytes } = await draw({ payload: encoded, width })
    t.is(response.status, 200)
    t.is(response.headers.get('content-type'), 'image/png')
    const read = scan(bytes)
    t.is(read.text, encoded)
    if (width) t.is(read.width, width)
    else t.is(read.width % 4, 0)
  }
})

test('a compact-semantic credential is drawn by its own operation alone', async (t) => {
  const { encoded } = await signCompactSemantic(world, issuer)
  const { bytes } = await draw({ payload: encoded }, 'image/png', COMPACT_SEMANTIC)
  t.is(scan(bytes).text, encoded)
  t.is(refusal(await ask({ payload: encoded }), 400), 'compact_credential.malformed')
})

test('SVG comes to whom accepts it alone', async (t) => {
  const { encoded } = await signCompact(world, { iss: issuer })
  const { response, bytes } = await draw({ payload: encoded, width: 300 }, 'image/svg+xml')
  t.is(response.headers.get('content-type'), 'image/svg+xml')
  t.regex(bytes.toString(), /^<svg [^>]*width="300"/)
  t.is((await draw({ payload: encoded }, 'image/png, image/svg+xml')).response.headers.get('content-type'), 'image/png')
})

const ofLength = (length: number) => `CSC:/1/${'A'.repeat(length - 7)}`

test('the same Idempotency-Key gives the same image again', async (t) => {
  const headers = {
    authorization: `Bearer ${world.token}`,
    'content-type': 'application/json',
    'idempotency-key': 'qr',
  }
  const draw = () =>
    fetch(`${world.url}/v1/credentials/compact/qrcode`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ payload: 'CSC:/1/AAAA' }),
    })
  const first = await draw()
  t.is(first.status, 200)
  const image = Buffer.from(await first.arrayBuffer())
  const second = await draw()
  t.is(second.headers.get('idempotency-replayed'), 'true')
  t.is(second.headers.get('content-type'), 'image/png')
  t.true(image.length > 100 && image.equals(Buffer.from(await second.arrayBuffer())))
})

test('the longest text is drawn, and one character more is 413', async (t) => {
  const { response, bytes } = await draw({ payload: ofLength(3_391) })
  t.is(response.status, 200)
  t.is(scan(bytes).width, (177 + 8) * 4)
  t.is(refusal(await ask({ payload: ofLength(3_392) }), 413), 'compact_credential.too_long')
})

test('a width below the modules names the least one, which is drawn', async (t) => {
  const reply = await ask({ payload: ofLength(3_391), width: 184 })
  t.is(refusal(reply, 400), 'qr_code.too_narrow')
  t.like(reply.json<{ errors: object[] }>().errors, [
    { path: 'width', message: 'expected 185 or more, or 0 for the best width' },
  ])
  const { bytes } = await draw({ payload: ofLength(3_391), width: 185 })
  t.is(scan(bytes).width, 185)
})

test('2,048 pixels are drawn, and what is wider is refused before anything is drawn', async (t) => {
  const { encoded } = await signCompact(world, { iss: issuer })
  t.is(scan((await draw({ payload: encoded, width: 2_048 })).bytes).text, encoded)
  for (const width of [2_049, 10_000, 65_536, 4_294_967_295])
    t.is(refusal(await ask({ payload: encoded, width }), 400), 'qr_code.too_wide')
  for (const width of [-1, 1.5, '300', 4_294_967_296])
    t.is(refusal(await ask({ payload: encoded, width }), 400), 'request.invalid')
})

for (const payload of ['', 'CSC:/1/', 'https://example.org', 'CSC:/1/abc', 'CSC:/1/A B', 'CSC:/2/AAAA'])
  test(`no credential is not drawn: ${payload}`, async (t) => {
    t.is(refusal(await ask({ payload }), 400), 'compact_credential.malformed')
  })

test('under an Idempotency-Key, a request for another image type is another request (D-341)', async (t) => {
  const { encoded } = await signCompact(world, { iss: issuer })
  const headers = { 'idempotency-key': 'drawn-1' }
  const answer = async (accept: string) => {
    const { response } = await draw({ payload: encoded }, accept, COMPACT, headers)
    const replayed = response.headers.get('idempotency-replayed')
    return [response.status, response.headers.get('content-type')?.split(';')[0], replayed]
  }
  t.deepEqual(await answer('image/png'), [200, 'image/png', null])
  t.deepEqual(await answer('image/png'), [200, 'image/png', 'true'])
  t.deepEqual(await answer('*/*'), [200, 'image/png', 'true'], 'the same type')
  t.deepEqual(await answer('text/html'), [200, 'image/png', 'true'], 'the type of who accepts neither')
  t.deepEqual(await answer('image/svg+xml'), [422, 'application/problem+json', null])
})
