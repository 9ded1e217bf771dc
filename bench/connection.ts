import { connect, type Socket } from 'node:net'

export interface Answered {
  status: number
  body: Buffer
}

const HEAD_END = '\r\n\r\n'
const LENGTH = '\r\nContent-Length: '
const STATUS = 'HTTP/1.1 '.length
const READ_BYTES = 64 * 1024

/** A number in decimal digits from `at` on. */
function numberAt(bytes: Buffer, at: number): number {
  let value = 0
  for (let place = at; ; place++) {
    const digit = (bytes[place] ?? 0) - 48
    if (digit < 0 || digit > 9) return value
    value = value * 10 + digit
  }
}

/**
 * One kept-alive HTTP/1.1 connection, one request at a time. Written on the socket itself, into one buffer and without
 * texts that nobody reads, because the load generator shares the cores with what it measures: a general client would cost
 * as much as a signature.
 */
export class Connection {
  readonly #socket: Socket
  #waiting: { resolve(answer: Answered): void; reject(error: Error): void } | undefined
  /** The beginning of an answer that came in parts. */
  #received: Buffer = Buffer.alloc(0)

  private constructor(host: string, port: number) {
    const buffer = Buffer.allocUnsafe(READ_BYTES)
    const callback = (count: number) => {
      this.#take(buffer.subarray(0, count))
      return true
    }
    this.#socket = connect({ host, port, noDelay: true, onread: { buffer, callback } })
    this.#socket.on('error', (error) => this.#fail(error))
    this.#socket.on('close', () => this.#fail(new Error('the server closed the connection')))
  }

  static open(host: string, port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const connection = new Connection(host, port)
      connection.#socket.once('connect', () => resolve(connection))
      connection.#socket.once('error', reject)
    })
  }

  send(head: string, body: string): Promise<Answered> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      this.#socket.write(`${head}content-length: ${Buffer.byteLength(body)}${HEAD_END}${body}`)
    })
  }

  close(): void {
    this.#waiting = undefined
    this.#socket.destroy()
  }

  #fail(error: Error): void {
    this.#waiting?.reject(error)
    this.#waiting = undefined
  }

  /** `chunk` is overwritten by the next one. */
  #take(chunk: Buffer): void {
    const bytes = this.#received.length > 0 ? Buffer.concat([this.#received, chunk]) : chunk
    const end = bytes.indexOf(HEAD_END)
    const length = bytes.indexOf(LENGTH)
    if (end >= 0 && (length < 0 || length > end)) {
      this.#fail(new Error('an answer without Content-Length'))
      return
    }
    const begin = end + HEAD_END.length
    const until = begin + numberAt(bytes, length + LENGTH.length)
    if (end < 0 || bytes.length < until) {
      this.#received = Buffer.from(bytes)
      return
    }
    this.#received = Buffer.from(bytes.subarray(until))
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.resolve({ status: numberAt(bytes, STATUS), body: Buffer.from(bytes.subarray(begin, until)) })
  }
}
