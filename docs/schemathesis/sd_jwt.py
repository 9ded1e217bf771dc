"""What SD-JWT VCs have, made before the first request."""
import stored
from stored import api, example
from values import duration

PATH = "/v1/credentials/sd-jwt-vc"
TEMPLATES = f"{PATH}/configurations"
SIGNED = example(f"{PATH}/sign")
WITH_A_MEANING = {"_sd", "_sd_alg", "...", "iss", "iat", "cnf", "status", "aka_vcts"}


def sign():
    return api(f"{PATH}/sign", {**SIGNED, "issuer_did": stored.DID})


CREDENTIAL = sign()
TEMPLATE_BODY = {**example(TEMPLATES), "issuer_did": stored.DID}


def new_template():
    return api(TEMPLATES, TEMPLATE_BODY)["id"]


TEMPLATE, CHANGED_TEMPLATE = new_template(), new_template()
VERSION = api(f"{TEMPLATES}/{TEMPLATE}")["vct"].split("/")[-1]

THINGS = {
    "getSdJwtCredential": CREDENTIAL["id"],
    "getSdJwtCredentialRevocationStatus": CREDENTIAL["id"],
    "setSdJwtCredentialRevocationStatus": CREDENTIAL["id"],
    "getSdJwtCredentialTemplate": TEMPLATE,
    "updateSdJwtCredentialTemplate": CHANGED_TEMPLATE,
    "deleteSdJwtCredentialTemplate": new_template,
    "signSdJwtCredentialFromTemplate": TEMPLATE,
    "getSdJwtTypeMetadata": {"id": TEMPLATE, "version": VERSION},
}


def without_meaning(value):
    """Claims whose names SD-JWT has no meaning for, and which the platform does not set."""
    if isinstance(value, list):
        return [without_meaning(each) for each in value]
    if isinstance(value, dict):
        return {name: without_meaning(each) for name, each in value.items() if name and name not in WITH_A_MEANING}
    return value


def issuer(body):
    """A DID signs: a document signer needs a certificate, and the address of the platform has to be https."""
    body.pop("document_signer_id", None)
    if body.get("issued_as"):
        body["issued_as"] = "did"
    if "holder_key" in body and body["holder_key"]:
        body["holder_key"] = SIGNED["holder_key"]


def sign_body(case, body):
    issuer(body)
    payload = {**without_meaning(body["payload"]), **SIGNED["payload"]}
    payload.pop("exp", None)  # may be before nbf
    body["payload"] = payload
    if body.get("selectively"):
        body["selectively"] = SIGNED["selectively"]


def from_template(case, body):
    issuer(body)
    body["claims"] = {"given_name": "Ada", "city": "London"}


def template(case, body):
    issuer(body)
    body.pop("claim_source_id", None)
    if not body.get("extends"):
        body.pop("extends_integrity", None)
    if not body.get("vct"):
        body.pop("vct_integrity", None)
    body["claims"] = TEMPLATE_BODY["claims"]
    for place, display in enumerate(body.get("display") or []):
        display["locale"] = f"en-{place:03}"
        if display.get("logo_url"):
            display["logo_url"] = "https://receiver.university.example/logo.png"
    if body.get("expiration") is not None:
        body["expiration"] = duration(body["expiration"])


def verify(case, body):
    body["payload"] = CREDENTIAL["encoded"]


WRITTEN = {
    "signSdJwtCredential": sign_body,
    "signSdJwtCredentialFromTemplate": from_template,
    "createSdJwtCredentialTemplate": template,
    "updateSdJwtCredentialTemplate": template,
    "verifySdJwtCredential": verify,
}
