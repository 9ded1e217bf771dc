"""What the requests name: made once, through the API, before the first request."""
import base64
import io
import json
import os
import urllib.error
import urllib.request
import zipfile
from datetime import datetime, timedelta, timezone

V2 = "https://www.w3.org/ns/credentials/v2"
CONTEXTS = [V2, {"@vocab": "https://example.edu/terms#"}]
CHALLENGE = "f1f2f3f4-0001"

SEMANTIC = "/v1/credentials/web-semantic"
PRESENTATIONS = f"{SEMANTIC}/presentations"
PDF_TEMPLATES = "/v1/credentials/compact/pdf/templates"
IACAS = "/v1/credentials/mobile/iacas"
SIGNERS = "/v1/credentials/mobile/document-signers"


TOKEN = os.environ["TOKEN"]


def send(path, body=None, method=None, content_type="application/json", token=TOKEN):
    """The body of the response, as bytes."""
    data = body.encode() if isinstance(body, str) else None if body is None else json.dumps(body).encode()
    headers = {"content-type": content_type, **({"authorization": f"Bearer {token}"} if token else {})}
    request = urllib.request.Request(os.environ["BASE"] + path, data, headers, method=method)
    with urllib.request.urlopen(request) as response:
        return response.read()


def api(path, body=None, token=TOKEN):
    return json.loads(send(path, body, token=token))


def later(**duration):
    """A time from now on, as RFC 3339 writes it."""
    return (datetime.now(timezone.utc) + timedelta(**duration)).strftime("%Y-%m-%dT%H:%M:%SZ")


KEPT = set()


def keep(id):
    KEPT.add(id)
    return id


def make_room(path, most=2):
    """Deletes what the requests made, but the newest: a tenant may have only so many."""
    made = [thing["id"] for thing in api(path + "?limit=1000")["data"] if thing["id"] not in KEPT]
    for id in made[most:]:
        try:
            send(f"{path}/{id}", method="DELETE")
        except urllib.error.HTTPError as error:
            if error.code != 409:  # an IACA that has document signers stays
                raise


DOCUMENT = api("/openapi.json")


def example(path, member="post"):
    return DOCUMENT["paths"][path][member]["requestBody"]["content"]["application/json"]["example"]


def new_did(key_type="ed25519"):
    return api("/v1/dids", {"method": "KEY", "options": {"keyType": key_type}})["did"]


DIDS = {key_type: new_did(key_type) for key_type in ("ed25519", "p256", "bls12381g2")}
DID = DIDS["ed25519"]


def did_for(proof_type):
    """The DID whose key fits a proof type."""
    name = (proof_type or "").lower()
    return DIDS["bls12381g2" if "bbs" in name else "p256" if "ecdsa" in name else "ed25519"]


def signed(proof_type, did=None, **options):
    payload = {"@context": CONTEXTS, "type": ["VerifiableCredential"], "issuer": did or did_for(proof_type),
               "credentialSubject": {"id": DID, "course": "CS-101"}}
    return api(f"{SEMANTIC}/sign", {"payload": payload, "proofType": proof_type, "revocable": False, **options})


CREDENTIAL = signed("eddsa-rdfc-2022")["credential"]
BASE_CREDENTIAL = signed("bbs-2023")["credential"]
SUSPENDABLE = signed("eddsa-rdfc-2022", revocable=True, suspendable=True)
SUSPENDABLE_LIST = SUSPENDABLE["credential"]["credentialStatus"]
LIST_ID = (SUSPENDABLE_LIST[0] if isinstance(SUSPENDABLE_LIST, list) else SUSPENDABLE_LIST)["statusListCredential"].split("/")[-1]
PRESENTATION = api("/vc-api/presentations/prove", {
    "presentation": {"@context": [V2], "type": ["VerifiablePresentation"], "holder": DID, "verifiableCredential": [CREDENTIAL]},
    "options": {"challenge": CHALLENGE, "domain": "verifier.example"}})["verifiablePresentation"]


def new_template():
    return api(f"{SEMANTIC}/configurations", {
        "name": "Course", "type": "Course", "additional_types": [], "contexts": CONTEXTS, "issuer": {"name": "Example"},
        "revocable": True})["id"]


TEMPLATE, CHANGED_TEMPLATE = new_template(), new_template()
CBOR_LD = api(f"{SEMANTIC}/linkeddata/convert", {
    "data": {"@context": CONTEXTS, "course": "CS-101"},
    "options": {"input_format": "jsonld", "output_encoding": "base64", "output_format": "cborld"}})
NQUADS = {"data": '_:b0 <https://example.edu/terms#course> "CS-101" .\n', "metadata": {"encoding": "text", "format": "n-quads"}}


def new_presentation_template():
    body = {"domain": "verifier.example", "name": "Course", "query": [{"type": "DIDAuth"}]}
    return api(f"{PRESENTATIONS}/templates", body)["id"]


PRESENTATION_TEMPLATE = new_presentation_template()
PRESENTATION_REQUEST = api(f"{PRESENTATIONS}/requests", {"templateId": PRESENTATION_TEMPLATE, "did": DID})["id"]

ROW = {"payload": {"@context": CONTEXTS, "type": ["VerifiableCredential"], "issuer": DID,
                   "credentialSubject": {"course": "CS-101"}},
       "proofType": "eddsa-rdfc-2022"}
BATCH = json.loads(send("/v1/credentials/batches", json.dumps(ROW) + "\n", content_type="application/x-ndjson"))["id"]
REVOKED_ISSUER = new_did()
BULK_REVOCATION = api(f"{SEMANTIC}/revocations", {"by": "issuer", "id": REVOKED_ISSUER, "is_revoked": True})["id"]

COMPACT = {"iss": DIDS["p256"], "sub": DID, "type": "CourseCredential", "property_set": {"course": "CS-101"}}
COMPACT_SEMANTIC = {"@context": CONTEXTS, "type": ["VerifiableCredential"], "issuer": DIDS["p256"],
                    "credentialSubject": {"id": DID, "course": "CS-101"}}


class Profile:
    """What there is of compact or of compact-semantic credentials."""

    def __init__(self, name, payload):
        self.path = f"/v1/credentials/{name}"
        self.encoded = api(f"{self.path}/sign", {"payload": payload, "revocable": False})["encoded"]
        self.revocable = api(f"{self.path}/sign", {"payload": payload, "revocable": True})["id"]
        self.qr_code = send(f"{self.path}/qrcode", {"payload": self.encoded})
        self.template, self.changed_template = self.new_template(), self.new_template()

    def new_template(self):
        mappings = {"course": {"map_from": "claims.course", "default_value": "CS-101"}}
        body = {"type": f"Course-{os.urandom(8).hex()}", "credential_mappings": mappings}
        return api(f"{self.path}/configurations", body)["id"]


PROFILES = {"compact": Profile("compact", COMPACT), "compact-semantic": Profile("compact-semantic", COMPACT_SEMANTIC)}
COMPACT_LIST = api("/v1/credentials/compact/revocation-lists")["data"][0]["id"]

PDF = example(PDF_TEMPLATES)
make_room(PDF_TEMPLATES, 0)


def new_pdf_template():
    return api(PDF_TEMPLATES, PDF)["id"]


PDF_TEMPLATE, CHANGED_PDF_TEMPLATE = keep(new_pdf_template()), keep(new_pdf_template())


def pdf_archive():
    """A ZIP archive with the template of the document's example."""
    members = {name: value for name, value in PDF.items() if name != "template_file"}
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as written:
        written.writestr("template.pdf", base64.b64decode(PDF["template_file"]))
        written.writestr("config.json", json.dumps(members))
    return archive.getvalue()


make_room(SIGNERS, 0)
make_room(IACAS, 0)


def new_iaca():
    return api(IACAS, {"country": "NL", "commonName": "Example IACA"})


def new_signer():
    return api(SIGNERS, {"iacaId": IACA["id"]})["id"]


IACA, CHANGED_IACA = new_iaca(), new_iaca()
keep(IACA["id"]), keep(CHANGED_IACA["id"])
IMPORTED = new_iaca()["certificatePem"]
make_room(IACAS, 0)
SIGNER, CHANGED_SIGNER = keep(new_signer()), keep(new_signer())
MOBILE = {**example("/v1/credentials/mobile/sign"), "documentSignerId": SIGNER, "revocable": True}
SIGNED_MOBILE = api("/v1/credentials/mobile/sign", MOBILE)
MOBILE_LIST = SIGNED_MOBILE["decoded"]["status"]["status_list"]["uri"].split("/")[-1]
