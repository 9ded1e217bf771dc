import { useEffect, useState } from 'preact/hooks'
import { Link, pathOf, useAddress } from '../frame/router.tsx'
import type { Standing } from '../frame/session.ts'
import { useTexts } from '../texts/index.ts'
import { type AreaName, GROUPS, mayOpen } from './areas.ts'

/** As in style.css: there is room for the navigation beside the page. */
const WIDE = matchMedia('(min-width: 60rem)')

/** The areas that the role can open, in their groups: beside the page, or above it and closed on a narrow screen. */
export function Navigation({ standing }: { standing: Standing }) {
  const { frame, areas, groups } = useTexts()
  const { parts } = useAddress()
  const [isOpen, setOpen] = useState(WIDE.matches)
  const address = parts.join('/')
  useEffect(() => setOpen(WIDE.matches), [address])
  useEffect(() => {
    const change = () => setOpen(WIDE.matches)
    WIDE.addEventListener('change', change)
    return () => WIDE.removeEventListener('change', change)
  }, [])
  const here = parts[0] ?? 'home'
  const link = (name: AreaName) => (
    <li key={name}>
      <Link href={name === 'home' ? pathOf() : pathOf(name)} current={name === here}>
        {areas[name]}
      </Link>
    </li>
  )
  const shown = GROUPS.map(({ name, areas: names }) => ({
    name,
    open: names.filter((each) => mayOpen(standing, each)),
  }))
  return (
    <nav class="main" aria-label={frame.navigation}>
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{frame.navigation}</summary>
        {shown.map(
          ({ name, open }) =>
            open.length > 0 && (
              <div key={name}>
                <span id={`group-${name}`}>{groups[name]}</span>
                <ul aria-labelledby={`group-${name}`}>{open.map(link)}</ul>
              </div>
            ),
        )}
      </details>
    </nav>
  )
}
