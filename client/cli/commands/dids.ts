import type { Schemas } from '../../index.ts'
import { written } from '../patience.ts'
import type { Command } from '../usage.ts'

export const token: Command = {
  usage: 'token',
  about: 'prints an access token, for other programs',
  words: 0,
  async run({ client, output }) {
    const value = await client.token()
    await output.result({ access_token: value }, [value])
    return 0
  },
}

export const didCreate: Command = {
  usage: 'did create [--method KEY|WEB] [--key-type TYPE] [--url HOST] [--key KEY]',
  about: 'creates a DID; without options a did:key with an Ed25519 key',
  options: {
    method: { type: 'string' },
    'key-type': { type: 'string' },
    url: { type: 'string' },
    key: { type: 'string' },
  },
  words: 0,
  async run(call) {
    const { client, output, text } = call
    const [keyType, url] = [text('key-type'), text('url')]
    const options = { ...(keyType ? { keyType } : {}), ...(url ? { url } : {}) }
    // the platform says which methods and keys there are
    const body = { method: text('method') ?? 'KEY', options } as Schemas['DidIn']
    const created = await written(call, (headers) => client.post('/v1/dids', { body, headers }))
    await output.result(created, [created.did])
    if (created.registrationStatus === 'PROCESSING')
      output.note(`It is not registered yet: ${created.waiting?.reason ?? 'the platform goes on'}`)
    return 0
  },
}

export const didList: Command = {
  usage: 'did list',
  about: 'lists the DIDs of the tenant',
  words: 0,
  async run({ client, output }) {
    for await (const each of client.each('/v1/dids'))
      await output.result(each, [`${each.did}  ${each.registrationStatus}`])
    return 0
  },
}

export const didResolve: Command = {
  usage: 'did resolve DID',
  about: 'prints the document of a DID of the tenant',
  words: 1,
  async run({ client, output, words: [id = ''] }) {
    const resolved = await client.get('/v1/dids/{id}', { params: { path: { id } } })
    await output.result(resolved, [JSON.stringify(resolved.didDocument, null, 2)])
    return 0
  },
}
