import { Fragment } from 'preact'
import { Heading } from '../frame/parts.tsx'
import { pathOf, useAddress } from '../frame/router.tsx'
import type { Standing } from '../frame/session.ts'
import { useTexts } from '../texts/index.ts'
import { AREAS, type AreaName, isArea, mayOpen } from './areas.ts'
import { NoTenant } from './entry/login.tsx'

/** A role that may do everything. */
const EVERYTHING = new (class extends Set<string> {
  override has(): boolean {
    return true
  }
})()

/** Whether a role opens the page that this one cannot. */
const isThere = (standing: Standing, name: AreaName, parts: string[]): boolean =>
  AREAS[name].page({ standing: { ...standing, scopes: EVERYTHING }, parts }) !== undefined

function NotAllowed() {
  const { frame } = useTexts()
  return (
    <>
      <Heading title={frame.notAllowed}>{frame.notAllowed}</Heading>
      <p>{frame.notAllowedHint}</p>
    </>
  )
}

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
  const area = isArea(name) && !(name === 'home' && all.length > 0) ? name : undefined
  const page = area && mayOpen(standing, area) ? AREAS[area].page({ standing, parts }) : undefined
  const instead = () => {
    if (!area || !isThere(standing, area, parts)) return <NotFound />
    return standing.tenantId === null ? <NoTenant standing={standing} /> : <NotAllowed />
  }
  // another page of the same area begins anew
  return <Fragment key={pathOf(...all)}>{page ?? instead()}</Fragment>
}
