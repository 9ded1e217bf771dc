import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/** What has just been made: it comes into view and takes the focus, wherever the reader was on the page. */
export function Arrival({ children, class: kind }: { children: ComponentChildren; class?: string }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    place.current?.scrollIntoView({ block: 'center' })
    place.current?.focus({ preventScroll: true })
  }, [])
  return (
    <div ref={place} class={kind} role="status" tabIndex={-1}>
      {children}
    </div>
  )
}
