/** What the link of a mail is for (docs/accounts.md). */
const PURPOSES = ['verify', 'reset', 'invitation'] as const
type Purpose = (typeof PURPOSES)[number]

export interface MailLink {
  purpose: Purpose
  token: string
}

const isPurpose = (name = ''): name is Purpose => PURPOSES.some((purpose) => purpose === name)

let held: MailLink | undefined

/** The link that the page was opened with: its secret leaves the address, and with it the browser's history, at once. */
export function takeLink(): MailLink | undefined {
  const [, purpose, token] = /^#(\w+)=(.*)$/.exec(location.hash) ?? []
  if (token === undefined) return held
  history.replaceState(null, '', location.pathname + location.search)
  held = isPurpose(purpose) && token !== '' ? { purpose, token } : undefined
  return held
}

/** The secret was used, and is good for nothing any more. */
export const dropLink = (): void => {
  held = undefined
}
