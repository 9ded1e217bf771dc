import test from 'ava'
import { SIGNERS } from '../../support/credentials/mobile.ts'
import { EXAMPLES, exampleFault } from '../../support/frame/examples/index.ts'
import {
  CONTENT_TYPES,
  INJECTIONS,
  placesIn,
  UNREADABLE,
  wholeBodies,
  withText,
  wrongTypes,
} from '../../support/frame/hostile.bodies.ts'
import { faultOf, faultUnlessSuccess, openTarget, type Target } from '../../support/frame/hostile.ts'
import { bodySchema, type Operation, operations, parametersIn } from '../../support/frame/openapi.ts'
import { WALLETS } from '../../support/frame/permissions.ts'
import { inTurn } from '../../support/parts/thorough.ts'
import { TRUST_LISTS } from '../../support/trust-lists/lists.ts'

let target: Target
test.before(async () => {
  target = await openTarget()
})
test.after.always(() => target?.close())

/** No request for a token has more. */
const TOKEN_BODY_BYTES = 16 * 1024

/** One of each type of JSON. */
const VALUES = ['null', '7', '[]', '{}', '""', 'true']

const writing = operations.filter(bodySchema)

const exampleOf = (operation: Operation) => target.exampleBody(operation)

const needsExample = (operation: Operation) => bodySchema(operation) || parametersIn(operation, 'path').length > 0

test.serial('every operation with a body or an id has its example in test/support/frame/examples', (t) => {
  const needing = operations.filter(needsExample).map(({ operationId }) => operationId)
  t.deepEqual(
    needing.filter((operationId) => !EXAMPLES[operationId]),
    [],
  )
})

/** Sends one request after the other and collects what was not answered as it must be. */
/** A JWE may have members that its reader does not know (RFC 7516, 7.2.1), and so may a wallet's request (RFC 6749, 3.2). */
const IGNORES_MEMBERS = ['receiveMessage', ...WALLETS]

async function faults<Case>(
  cases: Iterable<Case>,
  send: (hostile: Case) => Promise<string | undefined>,
  name: (hostile: Case) => string,
) {
  const found: string[] = []
  for (const hostile of cases) {
    const fault = await send(hostile)
    if (fault) found.push(`${name(hostile).slice(0, 160)} -> ${fault}`)
  }
  return found
}

for (const operation of writing) {
  const { operationId } = operation
  const title = (what: string) => `${operationId}: ${what}`
  // a wallet without its token is refused before its body is read
  const refused = EXAMPLES[operationId]?.answers === 401 ? [400, 401] : [400]
  const isBodyRequired = operation.requestBody?.required === true

  if (EXAMPLES[operationId])
    test.serial(title('the example is taken'), async (t) => {
      await target.forgetAttempts()
      const reply = await target.attack(operation, { body: JSON.stringify(exampleOf(operation)) })
      t.is(exampleFault(operationId, reply.status, reply.text), undefined)
    })

  test.serial(title('whole bodies that are none'), async (t) => {
    const found = await faults(
      wholeBodies(exampleOf(operation), IGNORES_MEMBERS.includes(operationId)).filter(
        ({ body }) => isBodyRequired || body !== '',
      ),
      async ({ body, expected, headers }) => {
        const large = operationId === 'getOAuthAccessToken' && body.length > TOKEN_BODY_BYTES
        return faultOf(
          await target.attack(operation, { body, headers }),
          large ? [413] : expected.includes(400) ? refused : expected,
        )
      },
      ({ name }) => name,
    )
    t.deepEqual(found, [])
    if (isBodyRequired) t.is(faultOf(await target.attack(operation, {}), [400]), undefined, 'no body at all')
  })

  test.serial(title('bodies of another media type'), async (t) => {
    const body = JSON.stringify(exampleOf(operation))
    const found = await faults(
      CONTENT_TYPES,
      async (type) => {
        const isForm = type.startsWith('multipart/') && 'multipart/form-data' in (operation.requestBody?.content ?? {})
        return faultOf(await target.attack(operation, { body, headers: { 'content-type': type } }), [
          isForm ? 400 : 415,
        ])
      },
      (type) => type,
    )
    t.deepEqual(found, [])
  })

  test.serial(title('each member missing, of another type, unreadable, or holding code'), async (t) => {
    const example = exampleOf(operation)
    const { properties = {}, required = [] } = bodySchema(operation) ?? {}
    const send = (body: string) => target.attack(operation, { body })
    const found = [
      ...(await faults(
        required.filter((name) => name in example),
        async (name) => faultOf(await send(JSON.stringify({ ...example, [name]: undefined })), refused),
        (name) => `without ${name}`,
      )),
      ...(await faults(
        Object.entries(properties).flatMap(([name, schema]) => wrongTypes(schema).map((text) => ({ name, text }))),
        async ({ name, text }) => faultOf(await send(withText({ ...example, [name]: 0 }, [name], text)), refused),
        ({ name, text }) => `${name}: ${text}`,
      )),
    ]
    for (const [turn, { path, value }] of placesIn(example).entries()) {
      const at = (text: string) => withText(example, path, text)
      found.push(
        ...(await faults(
          inTurn(UNREADABLE, turn),
          async (text) => faultOf(await send(at(text)), [400]),
          (text) => `${path}: ${text}`,
        )),
        ...(await faults(
          inTurn(
            [...VALUES, ...(typeof value === 'string' ? INJECTIONS.map((text) => JSON.stringify(text)) : [])],
            turn,
          ),
          async (text) => faultUnlessSuccess(await send(at(text))),
          (text) => `${path}: ${text}`,
        )),
      )
    }
    if (operation.path.startsWith(TRUST_LISTS)) await target.forgetTrustLists()
    t.deepEqual(found, [])
  })
}

/** A tenant has few document signers, and some of the bodies above made one. */
async function removeOthers({ world, sample }: Target, ...kept: string[]): Promise<void> {
  const { token } = sample
  const list = await world.ask(SIGNERS, { token })
  for (const { id } of list.json<{ data: { id: string }[] }>().data)
    if (!kept.includes(id)) await world.ask(`${SIGNERS}/${id}`, { method: 'DELETE', token })
}

test.serial('after all of it the platform works, and answered others meanwhile', async (t) => {
  target.checkPulse(t)
  // one of the bodies above was a proper one that revokes: taken back, so that the examples hold again
  const path = `/v1/credentials/web-semantic/${target.sample.credentialId}/revocation-status`
  await target.world.ask(path, { token: target.sample.token, body: { is_revoked: false } })
  await removeOthers(target, target.sample.signerId, target.sample.spareSignerId)
  await target.forgetAttempts()
  await target.forgetTrustLists()
  for (const operation of writing.filter(({ operationId }) => EXAMPLES[operationId])) {
    const reply = await target.attack(operation, { body: JSON.stringify(exampleOf(operation)) })
    t.is(exampleFault(operation.operationId, reply.status, reply.text), undefined)
  }
})
