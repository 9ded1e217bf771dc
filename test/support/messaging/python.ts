import { pythonWith } from '../parts/python.ts'

/** DIDComm v2 by another author. */
export const didcomm = pythonWith('didcomm==0.3.2', 'Authlib==1.9.9', 'pydantic==1.9.2')

/** Packs or unpacks as the person whose secrets it gets. */
export const DIDCOMM = `
import asyncio, json, sys, warnings
warnings.simplefilter("ignore")
from didcomm.common.algorithms import AnonCryptAlg
from didcomm.common.resolvers import ResolversConfig
from didcomm.common.types import VerificationMaterial, VerificationMaterialFormat, VerificationMethodType
from didcomm.did_doc.did_doc import DIDDoc
from didcomm.did_doc.did_resolver_in_memory import DIDResolverInMemory
from didcomm.message import Message
from didcomm.pack_encrypted import PackEncryptedConfig, pack_encrypted
from didcomm.secrets.secrets_resolver import Secret
from didcomm.secrets.secrets_resolver_in_memory import SecretsResolverInMemory
from didcomm.unpack import unpack

task = json.loads(sys.argv[1])
secrets = [
    Secret(
        kid=jwk["kid"],
        type=VerificationMethodType.JSON_WEB_KEY_2020,
        verification_material=VerificationMaterial(format=VerificationMaterialFormat.JWK, value=json.dumps(jwk)),
    )
    for jwk in task["secrets"]
]
config = ResolversConfig(
    secrets_resolver=SecretsResolverInMemory(secrets),
    did_resolver=DIDResolverInMemory([DIDDoc.deserialize(each) for each in task["documents"]]),
)

async def main():
    if "packed" in task:
        result = await unpack(config, task["packed"])
        about = result.metadata
        return {
            "message": result.message.as_dict(),
            "from": about.encrypted_from,
            "anonymous": about.anonymous_sender,
            "authenticated": about.authenticated,
            "signer": about.sign_from,
        }
    how = PackEncryptedConfig(protect_sender_id=task["protect"], forward=False, enc_alg_anon=AnonCryptAlg[task["enc"]])
    message = Message.from_dict(task["message"])
    return json.loads((await pack_encrypted(config, message, to=task["to"], frm=task["from"], pack_config=how)).packed_msg)

print(json.dumps(asyncio.run(main())))
`
