import { createHash } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import type { Config } from '../../../config.ts'
import { LOOPBACK_HOSTS } from '../../../protocol/hosts/names.ts'

/** A mail to one recipient, in plain text. */
export interface Mail {
  id: string
  to: string
  subject: string
  text: string
}

export interface MailTransport {
  send(mail: Mail): Promise<void>
}

const CONNECT_MS = 10_000
/** Without an answer; the activity has 30 s. */
const SILENCE_MS = 15_000

/** The same for each attempt, so that the recipient's side recognises a repetition. */
const messageIdOf = ({ id }: Mail, from: string): string => {
  const [, domain = 'localhost'] = /@([^@>\s]+)>?$/.exec(from) ?? []
  return `<${createHash('sha256').update(`mail ${id}`).digest('hex').slice(0, 32)}@${domain}>`
}

const messageOf = (mail: Mail, from: string) => ({
  from,
  // an object: a text would be parsed, and could name more than one recipient
  to: { name: '', address: mail.to },
  subject: mail.subject,
  text: mail.text,
  messageId: messageIdOf(mail, from),
  // no answers of robots (RFC 3834, section 5)
  headers: { 'Auto-Submitted': 'auto-generated' },
  disableFileAccess: true,
  disableUrlAccess: true,
})

function overSmtp({ url, from }: { url: URL; from: string }): MailTransport {
  const secure = url.protocol === 'smtps:'
  const transport = createTransport({
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (secure ? 465 : 587),
    secure,
    // no password and no address of a person goes over the network in clear
    requireTLS: !secure && !LOOPBACK_HOSTS.has(url.hostname),
    ...(url.username && {
      auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
    }),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
  })
  return {
    async send(mail) {
      await transport.sendMail(messageOf(mail, from))
    },
  }
}

/**
 * For a start on one machine without a mail server: each mail is a file that its owner alone can read, with another one
 * beside it that has the text as it was written, so that its link can be copied.
 */
function intoFiles({ directory, from }: { directory: string; from: string }): MailTransport {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  return {
    async send(mail) {
      const { message } = await transport.sendMail(messageOf(mail, from))
      await mkdir(directory, { recursive: true, mode: 0o700 })
      const put = async (name: string, content: string | Buffer) => {
        const path = join(directory, name)
        await writeFile(`${path}.part`, content, { mode: 0o600 })
        await rename(`${path}.part`, path)
      }
      await put(`${mail.id}.eml`, message as Buffer)
      await put(`${mail.id}.txt`, `To: ${mail.to}\nSubject: ${mail.subject}\n\n${mail.text}\n`)
    },
  }
}

export const createMailTransport = (mail: NonNullable<Config['mail']>): MailTransport =>
  mail.url ? overSmtp({ ...mail, url: mail.url }) : intoFiles(mail)
