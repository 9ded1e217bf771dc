import { CALLBACK } from './authorization.ts'

type Change = Record<string, string | undefined>

/** What is wrong with an authorization request, the change, and the error that its wallet gets. */
export const AT_WALLET: [name: string, change: Change, error: string][] = [
  ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
  ['PKCE plain', { code_challenge_method: 'plain' }, 'invalid_request'],
  ['PKCE without a method, which is plain', { code_challenge_method: undefined }, 'invalid_request'],
  ['a challenge that is no digest', { code_challenge: 'x' }, 'invalid_request'],
  ['the implicit grant', { response_type: 'token' }, 'unsupported_response_type'],
  ['the hybrid flow', { response_type: 'code id_token' }, 'unsupported_response_type'],
  ['no response type', { response_type: undefined }, 'invalid_request'],
  ['an answer in the fragment', { response_mode: 'fragment' }, 'invalid_request'],
  ['a request object', { request: 'x.y.z' }, 'request_not_supported'],
  ['an unknown issuer_state', { issuer_state: 'x'.repeat(43) }, 'invalid_request'],
  ['no issuer_state', { issuer_state: undefined }, 'access_denied'],
  ['an unknown scope', { scope: 'openid' }, 'invalid_scope'],
  ['authorization_details that are no JSON', { authorization_details: '{' }, 'invalid_authorization_details'],
  [
    'authorization_details of another template',
    {
      authorization_details:
        '[{"type":"openid_credential","credential_configuration_id":"6b1f4e2a-0000-4000-8000-000000000000"}]',
    },
    'invalid_authorization_details',
  ],
  ['a dpop_jkt that is none', { dpop_jkt: 'x' }, 'invalid_request'],
  ['10,000 characters of other parameters', { login_hint: 'x'.repeat(9_000) }, 'invalid_request'],
  ['a parameter with a line break', { login_hint: 'a\r\nb' }, 'invalid_request'],
]

/** The address of the registered wallet. */
export const WALLET = 'https://wallet.example/cb'

/** What keeps an address from being the wallet's. */
export const NOT_TRUSTED: [name: string, change: Change][] = [
  ['no redirect_uri', { redirect_uri: undefined }],
  ['no client_id', { client_id: undefined }],
  ['https of an unknown wallet', { redirect_uri: 'https://evil.example/cb' }],
  ['localhost, which is a name', { redirect_uri: 'http://localhost:8080/cb' }],
  ['http of another host', { redirect_uri: 'http://evil.example/cb' }],
  ['a user name that looks like loopback', { redirect_uri: 'http://127.0.0.1@evil.example/cb' }],
  ['a host that begins like loopback', { redirect_uri: 'http://127.0.0.1.evil.example/cb' }],
  ['a port with a host behind it', { redirect_uri: 'http://127.0.0.1:80@evil.example/cb' }],
  ['a backslash', { redirect_uri: 'http://127.0.0.1\\@evil.example/cb' }],
  ['javascript', { redirect_uri: 'javascript:alert(1)' }],
  ['data', { redirect_uri: 'data:text/html,x' }],
  ['a scheme without a domain name', { redirect_uri: 'wallet:/cb' }],
  ['a relative address', { redirect_uri: '//evil.example/cb' }],
  ['a fragment', { redirect_uri: `${CALLBACK}#x` }],
  ['a line break', { redirect_uri: 'com.example.wallet:/cb\r\nSet-Cookie: a=b' }],
  ['2,001 characters', { redirect_uri: `http://127.0.0.1/${'x'.repeat(2_000)}` }],
  ...['/', '/x', '?x=1', '#x', '%2f..'].map((end): [string, Record<string, string>] => [
    `a registered wallet, and ${end} at the end`,
    { client_id: 'registered', redirect_uri: `${WALLET}${end}` },
  ]),
  ['a registered wallet, in capitals', { client_id: 'registered', redirect_uri: 'https://WALLET.example/cb' }],
  ['a registered wallet, with the port', { client_id: 'registered', redirect_uri: 'https://wallet.example:443/cb' }],
  ['a registered wallet, by a detour', { client_id: 'registered', redirect_uri: 'https://wallet.example/x/../cb' }],
  ['a registered wallet, with a user name', { client_id: 'registered', redirect_uri: 'https://a@wallet.example/cb' }],
  ['a registered wallet, at a loopback address', { client_id: 'registered', redirect_uri: CALLBACK }],
  ...[
    ['the path in capitals', 'https://wallet.example/CB'],
    ['a dot after the host', 'https://wallet.example./cb'],
    ['two slashes', 'https://wallet.example//cb'],
    ['a letter that is encoded', 'https://wallet.example/%63b'],
    ['http', 'http://wallet.example/cb'],
    ['a host below it', 'https://x.wallet.example/cb'],
    ['a host that begins like it', 'https://wallet.example.evil.example/cb'],
    ['a user name like it', 'https://wallet.example@evil.example/cb'],
  ].map(([name = '', redirect_uri]): [string, Change] => [
    `a registered wallet, and ${name}`,
    { client_id: 'registered', redirect_uri },
  ]),
  ...[
    ['a short form of loopback', 'http://127.1/cb'],
    ['loopback as a number', 'http://2130706433/cb'],
    ['loopback in hexadecimal', 'http://0x7f000001/cb'],
    ['loopback in IPv6', 'http://[::ffff:127.0.0.1]/cb'],
    ['every address', 'http://0.0.0.0/cb'],
    ['loopback in wide digits', 'http://１２７.０.０.１/cb'],
    ['a dot that is encoded', 'http://127.0.0.1%2eevil.example/cb'],
    ['an at sign that is encoded', 'http://127.0.0.1:80%40evil.example/cb'],
    ['a port of six digits', 'http://127.0.0.1:123456/cb'],
    ['one slash', 'http:/evil.example/cb'],
    ['a space in front', ' http://127.0.0.1/cb'],
    ['https of loopback', 'https://127.0.0.1/cb'],
    ['markup', 'http://127.0.0.1/<script>'],
    ['a tab', 'http://127.0.0.1/cb\t'],
    ['an intent', 'intent://evil.example/cb'],
    ['a file', 'file:///cb'],
    ['a mail', 'mailto:x@evil.example'],
    ['a scheme of its own with a fragment', 'com.example.wallet:/cb#x'],
    ['a scheme of its own with a quote', 'com.example.wallet:/cb"x'],
  ].map(([name = '', redirect_uri]): [string, Change] => [name, { redirect_uri }]),
  ['a state that cannot be repeated', { state: 'a\r\nb' }],
]
