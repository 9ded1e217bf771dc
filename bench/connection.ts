import { connect, type Socket } from 'node:net'

export interface Answered {
  status: number
  body: Buffer
}

const HEAD_END = '\r\n\r\n'

/**
 * One kept-alive HTTP/1.1 connection, one request at a time. Written on the socket itself, because the load generator
 * shares the cores with what it measures: a general client would cost as much as a signature.
 */
export class Connection {
  readonly #socket: Socket
  #waiting: { resolve(answer: Answered): void; reject(error: Error): void } | undefined
  #received: Buffer = Buffer.alloc(0)

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', (chunk) => this.#take(chunk))
    socket.on('error', (error) => this.#fail(error))
    socket.on('close', () => this.#fail(new Error('the server closed the connection')))
  }

  static open(host: string, port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, host, () => resolve(new Connection(socket)))
      socket.once('error', reject)
    })
  }

  send(head: string, body: Buffer): Promise<Answered> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      this.#socket.write(Buffer.concat([Buffer.from(`${head}content-length: ${body.length}${HEAD_END}`), body]))
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

  #take(chunk: Buffer): void {
    this.#received = this.#received.length > 0 ? Buffer.concat([this.#received, chunk]) : chunk
    const end = this.#received.indexOf(HEAD_END)
    if (end < 0) return
    const head = this.#received.toString('latin1', 0, end)
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
    if (length === undefined) {
      this.#fail(new Error('an answer without Content-Length'))
      return
    }
    const until = end + HEAD_END.length + Number(length)
    if (this.#received.length < until) return
    const body = this.#received.subarray(end + HEAD_END.length, until)
    const waiting = this.#waiting
    this.#received = this.#received.subarray(until)
    this.#waiting = undefined
    waiting?.resolve({ status: Number(head.slice(9, 12)), body })
  }
}
