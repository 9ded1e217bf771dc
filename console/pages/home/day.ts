import type { Schemas } from '../../../client/index.ts'
import type { Series } from '../../frame/chart.tsx'
import { pathOf, withQuery } from '../../frame/router.tsx'
import { api } from '../../frame/session.ts'
import type { Texts } from '../../texts/index.ts'
import type { Figure } from './figures.ts'

type Kind = Schemas['KindCountsOut']

/** Operations of all formats, by the names of their entries (getLogEventTypes). */
const FORMATS = [
  'CREDENTIAL_WEB_SEMANTIC',
  'CREDENTIAL_COMPACT',
  'CREDENTIAL_COMPACT_SEMANTIC',
  'CREDENTIAL_SD_JWT_VC',
  'MOBILE_CREDENTIAL',
]
const SIGNED = FORMATS.map((name) => `${name}_SIGN`)
const VERIFIED = [...FORMATS, 'PRESENTATION_WEB_SEMANTIC'].map((name) => `${name}_VERIFY`)
const DELIVERED = ['WEBHOOK_DELIVERY']

export interface Day {
  figures: Figure[]
  hours: string[]
  charts: { label: string; series: Series[] }[]
}

const sumsOf = (kinds: Kind[], hours: string[], member: 'succeeded' | 'failed'): number[] =>
  hours.map((_, at) => kinds.reduce((sum, { hourly }) => sum + (hourly[member][at] ?? 0), 0))

/** What was done in the last day, by one request; undefined for a role that does not read the log. */
export async function readDay(scopes: ReadonlySet<string>, { home }: Texts): Promise<Day | undefined> {
  if (!scopes.has('logs:read')) return undefined
  const { hours, data } = await api.get('/v1/analytics/events/counts')
  const read = (names: string[], label: string, succeeded: string, failed: string) => {
    const kinds = data.filter(({ name }) => names.includes(name))
    const figure = (text: string, member: 'succeeded' | 'failed'): Figure => {
      const type = names.map((name) => `${name}_${member === 'succeeded' ? 'SUCCESS' : 'FAIL'}`).join(' ')
      const count = kinds.reduce((sum, kind) => sum + kind[member], 0)
      return { text, count, href: withQuery(pathOf('log'), { type }) }
    }
    const series: Series[] = [
      { name: home.succeeded, counts: sumsOf(kinds, hours, 'succeeded'), tone: 'good' },
      { name: home.failed, counts: sumsOf(kinds, hours, 'failed'), tone: 'bad' },
    ]
    return { figures: [figure(succeeded, 'succeeded'), figure(failed, 'failed')], chart: { label, series } }
  }
  const parts = [
    read(SIGNED, home.signing, home.signed, home.signFailed),
    read(VERIFIED, home.verifications, home.verified, home.verifyFailed),
    read(DELIVERED, home.deliveries, home.delivered, home.notDelivered),
  ]
  return { hours, figures: parts.flatMap(({ figures }) => figures), charts: parts.map(({ chart }) => chart) }
}
