import type { ComponentType } from 'preact'
import type { EntryProps } from './entry.ts'
import { ForgotPassword } from './forgot-password.tsx'
import { LinkPage } from './link.tsx'
import { Register } from './register.tsx'

/** Pages that need no session, by their names in addresses. */
const ENTRIES: Readonly<Record<string, ComponentType<EntryProps>>> = {
  'forgot-password': ForgotPassword,
  register: Register,
  link: LinkPage,
}

export const entryOf = ([name = '', ...more]: readonly string[]): ComponentType<EntryProps> | undefined =>
  more.length === 0 && Object.hasOwn(ENTRIES, name) ? ENTRIES[name] : undefined
