import test from 'ava'
import { MAX_DOMAIN, readDomain, recordNames } from '../../protocol/domains/names.ts'
import { Refusal } from '../../protocol/errors.ts'
import { asciiHost, hostNameOf, isHostName } from '../../protocol/hosts/names.ts'

const PLATFORM = 'id.platform.example'

const ruleOf = (text: string): string => {
  try {
    return `taken: ${readDomain(text, PLATFORM)}`
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const [place] = error.errors
    return `${error.code} ${place?.path} ${place?.code}`
  }
}

for (const [text, stored] of [
  ['university.example', 'university.example'],
  ['ID.University.Example', 'id.university.example'],
  ['id.university.example.', 'id.university.example'],
  ['hochschule-münchen.de', 'xn--hochschule-mnchen-e3b.de'],
  ['XN--HOCHSCHULE-MNCHEN-E3B.de', 'xn--hochschule-mnchen-e3b.de'],
  ['例え。テスト', 'xn--r8jz45g.xn--zckzah'],
  ['faß.de', 'xn--fa-hia.de'],
  ['my-shop.github.io', 'my-shop.github.io'],
  ['platform.example', 'platform.example'],
  ['notid.platform.example', 'notid.platform.example'],
] as const)
  test(`${text} is stored as ${stored}`, (t) => t.is(ruleOf(text), `taken: ${stored}`))

for (const [text, rule] of [
  ['', 'name'],
  ['.', 'name'],
  ['..', 'name'],
  ['a..example.com', 'name'],
  ['-a.example.com', 'name'],
  ['a_b.example.com', 'name'],
  ['_countersign.example.com', 'name'],
  ['*.example.com', 'name'],
  ['example.com:443', 'name'],
  ['user@example.com', 'name'],
  ['example.com/path', 'name'],
  ['example.com?x', 'name'],
  ['example.com#x', 'name'],
  ['exam\\ple.com', 'name'],
  ['exa%6dple.com', 'name'],
  ['exam ple.com', 'name'],
  ['example.com\n', 'name'],
  ['exam\u00adple.com', 'name'],
  ['exam\u200dple.com', 'name'],
  [`${'a'.repeat(64)}.example.com`, 'name'],
  [`${'a.'.repeat(122)}example.com`, 'name'],
  ['https://example.com', 'url'],
  ['127.0.0.1', 'address'],
  ['127.1', 'address'],
  ['2130706433', 'address'],
  ['0x7f.1', 'address'],
  ['１２７.０.０.１', 'address'],
  ['[::1]', 'name'],
  ['::1', 'name'],
  ['localhost', 'single_label'],
  ['com', 'single_label'],
  ['co.uk', 'public_suffix'],
  ['github.io', 'public_suffix'],
  ['s3.amazonaws.com', 'public_suffix'],
  ['公司.cn', 'public_suffix'],
  ['id.platform.example', 'platform'],
  ['ID.Platform.Example.', 'platform'],
  ['tenant.id.platform.example', 'platform'],
] as const)
  test(`${JSON.stringify(text.slice(0, 40))} is refused: ${rule}`, (t) =>
    t.is(ruleOf(text), `domain.invalid_name domain ${rule}`))

test('a domain leaves room in a DNS name for the label of the record', (t) => {
  const nameOf = (length: number) => `${`${'a'.repeat(49)}.`.repeat(4)}${'b'.repeat(length - 200 - 4)}.com`
  t.is(MAX_DOMAIN, 240)
  t.is(ruleOf(nameOf(240)), `taken: ${nameOf(240)}`)
  t.is(ruleOf(nameOf(241)), 'domain.invalid_name domain length')
  t.is(recordNames(nameOf(240))[1].length, 253)
})

test('a Host header is read without its port and a trailing dot, in lower case', (t) => {
  t.is(hostNameOf('ID.Example.com:8443'), 'id.example.com')
  t.is(hostNameOf('id.example.com.'), 'id.example.com')
  t.is(asciiHost('ID.Example.com.'), 'id.example.com')
  t.is(asciiHost('127.1'), '127.0.0.1', 'a caller that wants no address sees one')
  t.false(isHostName('127.0.0.1'))
  t.false(isHostName('id.example.com.'))
  t.false(isHostName(`${'a.'.repeat(126)}aa`))
})
