import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { domainToASCII } from 'node:url'
import { SMTPServer } from 'smtp-server'

export interface ReceivedMail {
  from: string
  to: string[]
  /** Headers and body as they came. */
  source: string
  /** Names of all headers, in lower case. */
  headers: Map<string, string>
  text: string
  secure: boolean
}

/** Unfolds headers (RFC 5322, section 2.2.3), and decodes quoted-printable (RFC 2045, section 6.7). */
function parse(source: string): Pick<ReceivedMail, 'headers' | 'text'> {
  const [head = '', ...body] = source.split('\r\n\r\n')
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n')
  const headers = new Map(
    lines.map((line): [string, string] => {
      const [name = '', ...value] = line.split(':')
      return [name.toLowerCase(), value.join(':').trim()]
    }),
  )
  const raw = body.join('\r\n\r\n')
  if (headers.get('content-transfer-encoding') !== 'quoted-printable') return { headers, text: raw }
  const bytes = raw
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return { headers, text: Buffer.from(bytes, 'latin1').toString('utf8') }
}

/** The server shows internationalised domains as people read them. */
const inAscii = (address: string): string => {
  const [local = '', domain = ''] = address.split('@')
  return `${local}@${domainToASCII(domain)}`
}

/** A mail server on loopback. `refuse`: its answer to a recipient, in place of taking the mail. */
export async function startSmtp() {
  const mails: ReceivedMail[] = []
  let refusals: { responseCode: number }[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onRcptTo(_address, _session, callback) {
      const refusal = refusals.shift()
      callback(refusal ? Object.assign(new Error('not now'), refusal) : undefined)
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const source = Buffer.concat(chunks).toString('utf8')
        const { mailFrom, rcptTo } = session.envelope
        const from = mailFrom ? mailFrom.address : ''
        mails.push({
          from,
          to: rcptTo.map(({ address }) => inAscii(address)),
          source,
          secure: session.secure,
          ...parse(source),
        })
        callback()
      })
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  const mailsTo = (address: string) => mails.filter(({ to }) => to.includes(address))
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    mailsTo,
    /** The next recipients are refused with these codes, one after the other. */
    refuseNext(...codes: number[]) {
      refusals = codes.map((responseCode) => ({ responseCode }))
    },
    /** The `nth` mail (from 1) to an address, once it is there. */
    async mailTo(address: string, nth = 1, patienceMs = 60_000): Promise<ReceivedMail> {
      for (const end = Date.now() + patienceMs; Date.now() < end; await wait(50)) {
        const mail = mailsTo(address)[nth - 1]
        if (mail) return mail
      }
      throw new Error(`no mail ${nth} came to ${address}`)
    },
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  }
}

export type Smtp = Awaited<ReturnType<typeof startSmtp>>

/** The token in the link of a mail. */
export const tokenIn = ({ text }: Pick<ReceivedMail, 'text'>): string => /\/account#\w+=([\w-]+)/.exec(text)?.[1] ?? ''
