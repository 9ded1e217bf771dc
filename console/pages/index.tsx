import { Heading } from '../frame/parts.tsx'
import { pathOf, useAddress } from '../frame/router.tsx'
import type { Standing } from '../frame/session.ts'
import { useTexts } from '../texts/index.ts'
import { CredentialPage } from './credential.tsx'
import { CredentialsPage } from './credentials.tsx'
import { DidPage } from './did.tsx'
import { DidsPage } from './dids.tsx'
import { HomePage } from './home.tsx'
import { LogPage } from './log.tsx'
import { WebhookPage } from './webhook.tsx'
import { WebhooksPage } from './webhooks.tsx'

export type PageName = 'home' | 'credentials' | 'webhooks' | 'dids' | 'log'

const CREDENTIALS = ['semantic-credentials:read', 'compact-credentials:read', 'mobile-credentials:read']

/** What a page needs: one of these scopes. */
const NEEDS: Record<PageName, readonly string[]> = {
  home: [],
  credentials: CREDENTIALS,
  webhooks: ['webhooks:read'],
  dids: ['dids:read'],
  log: ['logs:read'],
}

const isPage = (name: string): name is PageName => Object.hasOwn(NEEDS, name)

const may = ({ scopes }: Standing, name: PageName): boolean =>
  NEEDS[name].length === 0 || NEEDS[name].some((scope) => scopes.has(scope))

/** The pages that the role can open, in the order of the navigation. */
export const shownPages = (standing: Standing): PageName[] =>
  standing.tenantId === null
    ? []
    : Object.keys(NEEDS)
        .filter((name) => isPage(name) && may(standing, name))
        .filter(isPage)

function NotFound() {
  const { frame } = useTexts()
  return (
    <>
      <Heading title={frame.notFound}>{frame.notFound}</Heading>
      <p>{frame.notFoundHint}</p>
    </>
  )
}

/** The page that the address names. */
export function Pages({ standing }: { standing: Standing }) {
  const { parts } = useAddress()
  const [name = 'home', id, ...more] = parts
  if (!isPage(name) || !may(standing, name) || more.length > 0 || (name === 'home' && parts.length > 0))
    return <NotFound />
  const key = pathOf(...parts)
  if (id === undefined) {
    if (name === 'credentials') return <CredentialsPage />
    if (name === 'webhooks') return <WebhooksPage standing={standing} />
    if (name === 'dids') return <DidsPage />
    if (name === 'log') return <LogPage />
    return <HomePage standing={standing} />
  }
  if (name === 'credentials') return <CredentialPage key={key} id={id} standing={standing} />
  if (name === 'webhooks') return <WebhookPage key={key} id={id} standing={standing} />
  if (name === 'dids') return <DidPage key={key} id={id} />
  return <NotFound />
}
