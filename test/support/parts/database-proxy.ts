import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** What happens to a statement on its way: the server gets it and its answer is lost, or it does not arrive. */
export type Loss = 'answer' | 'statement'

interface Armed {
  /** In the same transaction as the statement that is lost. */
  after: string
  statement: string
  loss: Loss
}

/** Stands between the platform and PostgreSQL; from a lost statement on, its connection is silent and stays open. */
export async function openDatabaseProxy(port: number) {
  let armed: Armed | undefined
  let lost = 0
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const database = connect(port, '127.0.0.1')
    let transaction = ''
    let silent = false
    for (const socket of [client, database]) {
      sockets.add(socket)
      socket.on('error', () => undefined) // one end is gone; the other is closed below
    }
    client.on('data', (data) => {
      const text = data.toString('latin1')
      if (/\bbegin\b/.test(text)) transaction = ''
      transaction += text
      if (armed && transaction.includes(armed.after) && text.includes(armed.statement)) {
        if (armed.loss === 'answer') database.write(data)
        armed = undefined
        lost += 1
        silent = true
      } else if (!silent) database.write(data)
    })
    database.on('data', (data) => {
      if (!silent) client.write(data)
    })
    client.on('close', () => database.destroy())
    database.on('close', () => client.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    /** Loses the next such statement, and no other. */
    lose: (what: Armed) => {
      armed = what
    },
    lost: () => lost,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

export type DatabaseProxy = Awaited<ReturnType<typeof openDatabaseProxy>>
