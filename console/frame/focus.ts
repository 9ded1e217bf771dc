import { useEffect, useRef } from 'preact/hooks'

/** What has come to the page gets the focus, and so into view: when it comes, and when `what` changes. */
export function useFocus<Place extends HTMLElement>(what: string) {
  const place = useRef<Place>(null)
  useEffect(() => place.current?.focus(), [what])
  return place
}
