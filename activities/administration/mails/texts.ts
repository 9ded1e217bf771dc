import type { MailKind } from '../../../protocol/administration/accounts/mails.ts'

/** The sealed content of a mail: who gets it, and what its text needs. No other text of a caller stands in a mail. */
export interface MailContent {
  to: string
  /** Of a link; whoever has it may do what the mail says. */
  token?: string
  /** Of an invitation. */
  organization?: string
}

export interface MailText {
  subject: string
  text: string
}

interface Place {
  /** The platform, as people reach it. */
  origin: string
}

/** The secret stands in the fragment, which no server and no log gets. */
const linkTo = ({ origin }: Place, purpose: string, token = '') => `${origin}/account#${purpose}=${token}`

const IGNORE = 'If you did not ask for this, do nothing.'

/** What may stand in a mail of a name that somebody chose: no address, and nothing that a reader would click. */
const harmless = (name: string): string =>
  name
    .replace(/[^\p{L}\p{N}&' -]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 60)

const TEXTS: Readonly<Record<MailKind, (content: MailContent, place: Place) => { subject: string; lines: string[] }>> =
  {
    VERIFY_EMAIL: ({ token }, place) => ({
      subject: 'Confirm your e-mail address',
      lines: [
        `Somebody registered at ${place.origin} with this address. To confirm that it was you, open this link within 24 hours:`,
        linkTo(place, 'verify', token),
        'If it was not you, do not open the link: without it there is no account.',
      ],
    }),
    ALREADY_REGISTERED: (_content, place) => ({
      subject: 'You have an account already',
      lines: [
        `Somebody tried to register at ${place.origin} with this address, which has an account already.`,
        'If it was you, log in with that account, or reset its password. If it was not you, do nothing: nothing was changed.',
      ],
    }),
    RESET_PASSWORD: ({ token }, place) => ({
      subject: 'Set a new password',
      lines: [
        `Somebody asked to reset the password of your account at ${place.origin}. To set a new one, open this link within an hour:`,
        linkTo(place, 'reset', token),
        IGNORE,
      ],
    }),
    PASSWORD_CHANGED: (_content, place) => ({
      subject: 'Your password was changed',
      lines: [
        `The password of your account at ${place.origin} was changed, and its other sessions were ended.`,
        'If it was not you, reset the password at once, and tell the operator of the platform.',
      ],
    }),
    INVITATION: ({ token, organization = '' }, place) => ({
      subject: 'You are invited to an organization',
      lines: [
        `You are invited to the organization "${harmless(organization)}" at ${place.origin}. Open this link within 7 days, and log in with an account of this e-mail address:`,
        linkTo(place, 'invitation', token),
        'If you have no account yet, register with this very e-mail address first, and then open the link again.',
        IGNORE,
      ],
    }),
  }

/** The text of a mail, in plain text. */
export function textOf(kind: MailKind, content: MailContent, place: Place): MailText {
  const { subject, lines } = TEXTS[kind](content, place)
  return { subject, text: `${lines.join('\n\n')}\n` }
}
