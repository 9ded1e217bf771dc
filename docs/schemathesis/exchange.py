"""What messaging, webhooks, domains, claim sources and OpenID have, made before the first request."""
import uuid

import stored
from stored import DID, DIDS, api, example
from values import called


def made(path, **more):
    """A thing from the document's example of its operation."""
    return lambda: api(path, {**example(path), **more})["id"]


new_inbox = made("/v1/messaging/inboxes")
INBOX = new_inbox()


def registered_did():
    """A new DID of the tenant that is registered with the inbox."""
    did = stored.new_did()
    api(f"/v1/messaging/inboxes/{INBOX}/dids", {"did": did})
    return did


RECIPIENT = registered_did()
AGREEING = stored.new_did("x25519")
ENCRYPTED = api("/v1/messaging/encrypt", {"payload": {"course": "CS-101"}, "recipientDidUrls": [AGREEING]})["jwe"]
KEY = f"{DID}#{DID.split(':')[2]}"
SIGNED = api("/v1/messaging/sign", {"didUrl": KEY, "payload": {"course": "CS-101"}})["jws"]


def webhook_url():
    return f"https://w{uuid.uuid4().hex}.example/hooks"


def new_webhook():
    return api("/v1/webhooks", {"events": ["OpenIdCredentialIssued"], "url": webhook_url()})["id"]


def new_domain():
    return api("/v1/config/domain", {"domain": f"d{uuid.uuid4().hex}.example", "name": "A domain"})["id"]


SOURCES = "/v1/claim-sources"


def new_source():
    stored.make_room(SOURCES)
    return stored.keep(made(SOURCES, url="https://receiver.university.example/claims")())


WEBHOOK, DOMAIN, SOURCE = new_webhook(), new_domain(), new_source()
DELIVERY = api(f"/v1/webhooks/{WEBHOOK}/test", {})["id"]

QUERY = [{"type": "QueryByExample", "credentialQuery": [
    {"required": True, "reason": "To sign in", "example": {"type": "CourseCredential", "trustedIssuer": []}}]}]
ASKING = api(f"{stored.PRESENTATIONS}/templates", {"domain": "verifier.example", "name": "Course", "query": QUERY})["id"]
MAPPINGS = [{"json_ld_fqn": "https://schema.org/courseCode", "oidc_claim": "course"}]
VERIFIERS = "/v1/oidc/verifiers"


def new_verifier():
    return api(VERIFIERS, {"claim_mappings": MAPPINGS, "include_presentation": False, "presentation_template_id": ASKING,
                           "verifier_did": DIDS["p256"]})["id"]


VERIFIER = new_verifier()


def new_relying_party():
    return api(f"{VERIFIERS}/{VERIFIER}/clients", example(f"{VERIFIERS}/{{id}}/clients"))["id"]


RELYING_PARTY = new_relying_party()


REQUESTS = "/v1/openid4vp/requests"
IDENTITY = {"credentials": [{"id": "identity", "format": "dc+sd-jwt", "meta": {"vct_values": ["https://types.example/a"]}}]}


def new_request():
    return api(REQUESTS, {"verifierId": VERIFIER, "dcqlQuery": IDENTITY})["id"]


REQUEST = new_request()


def new_session():
    return api("/v1/openid/sessions", {"credentials": [stored.TEMPLATE], "grantType": "pre-authorized_code"})["id"]


def new_wallet():
    return made("/v1/openid/wallets", clientId=f"https://w{uuid.uuid4().hex}.example")()


PROVIDER_KEYS = {"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", "kid": "1"}]}


def new_wallet_provider():
    return made("/v1/openid/wallet-providers", jwks=PROVIDER_KEYS)()


TRUST_LISTS = "/v1/trust-lists"
ENTRIES = [{"identifier": "did:web:issuer.example"}]


def new_trust_list():
    return api(TRUST_LISTS, {"name": "Issuers", "formats": ["compact"], "enforced": False, "entries": ENTRIES})["id"]


TRUST_LIST = new_trust_list()
SESSION, WALLET, PROVIDER_OF_WALLETS = new_session(), new_wallet(), new_wallet_provider()


def below(parent, **children):
    return lambda: {"id": parent, **{name: child() if callable(child) else child for name, child in children.items()}}


def of(prefix, thing, new, *others):
    return {f"get{prefix}": thing, f"update{prefix}": thing, f"delete{prefix}": new, **{other: thing for other in others}}


THINGS = {
    **of("Inbox", INBOX, new_inbox, "getInboxDIDs", "registerDID", "getListOfMessages"),
    "unregisterDID": below(INBOX, did=registered_did),
    "getMessage": below(INBOX),
    "deleteMessage": below(INBOX),
    **of("Webhook", WEBHOOK, new_webhook, "sendWebhookTestEvent", "redeliverFailedWebhookDeliveries"),
    "getWebhookDelivery": DELIVERY,
    "redeliverWebhookDelivery": DELIVERY,
    **of("Domain", DOMAIN, new_domain, "verifyDomain", "invalidateDomain"),
    **of("ClaimSource", SOURCE, new_source),
    **of("OidcVerifier", VERIFIER, new_verifier, "getOidcVerifierCertificateRequest", "rotateOidcVerifierKeys",
         "getListOfOidcVerifierClient", "createOidcVerifierClient"),
    **of("OidcVerifierClient", below(VERIFIER, clientId=RELYING_PARTY), below(VERIFIER, clientId=new_relying_party)),
    **of("OpenIdWallet", WALLET, new_wallet),
    "getOpenId4VpRequest": REQUEST,
    "redeemOpenId4VpRequest": REQUEST,
    "answerOpenId4VpRequest": REQUEST,
    "deleteOpenId4VpRequest": new_request,
    **of("TrustList", TRUST_LIST, new_trust_list, "refreshTrustList"),
    **of("OpenIdWalletProvider", PROVIDER_OF_WALLETS, new_wallet_provider),
    "getOpenIdSession": SESSION,
    "retryOpenIdSession": SESSION,
    "cancelOpenIdSession": new_session,
}


def registration(case, body):
    body["did"] = RECIPIENT
    body.pop("jwt", None)


def sign(case, body):
    body["didUrl"] = KEY


def verify(case, body):
    body["jws"] = SIGNED


def send_message(case, body):
    body["to"] = RECIPIENT
    body.pop("from", None)


def encrypt(case, body):
    body["recipientDidUrls"] = [AGREEING]
    if body.get("senderDidUrl"):
        body["senderDidUrl"] = AGREEING


def decrypt(case, body):
    body["jwe"] = ENCRYPTED


def log(case, body):
    for name in ("from", "head"):
        body.pop(name, None)


def verifier(case, body):
    body["presentation_template_id"], body["verifier_did"] = ASKING, DIDS["p256"]
    body["claim_mappings"] = MAPPINGS
    body.pop("certificate_chain", None)


def request(case, body):
    body["verifierId"], body["dcqlQuery"] = VERIFIER, IDENTITY
    for name in ("verifierDid", "certificateChain", "clientIdPrefix", "presentationTemplateId", "transactionData",
                 "expectedOrigins", "responseMode"):
        body.pop(name, None)
    if body.get("redirectUri"):
        body["redirectUri"] = called("")


def relying_party(case, body):
    body["grantTypes"] = sorted({"authorization_code", *body["grantTypes"]})
    body["redirectUris"] = [f"{called('')}{place}" for place, _ in enumerate(body["redirectUris"])]
    if body.get("logoUri"):
        body["logoUri"] = called(body["logoUri"])


def offer(case, body):
    body["credentials"], body["grantType"] = [stored.TEMPLATE], "pre-authorized_code"
    for name in ("authenticationProviderId", "requestedParameters", "claims", "suspendable"):
        body.pop(name, None)


def mobile_template(case, body):
    written = example("/v1/credentials/mobile/configurations")
    body["type"], body["claim_mappings"] = written["type"], written["claim_mappings"]
    if body.get("expiration") is not None:
        body["expiration"] = {**{unit: count % 100 for unit, count in body["expiration"].items()}, "days": 1}


def hook(case, body):
    body["url"] = called(body["url"])


def wallet_provider(case, body):
    body["jwks"] = PROVIDER_KEYS
    body.pop("certificates", None)


def trust_list(case, body):
    # an enforced list would keep the other requests from verifying anything
    body["formats"], body["enforced"], body["entries"] = ["compact"], False, ENTRIES
    body.pop("source", None)  # nobody publishes a list here


def search(case, body):
    body["authenticationProvider"] = {}


WRITTEN = {
    "registerDID": registration,
    "signCredential": sign,
    "verifyCredential": verify,
    "sendMessage": send_message,
    "encryptCredentials": encrypt,
    "decryptCredentials": decrypt,
    "verifyLog": log,
    "createOidcVerifier": verifier,
    "updateOidcVerifier": verifier,
    "createOidcVerifierClient": relying_party,
    "updateOidcVerifierClient": relying_party,
    "createOpenId4VpRequest": request,
    "createOpenIdWalletProvider": wallet_provider,
    "updateOpenIdWalletProvider": wallet_provider,
    "createTrustList": trust_list,
    "updateTrustList": trust_list,
    "createOpenIdConfiguration": offer,
    "createOpenIdSession": offer,
    "createMobileCredentialTemplate": mobile_template,
    "updateMobileCredentialTemplate": mobile_template,
    "searchUsers": search,
    "updateOpenIDConfiguration": hook,
}
