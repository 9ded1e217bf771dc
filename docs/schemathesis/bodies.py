"""What is written into the valid bodies of an operation: WRITTEN, by operationId."""
import gzip
import json
import uuid

import administration
import exchange
import sd_jwt
import stored
from values import (called, compact_claims, compact_semantic, document, duration, own_claims, printable, signable,
                    without_empty_lists)


def proof_type_of(case, body):
    options = body.get("options") or {}
    return (case.path_parameters or {}).get("proofType") or options.get("cryptosuite") or options.get("type")


def sign(case, body):
    body["payload"] = document(body["payload"], body["proofType"])
    if not body["revocable"]:
        body.pop("suspendable", None)


def issue(case, body):
    proof_type = proof_type_of(case, body)
    body["credential"] = document(body["credential"], proof_type)
    options = body.get("options") or {}
    pointers = options.get("mandatoryPointers")
    if pointers is not None:
        options["mandatoryPointers"] = ["/credentialSubject" for _ in pointers] if proof_type == "bbs-2023" else None


def prove(case, body):
    options = body.get("options") or {}
    did = stored.did_for(proof_type_of(case, body))
    body["presentation"] = document(body["presentation"], proof_type_of(case, body))
    body["presentation"]["holder"] = did
    if "verifiableCredential" in body["presentation"]:
        body["presentation"]["verifiableCredential"] = stored.CREDENTIAL
    if options.get("verificationMethod") is not None:
        options["verificationMethod"] = did


def from_template(case, body):
    body["claims"] = signable(body["claims"]) or {"course": "CS-101"}


def template(case, body):
    if body.get("id"):
        body["id"] = stored.CHANGED_TEMPLATE
    body["contexts"] = stored.CONTEXTS
    if body["type"] == "VerifiableCredential":
        body["type"] = "Course"
    body["additional_types"] = [each for each in body["additional_types"] if each != body["type"]]
    if body.get("expires_in"):
        body["expires_in"] = {unit: value % 1000 or 1 if value else 0 for unit, value in body["expires_in"].items()}
    if body.get("claim_mappings"):
        body["claim_mappings"] = signable(body["claim_mappings"])


def derive(case, body):
    member = "credential" if "credential" in body else "verifiableCredential"
    body[member] = stored.BASE_CREDENTIAL
    options = body if member == "credential" else body.get("options") or {}
    if isinstance(options.get("selectivePointers"), list):
        options["selectivePointers"] = ["/credentialSubject/course" for _ in options["selectivePointers"]]


def verify(case, body):
    for name in {"cryptosuite", "type", "credentialStatus", "mandatoryPointers", "selectivePointers", "presentationHeader",
                 "verificationMethod"} & set(body.get("options") or {}):
        del body["options"][name]  # options of other operations
    if "verifiableCredential" in body:
        body["verifiableCredential"] = stored.CREDENTIAL
        for name in ("challenge", "domain"):
            (body.get("options") or {}).pop(name, None)
    else:
        body["verifiablePresentation"] = stored.PRESENTATION
        options = body.setdefault("options", {})
        options["challenge"], options["domain"] = stored.CHALLENGE, "verifier.example"
    if (body.get("options") or {}).get("trustedContexts") is not None:
        body["options"]["trustedContexts"].append(stored.CONTEXTS[1])


def convert(case, body):
    written = {"n-quads": stored.NQUADS, "cborld": stored.CBOR_LD}.get(body["options"]["input_format"])
    body["data"] = written or {"name": "0", **signable(body["data"]), "@context": stored.CONTEXTS}


def query(case, body):
    if "query" in body:
        body["query"] = without_empty_lists(body["query"])
    if len(json.dumps(body.get("query"))) > 15000:
        body["query"] = [{"type": "DIDAuth"}]


def status(case, body):
    body["credentialId"] = stored.SUSPENDABLE["credential"]["id"]


def notify(case, body):
    body["to"] = [stored.DID]


def revoke_all(case, body):
    body["by"], body["id"] = "issuer", stored.REVOKED_ISSUER


def profile_of(case):
    return stored.PROFILES["compact-semantic" if "compact-semantic" in case.operation.path else "compact"]


def sign_compact(case, body):
    body["payload"] = compact_claims(body["payload"])


def sign_compact_semantic(case, body):
    body["payload"] = compact_semantic(body["payload"])


def from_compact_template(case, body):
    body["claims"] = {"course": "CS-101"}


def compact_template(case, body):
    body["credential_mappings"] = own_claims(body["credential_mappings"])
    if body.get("expiration") is not None:
        body["expiration"] = duration(body["expiration"])


def qr_code(case, body):
    body["payload"] = profile_of(case).encoded
    if body.get("width"):
        body["width"] = max(body["width"], 400)


def pdf(case, body):
    body["templateId"], body["payload"] = stored.PDF_TEMPLATE, stored.PROFILES["compact"].encoded


def pdf_template(case, body):
    for name in {"name", "file_name", "metadata"} & set(body):
        body[name] = printable(body[name])
    field = printable(body["fields"][0]) if body["fields"] else {}
    if case.method == "POST":
        stored.make_room(stored.PDF_TEMPLATES)
        body["template_file"] = stored.PDF["template_file"]
    elif body.get("template_file"):
        body["template_file"] = stored.PDF["template_file"]
    body["fields"] = [{**field, "key": "Course", "value": "{{ course }}", "font_name": None}]
    body["fonts"] = []


def iaca(case, body):
    stored.make_room(stored.IACAS)
    if "certificatePem" in body:
        body["certificatePem"] = stored.IMPORTED
    for name, time in (("notBefore", stored.later()), ("notAfter", stored.later(days=1000))):
        if name in body:
            body[name] = time


def signer(case, body):
    stored.make_room(stored.SIGNERS)
    if "iacaId" in body:
        body["iacaId"] = stored.IACA["id"]
    if "notAfter" in body:
        body["notAfter"] = stored.later(days=100)


def sign_mobile(case, body):
    payload = body["payload"]
    if body.get("documentSignerId"):
        body["documentSignerId"] = stored.SIGNER
    if "deviceKeyInfo" in payload:
        payload["deviceKeyInfo"] = stored.MOBILE["payload"]["deviceKeyInfo"]
    typed = stored.MOBILE["payload"]["itemsToSign"]
    payload["itemsToSign"] = {name: typed.get(name, items) for name, items in payload["itemsToSign"].items()}
    for name, days in (("validFrom", 1), ("expectedUpdate", 10), ("validUntil", 100)):
        if name in (payload.get("validityInfo") or {}):
            payload["validityInfo"][name] = stored.later(days=days)


def verify_mobile(case, body):
    body["payload"] = stored.SIGNED_MOBILE["encoded"]
    if "session" in body:
        body["session"] = {"transcript": "g_b29g"}  # [null, null, null]


def domain(case, body):
    body["domain"] = f"d{uuid.uuid4().hex}.example"  # a tenant has each domain once


def webhook(case, body):
    if body.get("url"):
        body["url"] = called(body["url"])
    if (body.get("secret") or "").startswith("whsec_"):
        body["secret"] = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def claim_source(case, body):
    body["url"] = called(body["url"])
    parameters = body.get("request_parameters")
    if parameters:  # the document cannot say which names they may have
        body["request_parameters"] = {f"parameter-{place}": each for place, each in enumerate(parameters.values())}
    for parameter in (parameters or {}).values():
        if parameter.get("map_from"):
            parameter["map_from"] = "claims.student_id"
    authorization = body.get("authorization") or {}
    for name, secret in (("ApiKey", "value"), ("OAuthClientCredentials", "client_secret")):
        members = authorization.get(name)
        if members:
            members[secret] = members[secret].replace("*", "0")  # stars stand for a stored secret
    if authorization.get("ApiKey", {}).get("header"):
        authorization["ApiKey"]["header"] = "x-api-key"
    if "OAuthClientCredentials" in authorization:
        members = authorization["OAuthClientCredentials"]
        members["token_endpoint"] = called(members["token_endpoint"])


def erasure(case, body):
    for name in [name for name in ("userId", "subjectDid", "credentialId") if name in body][1:]:
        del body[name]
    if not {"userId", "subjectDid", "credentialId"} & set(body):
        body["subjectDid"] = ""
    if "subjectDid" in body:
        body["subjectDid"] = "did:example:holder"


def search(case, body):
    body["claims"] = {"email": next(iter(body["claims"]), "ada@university.example")}


WRITTEN = {
    **administration.WRITTEN,
    **exchange.WRITTEN,
    **sd_jwt.WRITTEN,
    "createErasure": erasure,
    "searchUsers": search,
    "createDomain": domain,
    "createWebhook": webhook,
    "updateWebhook": webhook,
    "createClaimSource": claim_source,
    "updateClaimSource": claim_source,
    "createWebSemanticPresentationTemplate": query,
    "updateWebSemanticPresentationTemplate": query,
    "createWebSemanticPresentationRequest": query,
    "signWebSemanticCredential": sign,
    "vcApiIssueCredential": issue,
    "vcApiIssueCredentialWithProofType": issue,
    "vcApiProvePresentation": prove,
    "signWebSemanticCredentialFromTemplate": from_template,
    "createWebSemanticCredentialTemplate": template,
    "updateWebSemanticCredentialTemplate": template,
    "deriveWebSemanticCredential": derive,
    "vcApiDeriveCredential": derive,
    "vcApiVerifyCredential": verify,
    "vcApiVerifyPresentation": verify,
    "convertLinkedData": convert,
    "vcApiUpdateStatus": status,
    "webSemanticRevocationStatusNotification": notify,
    "createWebSemanticRevocation": revoke_all,
    "signCompactCredential": sign_compact,
    "signCompactSemanticCredential": sign_compact_semantic,
    "signCompactCredentialFromTemplate": from_compact_template,
    "signCompactSemanticCredentialFromTemplate": from_compact_template,
    "createCompactCredentialTemplate": compact_template,
    "updateCompactCredentialTemplate": compact_template,
    "createCompactSemanticCredentialTemplate": compact_template,
    "updateCompactSemanticCredentialTemplate": compact_template,
    "getCompactCredentialQRCode": qr_code,
    "getCompactSemanticCredentialQRCode": qr_code,
    "createCompactCredentialPdf": pdf,
    "createCompactCredentialPdfTemplate": pdf_template,
    "updateCompactCredentialPdfTemplate": pdf_template,
    "createMobileCredentialsIaca": iaca,
    "createMobileCredentialsDocumentSigner": signer,
    "signMobileCredential": sign_mobile,
    "verifyMobileCredential": verify_mobile,
}


def form(case):
    """The parts of a form with a QR code as its file. A form has no null and no empty list."""
    parts = [("file", ("code.png", profile_of(case).qr_code, "image/png"))]
    for name, value in case.body.items():
        values = value if isinstance(value, list) else [] if name == "file" or value is None else [json.dumps(value)]
        parts += [(name, (None, each)) for each in values]
    return parts


def files(case):
    """What is sent in place of a generated file, as arguments of requests."""
    if case.media_type == "multipart/form-data":
        return {"files": form(case)}
    if case.media_type == "application/zip":
        stored.make_room(stored.PDF_TEMPLATES)
        return {"data": stored.pdf_archive()}
    if case.operation.definition.raw.get("operationId") == "createTenantImport":
        is_compressed = case.media_type == "application/gzip"
        return {"data": administration.TENANT_FILE if is_compressed else gzip.decompress(administration.TENANT_FILE)}
    return {}
