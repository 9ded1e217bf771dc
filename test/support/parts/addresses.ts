// Addresses and URLs that nobody outside may get the platform to call, and public ones beside them.

/** Addresses that are not of the public Internet, from every special range (RFC 6890) and its edges. */
export const INNER =
  `127.0.0.1 127.0.0.2 127.255.255.255 10.0.0.0 10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.0.1
  192.168.255.255 169.254.169.254 169.254.0.1 100.64.0.1 100.100.100.200 100.127.255.255 0.0.0.0 0.0.0.1 0.255.255.255
  192.0.0.1 192.0.0.170 192.0.2.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 192.88.99.1 224.0.0.1
  239.255.255.255 240.0.0.1 255.255.255.254 255.255.255.255 192.31.196.1 192.52.193.1 192.175.48.1
  ::1 :: fe80::1 fe80::a9fe:a9fe febf::1 fc00::1 fd00:ec2::254 fdff::1 fec0::1 ff02::1 ff0e::1
  ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe
  64:ff9b:1::1 2002:7f00:1:: 2002:a9fe:a9fe:: 2001::1 2001:0:7f00:1:: 2001:db8::1 2001:10::1 2001:20::1 2001:2::1
  100::1 5f00::1 ::7f00:1 ::a00:1 168.63.129.16`.split(/\s+/)

export const PUBLIC =
  '1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 172.15.255.255 172.32.0.0 192.167.255.255 100.63.255.255 2606:4700::1111'.split(
    ' ',
  )

/** Ways to write an inner address into a URL; `@` stands for the canary's port. */
export const WRITTEN = [
  ...[
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0x7F.0x0.0x0.0x1',
    '0177.0.0.1',
    '0177.1',
  ],
  ...[
    '017700000001',
    '0',
    '0x0',
    '0.0.0.0',
    '127.0.0.1.',
    '127.000.000.001',
    '１２７.０.０.１',
    '①②⑦.0.0.1',
    '127。0。0。1',
  ],
  ...['%31%32%37.0.0.1', '127%2e0%2e0%2e1', '[::1]', '[::]', '[0:0:0:0:0:0:0:1]', '[0000::0001]', '[::ffff:127.0.0.1]'],
  ...[
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:127.0.0.1]',
    '[::127.0.0.1]',
    '[64:ff9b::127.0.0.1]',
    '[fe80::1]',
    '[fd00:ec2::254]',
  ],
  ...['10.0.0.1', '169.254.169.254', '0xa9fea9fe', '2852039166', '0251.0376.0251.0376', '8.8.8.8', '[2606:4700::1111]'],
  ...[
    'user@127.0.0.1',
    'user:pass@127.0.0.1',
    'site.test@127.0.0.1',
    'site.test:443@127.0.0.1',
    '@127.0.0.1',
    ':@127.0.0.1',
  ],
].map((host) => `https://${host}:@/a`)

export const STRANGE =
  `http://127.0.0.1:@/|http://site.test:@/|HTTP://localhost:@|ftp://127.0.0.1:@/|file:///etc/passwd|gopher://127.0.0.1:@/_x
  |data:application/json,{}|javascript:0|blob:https://127.0.0.1:@/a|ws://127.0.0.1:@|wss://127.0.0.1:@/|unix:/run/a|//127.0.0.1:@/
  |127.0.0.1:@|https:127.0.0.1:@/|https:/127.0.0.1:@/|https:///127.0.0.1:@/|https://///127.0.0.1:@/|https:\\\\127.0.0.1:@/
  |https://127.0.0.1\\@site.test/|https://site.test\\@127.0.0.1:@/|https://site.test#@127.0.0.1:@/|https://127.0.0.1:@#site.test
  |https://127.0.0\t.1:@/|https://127.0.0.1\n:@/|h\ttps://127.0.0.1:@/|https://127.0.0.1:@\r\nhost: a/|https:// 127.0.0.1:@/
  |https://|https://:@/|https://[|https://[::1|https://[::1%25lo]:@/|https://127.0.0.1:99999/|https://127.0.0.1:-1/|
  |https://site.test:0/|https://site.test:22/|https://site.test:25/|https://site.test:53/|https://site.test:80/|https://site.test:1023/
  |https://site.test:3306/|https://site.test:5432/|https://site.test:6379/|https://site.test:7233/|https://site.test:8200/
  |https://site.test:9200/|https://site.test:11211/|https://site.test:27017/|https://site.test:2375/|https://site.test:10250/`
    .split('|')
    .map((text) => text.replace(/^\n +|\n +$/g, ''))
