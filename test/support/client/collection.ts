import { runInNewContext } from 'node:vm'
import type { Collection, Item } from '../../../stack/collection/postman.ts'
import { type Reply, send } from '../world.ts'

/** Sends requests of a collection as Postman does, from the collection alone: its variables are all that it knows. */
export function runnerOf({ variable, item, auth }: Collection, known: Readonly<Record<string, string>>) {
  const variables = new Map(variable.map(({ key, value }) => [key, known[key] ?? value]))
  const filled = (text: string) =>
    text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
      const value = variables.get(name)
      if (value === undefined) throw new Error(`the collection has no variable ${name}`)
      return value
    })
  const items = new Map(item.flatMap((folder) => folder.item).map((each) => [each.id, each]))

  function addressOf({ request: { url } }: Item): string {
    const names = new Map(url.variable?.map(({ key, value }) => [key, filled(value)]))
    const path = url.path.map((part) =>
      part.startsWith(':') ? encodeURIComponent(names.get(part.slice(1)) ?? '') : part,
    )
    const query =
      url.query?.filter(({ disabled }) => !disabled).map(({ key, value }): [string, string] => [key, filled(value)]) ??
      []
    const search = query.length > 0 ? `?${new URLSearchParams(query)}` : ''
    return `${filled(url.host.join('.'))}/${path.join('/')}${search}`
  }

  return {
    variables,
    async run(id: string): Promise<Reply> {
      const found = items.get(id)
      if (!found) throw new Error(`the collection has no request ${id}`)
      const { request, event = [] } = found
      const { type, ...credentials } = request.auth ?? auth
      const bearer = 'bearer' in credentials ? filled(credentials.bearer[0]?.value ?? '') : undefined
      const headers = request.header
        .filter(({ disabled }) => !disabled)
        .map(({ key, value }) => [key.toLowerCase(), filled(value)])
      const reply = await send(addressOf(found), {
        method: request.method,
        headers: Object.fromEntries(headers) as Record<string, string>,
        ...(type === 'bearer' && { token: bearer }),
        ...(request.body && { raw: filled(request.body.raw) }),
      })
      const pm = {
        response: { code: reply.status, json: () => reply.json() },
        collectionVariables: { set: (name: string, value: unknown) => variables.set(name, String(value)) },
      }
      for (const { script } of event) runInNewContext(script.exec.join('\n'), { pm })
      return reply
    },
  }
}
