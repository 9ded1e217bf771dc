import { useLoad } from '../../frame/load.ts'
import { Link, pathOf } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { useTexts } from '../../texts/index.ts'

const COUNT = { params: { query: { limit: 1 } } }
const NEEDED = ['dids:write', 'semantic-credentials:write', 'dids:read', 'semantic-credentials:read']

/** The way to the first credential, while there is none: for those who may go it. */
export function FirstSteps({ standing: { scopes, tenantId } }: { standing: Standing }) {
  const { home, frame } = useTexts()
  const may = NEEDED.every((scope) => scopes.has(scope))
  const loaded = useLoad(`${tenantId} ${may}`, async () => {
    if (!may) return undefined
    const [{ totalCount: dids }, { total_count: templates }] = await Promise.all([
      api.get('/v1/dids', COUNT),
      api.get('/v1/credentials/web-semantic/configurations', COUNT),
    ])
    return { dids, templates }
  })
  if (!loaded.data) return null
  const { dids, templates } = loaded.data
  const steps = [
    { text: home.stepDid, href: pathOf('dids', 'new'), isDone: dids > 0 },
    { text: home.stepTemplate, href: pathOf('templates', 'web-semantic', 'new'), isDone: templates > 0 },
    { text: home.stepIssue, href: pathOf('issue'), isDone: false },
  ]
  return (
    <>
      <h2>{home.steps}</h2>
      <ol>
        {steps.map(({ text, href, isDone }) => (
          <li key={href}>
            <Link href={href}>{text}</Link> {isDone && <span class="quiet">({frame.done})</span>}
          </li>
        ))}
      </ol>
    </>
  )
}
