import test from 'ava'
import { readEmail } from '../../../protocol/administration/accounts/emails.ts'
import { passwordFault } from '../../../protocol/administration/accounts/passwords.ts'
import { ROLES, scopesOfSession } from '../../../protocol/administration/accounts/roles.ts'
import { readCountry } from '../../../protocol/administration/organizations/countries.ts'
import { SCOPES } from '../../../protocol/tokens-logs/index.ts'

test('an address has one form, and what is none is refused', (t) => {
  for (const [given, read] of [
    ['Ada@University.Example', 'ada@university.example'],
    ['a.b+c@university.example', 'a.b+c@university.example'],
    ["o'neill@university.example", "o'neill@university.example"],
    ['ada@BÜCHER.example', 'ada@xn--bcher-kva.example'],
    ['ada@university.example.', 'ada@university.example'],
    [`${'a'.repeat(64)}@university.example`, `${'a'.repeat(64)}@university.example`],
  ] as const)
    t.is(readEmail(given), read)
  for (const wrong of [
    '',
    '@',
    'ada',
    '@university.example',
    'ada@',
    'ada@university',
    'ada@[127.0.0.1]',
    'ada@127.1',
    'a da@university.example',
    'ada@uni versity.example',
    ' ada@university.example',
    'ada@university.example\n',
    'ada@a@university.example',
    '.ada@university.example',
    'a..b@university.example',
    'ada@university..example',
    'ada@-university.example',
    'ädä@university.example',
    '<ada@university.example>',
    `ada@${'a.'.repeat(130)}example`,
    'x'.repeat(1_000_000),
  ])
    t.is(readEmail(wrong), undefined, wrong.slice(0, 40))
})

test('a password of 8 to 128 characters may be anything but common or personal (NIST SP 800-63B, section 5.1.1.2)', (t) => {
  const own = ['ada@university.example', 'ada', 'Ada', 'Lovelace', 'AdaLovelace']
  for (const right of [
    'seven green bicycles',
    'correct horse battery',
    'ÄÖÜäöüßẞ-',
    '密码很长很难猜的句子',
    '🚲🌳🏛🐈🌊🍏🧭🎻',
    'a'.repeat(64) + 'b'.repeat(64),
  ])
    t.is(passwordFault(right, own), undefined, right)
  for (const [wrong, code] of [
    ['1234567', 'length'],
    ['🚲'.repeat(7), 'length'],
    ['ab'.repeat(65), 'length'],
    ['\ufdfa'.repeat(100), 'length'], // 18 letters each in NFKC
    ['password', 'common'],
    ['PassWord1', 'common'],
    ['q1w2e3r4t5', 'common'],
    ['p-a-s-s-w-o-r-d', 'common'],
    ['ｐａｓｓｗｏｒｄ', 'common'],
    ['abcdefgh', 'common'],
    ['98765432', 'common'],
    ['--------', 'common'],
    ['Ada_Lovelace', 'personal'],
    ['ADA@university.example', 'personal'],
    ['tab\there and there', 'control'],
  ] as const)
    t.is(passwordFault(wrong, own), code, wrong)
})

test('roles have the scopes of the table, and no role one of the platform (docs/access.md)', (t) => {
  const of = (role: (typeof ROLES)[number]) => scopesOfSession({ role, isOperator: false })
  const own = ['accounts:read', 'accounts:write']
  t.deepEqual(of('admin'), [...SCOPES, ...own] as never)
  t.deepEqual(
    of('auditor').filter((scope) => scope.endsWith(':write')),
    ['accounts:write'],
  )
  t.true(of('auditor').includes('logs:read'))
  t.deepEqual(
    of('verifier').filter((scope) => scope.endsWith(':write')),
    ['accounts:write'],
  )
  for (const scope of ['administration:write', 'domains:write', 'logs:read'] as const)
    t.false(of('issuer').includes(scope), scope)
  for (const role of ROLES)
    t.false(
      of(role).some((scope) => scope.startsWith('platform:')),
      role,
    )
  t.deepEqual(scopesOfSession({ isOperator: true }), [...own, 'platform:read', 'platform:write'] as never)
})

test('249 countries, each by its code and by its name', (t) => {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('')
  const codes = letters.flatMap((one) => letters.flatMap((other) => readCountry(`${one}${other}`) ?? []))
  t.is(codes.length, 249)
  t.is(readCountry('France'), 'FR')
  t.is(readCountry('x'.repeat(1_000_000)), undefined)
})
