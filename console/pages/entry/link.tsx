import { useEffect, useState } from 'preact/hooks'
import { dropLink, takeLink } from '../../frame/mail-link.ts'
import { Heading } from '../../frame/parts.tsx'
import { useTexts } from '../../texts/index.ts'
import type { EntryProps } from './entry.ts'
import { Invitation } from './invitation.tsx'
import { Password } from './password.tsx'

function NoLink() {
  const { entry } = useTexts()
  return (
    <>
      <Heading title={entry.noLink}>{entry.noLink}</Heading>
      <p>{entry.noLinkHint}</p>
    </>
  )
}

/** Where the link of a mail leads. Nothing happens before a click: programs that look at mails click on none. */
export function LinkPage(props: EntryProps) {
  const [link, setLink] = useState(takeLink)
  useEffect(() => {
    // another link of a mail, opened while this page is there
    const change = () => setLink(takeLink())
    addEventListener('hashchange', change)
    return () => removeEventListener('hashchange', change)
  }, [])
  return (
    <div class="login">
      {link === undefined && <NoLink />}
      {link?.purpose === 'invitation' && (
        <Invitation key={link.token} token={link.token} onUsed={dropLink} {...props} />
      )}
      {(link?.purpose === 'verify' || link?.purpose === 'reset') && (
        <Password key={link.token} purpose={link.purpose} token={link.token} onUsed={dropLink} {...props} />
      )}
    </div>
  )
}
