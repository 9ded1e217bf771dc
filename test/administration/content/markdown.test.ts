import test from 'ava'
import fc from 'fast-check'
import { renderMarkdown } from '../../../protocol/administration/content/markdown.ts'
import { Refusal } from '../../../protocol/errors.ts'

const attribute = (names: string) => `(?: (?:${names})="[^"<>]*")*`
const URL = `(?:https?:\\/\\/|mailto:)[^"<>\\s]*`

/** All that the HTML of content may have, written by hand and not by the sanitiser's own list. */
const ALLOWED = new RegExp(
  [
    '<\\/?(?:h[1-6]|p|strong|em|del|code|pre|blockquote|ul|li|table|thead|tbody|tr)>',
    '<(?:br|hr) ?\\/>',
    '<\\/(?:a|ol|th|td)>',
    `<ol${attribute('start')}>`,
    `<(?:th|td)${attribute('align')}>`,
    `<a(?: href="${URL}")?(?: title="[^"<>]*")? rel="noopener">`,
    '<img src="https:\\/\\/[^"<>\\s]*" alt="[^"<>]*"(?: title="[^"<>]*")? \\/>',
  ].join('|'),
  'gi',
)

/** What is left of HTML without what it may have; text never has `<`, and no attribute escapes from its quotes. */
const dangerIn = (html: string): string | undefined => {
  const rest = html.replaceAll(ALLOWED, '')
  return /[<>]/.test(rest) ? rest.slice(0, 200) : undefined
}

const TAB = String.fromCharCode(9)

/** Stored cross-site scripting, as lists of payloads have it: by tags, by addresses, by parsers that disagree. */
const PAYLOADS: readonly string[] = [
  '<script>alert(1)</script>',
  '<SCRIPT SRC=//evil.example/x.js></SCRIPT>',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  '<script\n>alert(1)</script\n>',
  '<script/x>alert(1)</script>',
  '<<script>alert(1);//<</script>',
  '<img src=x onerror=alert(1)>',
  '<img src="https://a.example/x.png" onerror="alert(1)">',
  '<img src=`javascript:alert(1)`>',
  '<img src="x` `<script>alert(1)</script>"` `>',
  '<img """><script>alert(1)</script>">',
  '<img src="data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+">',
  '<img srcset="https://a.example/x 1x" src=https://a.example/x style="background:url(javascript:alert(1))">',
  '<svg onload=alert(1)>',
  '<svg><script>alert(1)</script></svg>',
  '<svg><animate onbegin=alert(1) attributeName=x dur=1s>',
  '<svg><a xlink:href="javascript:alert(1)"><text x="20" y="20">x</text></a></svg>',
  '<svg><style><img src=x onerror=alert(1)></style></svg>',
  '<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  '<math><mi//xlink:href="data:x,<script>alert(1)</script>">',
  '<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<style><img src="</style><img src=x onerror=alert(1)//">',
  '<title><img src=x onerror=alert(1)></title>',
  '<textarea></textarea><img src=x onerror=alert(1)></textarea>',
  '<xmp><p title="</xmp><img src=x onerror=alert(1)>">',
  '<template><script>alert(1)</script></template>',
  '<listing>&lt;img src=x onerror=alert(1)&gt;</listing>',
  '<plaintext><img src=x onerror=alert(1)>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<object data="javascript:alert(1)"></object>',
  '<embed src="javascript:alert(1)">',
  '<base href="javascript:alert(1)//">',
  '<meta http-equiv="refresh" content="0;url=javascript:alert(1)">',
  '<link rel=stylesheet href=javascript:alert(1)>',
  '<style>@import "javascript:alert(1)"</style>',
  '<p style="background:url(javascript:alert(1))">x</p>',
  '<div onclick=alert(1) style=position:fixed;inset:0>x</div>',
  '<body onload=alert(1)>',
  '<input autofocus onfocus=alert(1)>',
  '<select autofocus onfocus=alert(1)><option>x',
  '<details open ontoggle=alert(1)>x</details>',
  '<video><source onerror=alert(1)></video>',
  '<audio src=x onerror=alert(1)>',
  '<marquee onstart=alert(1)>x</marquee>',
  '<form action="javascript:alert(1)"><button>x</button></form>',
  '<button formaction=javascript:alert(1)>x</button>',
  '<isindex type=image src=1 onerror=alert(1)>',
  '<a href="javascript:alert(1)">x</a>',
  '<a href="JaVaScRiPt:alert(1)">x</a>',
  `<a href="java${TAB}script:alert(1)">x</a>`,
  '<a href="java&#x09;script:alert(1)">x</a>',
  '<a href="java&NewLine;script&colon;alert(1)">x</a>',
  '<a href="&#106;&#97;&#118;&#97;&#115;&#99;&#114;&#105;&#112;&#116;&#58;alert(1)">x</a>',
  '<a href=" &#14; javascript:alert(1)">x</a>',
  '<a href="\u0001javascript:alert(1)">x</a>',
  '<a href="vbscript:msgbox(1)">x</a>',
  '<a href="data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==">x</a>',
  '<a href="blob:https://a.example/x">x</a>',
  '<a href="file:///etc/passwd">x</a>',
  '<a href="//evil.example">x</a>',
  '<a href="\\\\evil.example">x</a>',
  '<a href="/v1/dids">x</a>',
  '<a href="https://a.example" target=_blank rel=opener onclick=alert(1)>x</a>',
  '<a href="https://a.example" id=config name=body>clobbered</a>',
  '[x](javascript:alert(1))',
  '[x](JAVASCRIPT:alert(1))',
  '[x](  javascript:alert(1))',
  '[x](java\nscript:alert(1))',
  '[x](&#x6A;avascript:alert(1))',
  '[x](javascript&colon;alert(1))',
  '[x](javascript&#58;alert(1))',
  '[x](<javascript:alert(1)>)',
  '[x](data:text/html,<script>alert(1)</script>)',
  '[x](vbscript:msgbox(1))',
  '[x](https://a.example "title\\" onmouseover=alert(1) x=\\"")',
  '[x](https://a.example/"onmouseover="alert(1))',
  '[x][1]\n\n[1]: javascript:alert(1)',
  '[x][1]\n\n[1]: <javascript:alert(1)> "t"',
  '<javascript:alert(1)>',
  '<javascript://%0aalert(1)>',
  '![x](javascript:alert(1))',
  '![x](data:image/svg+xml,<svg onload=alert(1)>)',
  '![x" onerror="alert(1)](https://a.example/x.png)',
  '![x](https://a.example/x.png"onerror="alert(1))',
  '![x](http://a.example/x.png)',
  '[![x](javascript:alert(1))](javascript:alert(2))',
  '[![x](https://a.example/x.png)](https://a.example "a" onclick=b)',
  '> - 1. [x](javascript:alert(1))\n> - <img src=x onerror=alert(1)>',
  '| a |\n|---|\n| <img src=x onerror=alert(1)> |',
  '`<script>alert(1)</script>`',
  '```html\n<script>alert(1)</script>\n```',
  '```"><script>alert(1)</script>\nx\n```',
  '    <script>alert(1)</script>',
  '<!-- --><script>alert(1)</script> -->',
  '<!--><script>alert(1)</script>',
  '<!--!><img src=x onerror=alert(1)>-->',
  '<!-- --!><img src=x onerror=alert(1)> -->',
  '<![CDATA[<script>alert(1)</script>]]>',
  '<?xml version="1.0"?><script>alert(1)</script>',
  '<!DOCTYPE html [<!ENTITY x "<script>alert(1)</script>">]>&x;',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '&amp;lt;script&amp;gt;alert(1)',
  '\u2028<script>alert(1)</script>\u2029',
  '<sc\u0000ript>alert(1)</sc\u0000ript>',
  '\ufeff<img src=x onerror=alert(1)>',
  '＜script＞alert(1)＜/script＞',
  '<a href="https://a.example/?x=<script>alert(1)</script>">x</a>',
  '<a title="<img src=x onerror=alert(1)>" href="https://a.example">x</a>',
  '<b <script>alert(1)</script>>x</b>',
  '<custom-element onclick=alert(1)>x</custom-element>',
  '- [ ] <input type=text onfocus=alert(1)>',
]

test('no payload of stored cross-site scripting gets through (pitfalls, Abuse 50)', (t) => {
  t.true(PAYLOADS.length >= 100)
  t.is(new Set(PAYLOADS).size, PAYLOADS.length)
  for (const payload of PAYLOADS)
    for (const text of [payload, `a ${payload} b`, `- ${payload}`, `> ${payload}`, `**${payload}**`, `<p>${payload}`]) {
      const html = renderMarkdown(text)
      t.is(dangerIn(html), undefined, text)
      t.is(dangerIn(renderMarkdown(html)), undefined, `again: ${text}`)
    }
})

test('the look for dangers sees them', (t) => {
  for (const html of [
    '<script>',
    '<p onclick="x">',
    '<a href="javascript:x" rel="noopener">',
    '<a href="https://a">',
    '<img src="http://a" alt="" />',
    '<svg>',
    '<!-- x',
    '<p style="x">',
  ])
    t.truthy(dangerIn(html), html)
})

test('any mixture of such parts is safe, and safe again when it is rendered again', (t) => {
  const part = fc.oneof(
    fc.constantFrom(...PAYLOADS),
    fc.constantFrom(
      '<',
      '>',
      '"',
      "'",
      '`',
      '&',
      '[x](',
      ')',
      '](',
      '\n',
      '\n\n',
      '<!--',
      '-->',
      '<a href="',
      '</p>',
      '<svg>',
    ),
    fc.string({ unit: 'binary', maxLength: 12 }),
  )
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 8 }), (parts) => {
      const html = renderMarkdown(parts.join(''))
      return dangerIn(html) === undefined && dangerIn(renderMarkdown(html)) === undefined
    }),
    { numRuns: 2_000 },
  )
  t.pass()
})

test('Markdown is shown as GFM has it (GitHub Flavored Markdown, 2019)', (t) => {
  for (const [text, html] of [
    ['# A', '<h1>A</h1>\n'],
    ['a  \nb', '<p>a<br />b</p>\n'],
    ['**a** _b_ ~~c~~ `d`', '<p><strong>a</strong> <em>b</em> <del>c</del> <code>d</code></p>\n'],
    ['<b>a</b>', '<p><strong>a</strong></p>\n'],
    ['1. a\n2. b', '<ol>\n<li>a</li>\n<li>b</li>\n</ol>\n'],
    ['3. a', '<ol start="3">\n<li>a</li>\n</ol>\n'],
    ['[a](https://a.example "t")', '<p><a href="https://a.example" title="t" rel="noopener">a</a></p>\n'],
    ['<ada@a.example>', '<p><a href="mailto:ada@a.example" rel="noopener">ada@a.example</a></p>\n'],
    ['https://a.example', '<p><a href="https://a.example" rel="noopener">https://a.example</a></p>\n'],
    ['![a](https://a.example/x.png)', '<p><img src="https://a.example/x.png" alt="a" /></p>\n'],
    ['a & b < c', '<p>a &amp; b &lt; c</p>\n'],
    ['```ts\nx < y\n```', '<pre><code>x &lt; y\n</code></pre>\n'],
    ['[a](#b)', '<p><a rel="noopener">a</a></p>\n'],
  ] as const)
    t.is(renderMarkdown(text), html, text)
  t.regex(renderMarkdown('- [x] a\n- [ ] b'), /☑ a[\s\S]*☐ b/)
  t.regex(renderMarkdown('|a|b|\n|:-|-:|\n|c|d|'), /<th align="left">a<\/th>[\s\S]*<td align="right">d<\/td>/)
})

test('what is too deep is refused, and not cut', (t) => {
  const codeOf = (text: string) => {
    const refusal = t.throws(() => renderMarkdown(text), { instanceOf: Refusal }, text.slice(0, 20))
    return refusal?.code
  }
  for (const text of ['> '.repeat(41), '<em>'.repeat(41), '> '.repeat(30_000), '<em><strong>'.repeat(5_000)])
    t.is(codeOf(`${text}a`), 'content.too_nested')
  t.notThrows(() => renderMarkdown(`${'> '.repeat(38)}a`))
  const references = `[a]: https://a.example/${'x'.repeat(2_000)}\n\n${'[a] '.repeat(1_000)}`
  t.is(codeOf(references), 'content.too_complex')
})
