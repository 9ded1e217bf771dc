import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'

const BASE = '/console'
const CHANGED = 'console:address'

export interface Address {
  /** Below /console, in parts: [] is home. */
  parts: string[]
  query: URLSearchParams
}

function read(): Address {
  const parts = location.pathname.slice(BASE.length).split('/').filter(Boolean)
  return { parts: parts.map(decoded), query: new URLSearchParams(location.search) }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part // typed by hand; no object has such a name
  }
}

export const pathOf = (...parts: string[]): string => [BASE, ...parts.map(encodeURIComponent)].join('/')

/** What is empty is left out. */
export const withQuery = (path: string, query: Record<string, string | undefined>): string => {
  const named = Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : []))
  return named.length > 0 ? `${path}?${new URLSearchParams(named)}` : path
}

export function go(href: string): void {
  history.pushState(null, '', href)
  dispatchEvent(new Event(CHANGED))
}

export function useAddress(): Address {
  const [address, setAddress] = useState(read)
  useEffect(() => {
    const change = () => setAddress(read())
    addEventListener('popstate', change)
    addEventListener(CHANGED, change)
    return () => {
      removeEventListener('popstate', change)
      removeEventListener(CHANGED, change)
    }
  }, [])
  return address
}

interface LinkProps {
  href: string
  children: ComponentChildren
  current?: boolean
}

/** A link within the console: the browser's own where a key asks for a tab or window of its own. */
export function Link({ href, children, current = false }: LinkProps) {
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    go(href)
  }
  return (
    <a href={href} onClick={follow} aria-current={current ? 'page' : undefined}>
      {children}
    </a>
  )
}
