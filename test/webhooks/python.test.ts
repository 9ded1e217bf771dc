import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createActivities } from '../../activities/index.ts'
import { createWebhookKeyRotation, createWebhookKeys } from '../../activities/webhooks/keys.ts'
import { openWorldBeside, type WorldBeside } from '../support/parts/elsewhere.ts'
import { pythonWith } from '../support/parts/python.ts'
import { needs } from '../support/parts.ts'
import { createReceiver, type Received } from '../support/receiver.ts'
import { type DeliveryAnswer, webhooksOf } from '../support/webhooks.ts'

const withPython = needs('Python')

/** The library of another author, and what it imports without naming it. */
const python = pythonWith('http-message-signatures==2.0.1', 'typing-extensions==4.12.2')

/** Verifies deliveries with a key set, and prints for each the key that signed it, or what is wrong with it. */
const VERIFY = `
import base64, datetime, hashlib, json, sys
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from http_message_signatures import HTTPMessageVerifier, HTTPSignatureKeyResolver, algorithms
keys, deliveries = json.loads(sys.argv[1]), json.loads(sys.argv[2])
MUST = {'"@method"', '"@authority"', '"@path"', '"content-digest"', '"content-type"', '"webhook-id"', '"x-webhook-id"'}
class Keys(HTTPSignatureKeyResolver):
    def resolve_public_key(self, key_id):
        x = next(key["x"] for key in keys if key["kid"] == key_id)
        return Ed25519PublicKey.from_public_bytes(base64.urlsafe_b64decode(x + "="))
class Message:
    def __init__(self, delivery):
        self.method, self.url = delivery["method"], delivery["url"]
        self.headers = {name.title(): value for name, value in delivery["headers"].items()}
verifier = HTTPMessageVerifier(signature_algorithm=algorithms.ED25519, key_resolver=Keys())
def verify(delivery):
    try:
        result, = verifier.verify(Message(delivery), expect_tag="webhook", max_age=datetime.timedelta(minutes=5))
        if not MUST <= set(result.covered_components): return "covers too little"
        digest = base64.b64encode(hashlib.sha256(base64.b64decode(delivery["body"])).digest()).decode()
        covered = result.covered_components['"content-digest"']
        return result.parameters["keyid"] if covered == f"sha-256=:{digest}:" else "another body"
    except Exception as error:
        return type(error).__name__
print(json.dumps([verify(delivery) for delivery in deliveries]))
`

const receiver = createReceiver()
let beside: WorldBeside
test.before(async () => {
  beside = await openWorldBeside('receiver.acme.test', receiver.listener)
})
test.after.always(() => beside?.close())

withPython(
  'Python’s http-message-signatures verifies deliveries before and after another key signs (RFC 9421)',
  async (t) => {
    const { world } = beside
    const { dependencies, first } = world
    const hooks = webhooksOf(world, world.token)
    const { id: webhookId } = await hooks.created({ url: beside.urlOf('python'), events: ['OpenIdCredentialIssued'] })
    const deliver = async () => {
      const { attemptDelivery } = createActivities(dependencies)
      for (let nth = 0; nth < 3; nth += 1) {
        const { id, eventId } = (await hooks.test(webhookId)).json<DeliveryAnswer>()
        const subject = { tenantId: first.tenantId, webhookId, eventId, deliveryId: id, round: 0 }
        t.deepEqual(await attemptDelivery({ ...subject, nth: 1 }), { state: 'DELIVERED' })
      }
      return (await world.ask('/v1/webhooks/jwks')).json<{ keys: { kid: string }[] }>().keys
    }
    const oldKeys = await deliver()
    const rotation = createWebhookKeyRotation({ ...dependencies, config: { webhooks: { keyDays: 0 } } })
    await rotation.replaceWebhookKeys(randomUUID())
    await deliver()
    // as the database has them: an API process may remember the former ones for a minute
    const newKeys = (await createWebhookKeys(dependencies).current()).keySet.keys
    const given = (received: Received, change: Partial<Received> = {}) => {
      const { method, headers, body, path } = { ...received, ...change }
      return { method, headers, body: body.toString('base64'), url: `https://${beside.authority}${path}` }
    }
    const all = receiver.at('/python')
    t.is(all.length, 6)
    const [one] = all
    if (!one) return t.fail()
    const tampered = [
      given(one, { path: '/other' }),
      given(one, { method: 'PUT' }),
      given(one, { body: Buffer.concat([one.body, Buffer.from(' ')]) }),
      given(one, { headers: { ...one.headers, 'x-webhook-id': randomUUID() } }),
      given(one, { headers: { ...one.headers, 'content-type': 'text/plain' } }),
    ]
    const keys = JSON.stringify([...oldKeys, ...newKeys])
    const answers = JSON.parse(
      await python(VERIFY, keys, JSON.stringify([...all.map((each) => given(each)), ...tampered])),
    )
    const [oldKid, newKid] = [oldKeys[0]?.kid, newKeys[0]?.kid]
    t.not(oldKid, newKid)
    t.deepEqual(answers, [
      ...[oldKid, oldKid, oldKid, newKid, newKid, newKid],
      ...['InvalidSignature', 'InvalidSignature', 'another body', 'InvalidSignature', 'InvalidSignature'],
    ])
  },
)
