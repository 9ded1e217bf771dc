import { proxyActivities } from '@temporalio/workflow'
import type { CertificateSweeping } from '../activities/mobile-credentials/expiry.ts'
import { sweeping } from './options.ts'

const activities = proxyActivities<CertificateSweeping>(sweeping)

/** Scheduled: signs lists of revoked certificates that are due, and gives notice of certificates that expire. */
export async function sweepCertificates(): ReturnType<CertificateSweeping['sweepCertificates']> {
  return activities.sweepCertificates()
}
