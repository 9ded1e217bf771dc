import type { Standing } from '../../frame/session.ts'

/** What a page gets that needs no session. */
export interface EntryProps {
  /** Of the browser's session, if it has one. */
  standing: Standing | undefined
  /** The session is another one now. */
  onStanding: (asked: Promise<Standing | undefined>) => void
}
