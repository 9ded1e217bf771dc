import { Fragment } from 'preact'
import { Heading } from '../frame/parts.tsx'
import { pathOf, useAddress } from '../frame/router.tsx'
import type { Standing } from '../frame/session.ts'
import { useTexts } from '../texts/index.ts'
import { AREAS, isArea, mayOpen } from './areas.ts'
import { NoTenant } from './entry/login.tsx'

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
  const { parts: all } = useAddress()
  const [name = 'home', ...parts] = all
  if (standing.tenantId === null && all.length === 0) return <NoTenant standing={standing} />
  const isKnown = isArea(name) && mayOpen(standing, name) && !(name === 'home' && all.length > 0)
  const page = isKnown ? AREAS[name].page({ standing, parts }) : undefined
  // another page of the same area begins anew
  return <Fragment key={pathOf(...all)}>{page ?? <NotFound />}</Fragment>
}
