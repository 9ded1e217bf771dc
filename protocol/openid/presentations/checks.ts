import { NOT_LISTED } from '../../credentials/trust.ts'
import type { Reason } from '../../mobile-credentials/verify.ts'
import type { Check } from '../../semantic-credentials/presentations/checks.ts'

/** A check of a presentation, by the name that the verification of its format gives it. */
export interface CheckResult {
  name: string
  /** `skipped`: it needs what another check did not find. */
  result: 'passed' | 'failed' | 'skipped'
}

/** Why a check failed. */
export interface Failure {
  /** The name of the check. */
  type: string
  code?: string
  message: string
}

interface Checked {
  checks: CheckResult[]
  reason: Failure[]
}

/** What the verification of an mdoc looks at, by the reasons that it gives. */
const OF_MDOCS: readonly Reason['type'][] = [
  'Syntax',
  'Certificate',
  'UntrustedIssuer',
  'CertificateRevoked',
  'Signature',
  'Digest',
  'DocType',
  'NotYetValid',
  'Expired',
  'Device',
  'Status',
  'Revoked',
]

/** The checks of an mdoc: what cannot be read has no others. `isListed`: a trust list has its issuer. */
export function checksOfMdoc(reasons: readonly { type: string; message: string }[], isListed: boolean): Checked {
  const failed = new Set(reasons.map(({ type }) => type))
  const names = [
    ...OF_MDOCS,
    ...(isListed ? [NOT_LISTED] : []),
    ...[...failed].filter((type) => !OF_MDOCS.some((name) => name === type)),
  ]
  const isRead = !failed.has('Syntax')
  return {
    checks: names.map((name) => ({ name, result: failed.has(name) ? 'failed' : isRead ? 'passed' : 'skipped' })),
    reason: reasons.map(({ type, message }) => ({ type, message })),
  }
}

/** The checks of a W3C presentation, each once: failed where it failed for one of its parts. */
export function checksOfPresentation(checks: readonly Check[]): Checked {
  const results = new Map<string, CheckResult['result']>()
  for (const { check, outcome } of checks) {
    const known = results.get(check)
    if (known === undefined || known === 'skipped' || outcome === 'failed') results.set(check, outcome)
  }
  return {
    checks: [...results].map(([name, result]) => ({ name, result })),
    reason: checks
      .filter(({ outcome }) => outcome === 'failed')
      .map(({ check, evidence }) => ({ type: check, message: evidence })),
  }
}
