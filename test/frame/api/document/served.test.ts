import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import express from 'express'
import { docs } from '../../../../api/frame/openapi/docs.ts'
import type { OpenApi } from '../../../../api/frame/openapi/paths.ts'
import { document } from '../../../support/frame/openapi.ts'

const generated = JSON.parse(
  readFileSync(new URL('../../../../build/openapi.json', import.meta.url), 'utf8'),
) as OpenApi

test('the document is completed when it is first asked for, once in a process (D-894)', async (t) => {
  let looks = 0
  const observed = new Proxy(generated, {
    get(target, name) {
      if (name === 'paths') looks++
      return Reflect.get(target, name)
    },
  })
  const server = createServer(express().use(docs(observed))).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await once(server, 'listening')
  const read = async () => {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/openapi.json`)
    t.is(response.status, 200)
    return response.json()
  }
  t.is(looks, 0, 'a start leaves it alone')
  t.deepEqual(await read(), JSON.parse(JSON.stringify(document)))
  const first = looks
  t.true(first > 0)
  await read()
  t.is(looks, first)
})
