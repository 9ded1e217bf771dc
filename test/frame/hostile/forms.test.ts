import test from 'ava'
import { OAUTH_ERRORS } from '../../../api/frame/openapi/areas.ts'
import { openTarget, type Target } from '../../support/frame/hostile.ts'
import { isPublic, type Operation, operations } from '../../support/frame/openapi.ts'

let target: Target
test.before(async () => {
  target = await openTarget()
})
test.after.always(() => target?.close())

const FORM = 'application/x-www-form-urlencoded'
const MULTIPART = 'multipart/form-data'
const taking = (type: string) => operations.filter(({ requestBody }) => type in (requestBody?.content ?? {}))

const send = (operation: Operation, body: string, type: string) =>
  target.attack(operation, { body, headers: { 'content-type': type } })

const refusalIn = (text: string) => {
  const { type, errors } = JSON.parse(text) as { type: string; errors?: { path: string }[] }
  return [type.replace('/problems#', ''), errors?.map(({ path }) => path).join()]
}

for (const operation of taking(FORM))
  test.serial(
    `${operation.operationId}: U+0000 in a form is refused as it is in JSON, in each of its texts`,
    async (t) => {
      const example = Object.entries(target.exampleBody(operation)).map(
        ([name, value]) => [name, String(value)] as const,
      )
      t.true(example.length > 0)
      for (const [name] of example) {
        const form = new URLSearchParams(
          example.map(([each, value]): [string, string] => [each, each === name ? `${value}\0` : value]),
        )
        const { status, text } = await send(operation, String(form), FORM)
        t.is(status, 400, text)
        t.deepEqual(refusalIn(text), ['request.unusable_text', name])
      }
      const { status, text } = await send(operation, 'a%00b=c', FORM)
      t.deepEqual([status, refusalIn(text)[0]], [400, 'request.unusable_text'])
    },
  )

for (const operation of taking(MULTIPART))
  test.serial(`${operation.operationId}: U+0000 in a part of a form is refused as it is in JSON`, async (t) => {
    const part = (disposition: string, content: string) =>
      `--edge\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`
    const body = `${part('name="trusted_issuers"', 'did:key:a\0b')}${part('name="file"; filename="code.png"', 'x')}--edge--\r\n`
    const { status, text } = await send(operation, body, `${MULTIPART}; boundary=edge`)
    t.is(status, 400, text)
    t.deepEqual(refusalIn(text), ['request.unusable_text', 'trusted_issuers'])
  })

const ofWallets = operations.filter(({ operationId }) => OAUTH_ERRORS[operationId] !== undefined)
test.serial(
  'what is refused before the operation is known is an error of OAuth 2.0 too, at the paths of wallets',
  async (t) => {
    t.true(ofWallets.length > 5)
    for (const operation of ofWallets.filter(isPublic)) {
      const { status, headers, text } = await target.attack(operation, { path: `${target.pathOf(operation)}?a=%00` })
      t.is(status, 400, operation.operationId)
      t.is(headers['content-type'], 'application/json; charset=utf-8', operation.operationId)
      t.is(typeof (JSON.parse(text) as { error?: unknown }).error, 'string', text)
    }
  },
)
