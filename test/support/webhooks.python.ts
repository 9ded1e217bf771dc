import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pythonWith } from './parts/python.ts'
import type { Received } from './receiver.ts'

/** The library of another author, and what it imports without naming it. */
const python = pythonWith('http-message-signatures==2.0.1', 'typing-extensions==4.12.2')

/** Verifies deliveries with a key set, and prints for each the key that signed it, or what is wrong with it. */
const VERIFY = `
import base64, datetime, hashlib, json, sys
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from http_message_signatures import HTTPMessageVerifier, HTTPSignatureKeyResolver, algorithms
keys, deliveries = json.load(open(sys.argv[1]))
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

/** Has Python verify deliveries to an https host; returns for each the `kid` of its key, or what is wrong with it. */
export async function verifiedByPython(
  keys: readonly object[],
  deliveries: readonly Received[],
  authority: string,
): Promise<string[]> {
  const given = deliveries.map(({ method, headers, body, path }) => ({
    ...{ method, headers, body: body.toString('base64') },
    url: `https://${authority}${path}`,
  }))
  const folder = await mkdtemp(join(tmpdir(), 'countersign-deliveries-'))
  try {
    const file = join(folder, 'deliveries.json')
    await writeFile(file, JSON.stringify([keys, given]))
    return JSON.parse(await python(VERIFY, file)) as string[]
  } finally {
    await rm(folder, { recursive: true })
  }
}
