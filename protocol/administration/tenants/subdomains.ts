import { Refusal } from '../../errors.ts'

/** A label of DNS (RFC 1035, section 2.3.1; RFC 1123, section 2.1), because the tenant lives at `<subdomain>.<host>`. */
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** Labels with hyphens in these places mean something else than they read: `xn--` is an IDN (RFC 5890, section 2.3.1). */
const TAGGED = /^..--/

/** Subdomains that no tenant gets, by what somebody who sees them would take them for. */
const RESERVED: Readonly<Record<string, readonly string[]>> = {
  'it reads as an address of the platform itself': [
    ...[
      'www',
      'www1',
      'www2',
      'web',
      'api',
      'apis',
      'app',
      'apps',
      'admin',
      'administration',
      'administrator',
      'console',
    ],
    ...['dashboard', 'portal', 'docs', 'doc', 'help', 'support', 'status', 'blog', 'news', 'static', 'assets', 'cdn'],
    ...['media', 'download', 'downloads', 'files', 'billing', 'payment', 'payments', 'legal', 'privacy', 'operator'],
    ...['operators', 'platform', 'system', 'root', 'internal', 'health', 'metrics', 'monitoring', 'staff', 'official'],
  ],
  'people would enter their passwords there': [
    ...[
      'auth',
      'login',
      'signin',
      'signup',
      'register',
      'account',
      'accounts',
      'sso',
      'oauth',
      'oauth2',
      'oidc',
      'saml',
    ],
    ...['openid', 'id', 'identity', 'password', 'passwords', 'secure', 'security', 'verify'],
  ],
  'it belongs to the first tenant': ['first'],
  'programs look for mail servers under it (RFC 6186, RFC 8461)': [
    ...['mail', 'email', 'smtp', 'imap', 'pop', 'pop3', 'mx', 'mx1', 'mx2', 'webmail', 'autoconfig', 'autodiscover'],
    ...['mta-sts', 'openpgpkey', 'newsletter'],
  ],
  'it reads as an address of whoever runs the domain (RFC 2142), or of its certificates': [
    ...['postmaster', 'hostmaster', 'webmaster', 'abuse', 'noc', 'info', 'sales', 'marketing', 'ssladmin'],
    ...['ssladministrator', 'sslwebmaster', 'sysadmin', 'pki', 'ca', 'crl', 'ocsp'],
  ],
  'programs use it by themselves in networks': [
    ...[
      'localhost',
      'local',
      'localdomain',
      'broadcasthost',
      'wpad',
      'isatap',
      'dns',
      'ns',
      'ns0',
      'ns1',
      'ns2',
      'ns3',
    ],
    ...['gateway', 'proxy', 'router', 'vpn', 'ftp', 'sftp', 'ssh', 'git', 'ldap', 'ntp', 'sip', 'stun', 'turn'],
  ],
  'parts of the platform have this name': ['vault', 'temporal', 'postgres', 'postgresql', 'database', 'db', 'worker'],
  'it stands for no value in programs': ['null', 'undefined', 'none', 'nobody', 'test', 'example', 'invalid'],
}

const REASONS: ReadonlyMap<string, string> = new Map(
  Object.entries(RESERVED).flatMap(([reason, names]) => names.map((name) => [name, reason] as const)),
)

export const RESERVED_SUBDOMAINS: readonly string[] = [...REASONS.keys()]

const refuse = (code: string, message: string): never => {
  throw new Refusal('tenant.invalid_subdomain', 'The subdomain cannot be used; see errors.', [
    { path: 'subdomain', code, message },
  ])
}

/** Returns the subdomain. Throws `Refusal('tenant.invalid_subdomain')`, which names the broken rule. */
export function checkSubdomain(subdomain: string): string {
  if (!LABEL.test(subdomain))
    return refuse('label', 'expected 1 to 63 of a-z, 0-9 and -, with no - at either end: one label of DNS')
  if (TAGGED.test(subdomain))
    return refuse('hyphens', 'expected no -- in the third and fourth place: such labels stand for other names (xn--)')
  const reason = REASONS.get(subdomain)
  if (reason !== undefined) return refuse('reserved', `expected another name: this one is reserved, because ${reason}`)
  return subdomain
}
