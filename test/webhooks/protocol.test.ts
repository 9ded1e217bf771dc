import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import test from 'ava'
import { httpbis } from 'http-message-signatures'
import { loadConfig } from '../../config.ts'
import { Refusal } from '../../protocol/errors.ts'
import { deliveryBody } from '../../protocol/webhooks/events.ts'
import { secretKey, standardHeaders } from '../../protocol/webhooks/secrets.ts'
import { contentDigest, signPost } from '../../protocol/webhooks/signature.ts'
import { readWebhookUrl } from '../../protocol/webhooks/urls.ts'

const ruleOf = (work: () => unknown): string => {
  try {
    work()
    return 'fine'
  } catch (error) {
    if (error instanceof Refusal) return error.errors[0]?.code ?? ''
    throw error
  }
}

// RFC 9421, B.1.4 and B.2.6: the key, the request and its signature base
const KEY = {
  kty: 'OKP',
  crv: 'Ed25519',
  d: 'n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU',
  x: 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs',
}
const REQUEST = {
  url: 'https://example.com/foo?param=Value&Pet=dog',
  headers: {
    host: 'example.com',
    date: 'Tue, 20 Apr 2021 02:07:55 GMT',
    'content-type': 'application/json',
    'content-digest':
      'sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:',
    'content-length': '18',
  },
}
const COMPONENTS = ['date', '@method', '@path', '@authority', 'content-type', 'content-length']
const CREATED = new Date(1_618_884_473_000)
const SIGNATURE = 'wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw=='

test('the Ed25519 signature base of RFC 9421 (B.2.6) gives its signature', async (t) => {
  // the RFC's example has no alg parameter, which ours has: its base is checked as it stands
  const base = [
    '"date": Tue, 20 Apr 2021 02:07:55 GMT',
    '"@method": POST',
    '"@path": /foo',
    '"@authority": example.com',
    '"content-type": application/json',
    '"content-length": 18',
    '"@signature-params": ("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"',
  ].join('\n')
  const key = createPrivateKey({ key: KEY, format: 'jwk' })
  t.is(sign(null, Buffer.from(base), key).toString('base64'), SIGNATURE)
  let signedBase = ''
  const signer = async (data: Uint8Array) => {
    signedBase = Buffer.from(data).toString()
    return sign(null, data, key)
  }
  const headers = await signPost(
    REQUEST,
    { kid: 'test-key-ed25519', sign: signer },
    { components: COMPONENTS, created: CREATED, label: 'sig-b26' },
  )
  t.is(signedBase, `${base};alg="ed25519"`)
  t.is(headers['signature-input'], `sig-b26=${base.split('"@signature-params": ')[1]};alg="ed25519"`)
})

const keyLookup = async () => ({
  verify: async (data: Buffer, signature: Buffer) =>
    verify(null, data, createPublicKey({ key: { ...KEY, d: undefined }, format: 'jwk' }), signature),
})

test('the signature of RFC 9421 (B.2.6) is verified by the library that signs, and a changed one is not', async (t) => {
  const input = `sig-b26=("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"`
  const signed = (signature: string) => ({
    method: 'POST',
    url: REQUEST.url,
    headers: { ...REQUEST.headers, 'Signature-Input': input, Signature: `sig-b26=:${signature}:` },
  })
  t.true(await httpbis.verifyMessage({ keyLookup }, signed(SIGNATURE)))
  t.false(await httpbis.verifyMessage({ keyLookup }, signed(`A${SIGNATURE.slice(1)}`)))
})

// RFC 9421, B.4; B.3, of a proxy that terminates TLS, is signed with ECDSA, which no delivery is
const TRANSFORMED = {
  input: `transform=("@method" "@path" "@authority" "accept");created=1618884473;keyid="test-key-ed25519"`,
  signature: 'transform=:ZT1kooQsEHpZ0I1IjCqtQppOmIqlJPeo7DHR3SoMn0s5JZ1eRGS0A+vyYP9t/LXlh5QMFFQ6cpLt2m0pmj3NDA==:',
  url: 'https://example.org/demo?name1=Value1&Name2=value2',
  date: 'Fri, 15 Jul 2022 14:24:55 GMT',
  accept: ['application/json', '*/*'],
}

test('a signature stands what a proxy may do to a message, and no change of what it covers (RFC 9421, B.4)', async (t) => {
  const { input, signature, url, date, accept } = TRANSFORMED
  const verified = (how: { method?: string; url?: string; headers: Record<string, string | string[]> }) => {
    const headers = { ...how.headers, 'signature-input': input, signature }
    return httpbis.verifyMessage({ keyLookup }, { method: 'GET', url, ...how, headers })
  }
  const host = 'example.org'
  t.true(await verified({ headers: { host, date, accept } }), 'as it was signed')
  const [language, referer] = ['en-US,en;q=0.5', 'https://developer.example.org/demo']
  const more = { host, date, accept, 'accept-language': language }
  t.true(await verified({ url: `${url}&param=added`, headers: more }), 'a parameter and a field more')
  t.true(await verified({ headers: { host, referer, accept: accept.join(', ') } }), 'fields gone, others in one line')
  t.true(await verified({ headers: { accept, date, host } }), 'fields in another order')
  const moved = { method: 'POST', url: url.replace('example.org', 'example.com') }
  t.false(await verified({ ...moved, headers: { host: 'example.com', date, accept } }), 'another method and authority')
  t.false(await verified({ headers: { host, date, accept: accept.toReversed() } }), 'values in another order')
})

test('a digest of a body is SHA-256 (RFC 9530, appendix D)', (t) => {
  t.is(contentDigest('{"hello": "world"}\n'), 'sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:')
})

test('the HMAC of Standard Webhooks is that of its published example', (t) => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const at = new Date(1_614_265_330_000)
  t.deepEqual(standardHeaders(secret, 'msg_p5jXN8AQM9LWM0D4loKWxJek', at, '{"test": 2432232314}'), {
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
  t.is(secretKey(secret).length, 24)
  t.is(secretKey('a-secret-of-our-own').toString(), 'a-secret-of-our-own')
})

test('the body of a delivery has the payload as it was stored', (t) => {
  const at = new Date('2027-01-15T12:30:00.100Z')
  const event = { id: 'e', type: 'T', payload: '{"n":1.50,"b":{"a":[]}}', timestamp: new Date('2027-01-15T12:30:00Z') }
  t.is(
    deliveryBody({ deliveryId: 'd', webhookId: 'w', at }, event),
    '{"deliveryId":"d","deliveryTimestamp":"2027-01-15T12:30:00.100Z","webhookId":"w","event":{"id":"e","type":"T","payload":{"n":1.50,"b":{"a":[]}},"timestamp":"2027-01-15T12:30:00.000Z"}}',
  )
})

const REFUSED: Record<string, string[]> = {
  url: [
    '',
    'receiver.example.com',
    'https://',
    'https:///a',
    'https://[::1',
    'https://a..b.example:x/',
    'https:receiver.example.com',
    'https:/receiver.example.com',
  ],
  https: [
    'http://receiver.example.com/',
    'ftp://receiver.example.com/',
    'wss://receiver.example.com',
    'javascript:alert(1)',
    'data:,x',
  ],
  query: ['https://receiver.example.com/?a=b', 'https://receiver.example.com/?', 'https://receiver.example.com?a'],
  fragment: ['https://receiver.example.com/#a', 'https://receiver.example.com/#', 'https://receiver.example.com#a?b'],
  user_info: [
    'https://user@receiver.example.com/',
    'https://user:pass@receiver.example.com/',
    'https://@receiver.example.com/',
    'https://:@receiver.example.com/',
  ],
  address: [
    'https://192.0.2.1/',
    'https://127.1/',
    'https://127.0.0.1:8443/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://017700000001/',
    'https://1.1/',
    'https://0/',
    'https://127.0.0.1./',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[2001:db8::1]/',
    'https://１２７.０.０.１/',
    'https://①②⑦.0.0.1/',
    'https://127。0。0。1/',
    'https://%31%32%37.0.0.1/',
  ],
  host: [
    'https://receiver_a.example.com/',
    'https://-a.example.com/',
    'https://a%2eexample.com/',
    'https://receiver.example.com./',
    `https://${'a'.repeat(64)}.example.com/`,
  ],
  not_public: ['https://localhost/', 'https://LOCALHOST:8443/', 'https://a.localhost/', 'https://intranet/'],
  public_suffix: ['https://co.uk/', 'https://github.io/hooks', 'https://com.au/'],
  characters: [
    'https://receiver.example.com/a b',
    'https://receiver.example.com/\t',
    'https://receiver.example.com\\a',
    ' https://receiver.example.com',
    'https://receiver.example.com/\n',
    'https://re\u00adceiver.example.com/',
    'https://receiver.example.com/\u0000',
  ],
  length: [`https://receiver.example.com/${'a'.repeat(2_048)}`, `https://receiver.example.com/${'ü'.repeat(400)}`],
}

for (const [rule, urls] of Object.entries(REFUSED))
  test(`URLs of a webhook that break the rule ${rule} are refused (specification, Events 3)`, (t) => {
    for (const url of urls)
      t.is(
        ruleOf(() => readWebhookUrl(url)),
        rule,
        url,
      )
  })

test('a URL of a webhook is stored as it is called', (t) => {
  const stored: [url: string, stored: string][] = [
    ['https://receiver.example.com', 'https://receiver.example.com/'],
    ['HTTPS://Receiver.Example.COM:443/Hooks/', 'https://receiver.example.com/Hooks/'],
    ['https://receiver.example.com:8443/a/../b', 'https://receiver.example.com:8443/b'],
    ['https://münchen.example/hooks/ä', 'https://xn--mnchen-3ya.example/hooks/%C3%A4'],
    ['https://ｒｅｃｅｉｖｅｒ.example.com/', 'https://receiver.example.com/'],
  ]
  for (const [url, expected] of stored) t.is(readWebhookUrl(url), expected)
  t.is(readWebhookUrl('http://localhost:8080/a', { allowPrivate: true }), 'http://localhost:8080/a')
  t.is(
    ruleOf(() => readWebhookUrl('http://127.0.0.1/a', { allowPrivate: true })),
    'address',
  )
})

test('settings of webhooks are checked at the start, naming the variable', (t) => {
  const needed = {
    PUBLIC_URL: 'https://a.example',
    DATABASE_URL: 'postgres://a',
    TEMPORAL_ADDRESS: 'a:1',
    KEY_STORE_MASTER_KEY: Buffer.alloc(32).toString('base64'),
  }
  t.deepEqual(loadConfig(needed).webhooks, {
    timeoutMs: 3000,
    retrySeconds: [10, 60, 360],
    keyDays: 90,
    retentionDays: 30,
    allowPrivate: false,
  })
  for (const text of [
    '',
    '10',
    '10,60',
    '10,60,360,1000',
    '10,5,360',
    '0,1,2',
    '-1,1,2',
    '1,2,x',
    '1e3,2e3,3e3',
    '1,2,100000',
  ])
    if (text !== '')
      t.throws(() => loadConfig({ ...needed, WEBHOOK_RETRY_SECONDS: text }), { message: /WEBHOOK_RETRY_SECONDS/ }, text)
  t.deepEqual(
    loadConfig({ ...needed, WEBHOOK_RETRY_SECONDS: '0.05, 0.05,0.1' }).webhooks.retrySeconds,
    [0.05, 0.05, 0.1],
  )
  t.throws(() => loadConfig({ ...needed, WEBHOOK_ALLOW_PRIVATE: 'true', HOST: '0.0.0.0' }), {
    message: /WEBHOOK_ALLOW_PRIVATE/,
  })
})
