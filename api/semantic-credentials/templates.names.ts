import { Refusal, withPaths } from '../../protocol/errors.ts'

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The path in the body for a path in a definition: only our own members change their casing. */
function wirePath(path: string): string {
  const [member = ''] = /^\w+/.exec(path) ?? []
  return member === 'issuer' ? snake(path) : `${snake(member)}${path.slice(member.length)}`
}

/** The same refusal with the paths of the caller's body. */
export const inWireNames = (error: unknown): unknown =>
  error instanceof Refusal && error.code === 'credential_template.invalid' ? withPaths(error, wirePath) : error
