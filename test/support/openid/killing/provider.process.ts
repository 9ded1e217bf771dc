// An authentication provider as a process of its own, for tests that kill it; what it is comes as JSON.
import { createServer } from 'node:https'
import { createUpstream, type Upstream } from '../provider.ts'

const { port, key, cert, ...upstream } = JSON.parse(process.argv[2] ?? '{}') as Upstream & {
  port: number
  key: string
  cert: string
}
const { listener } = await createUpstream(upstream)
createServer({ key, cert }, listener).listen(port, '127.0.0.1', () => console.log('ready'))
